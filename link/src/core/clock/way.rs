//! One way between two clocks (LNK-4): the receiver's stamp less the sender's, the least of the last ten seconds.
//!
//! A packet takes no less than no time, so each difference bounds the clocks' offset from one side, as of the moment it
//! was made. Clocks drift: what a difference bounds later is wider by [`drift`]. Clocks jump: a way that is shorter than
//! it was a moment ago, by more than they drift, may have lost a queue, or the clocks have moved by as much. Then the
//! other way's bounds from before may be too tight by as much.

use crate::core::rtt::WindowedMin;
use std::time::Duration;
use tokkyu_contract::MonoTime;

/// What came within one to two spans of this is "a moment ago".
const MOMENT: Duration = Duration::from_secs(1);

/// What two clocks drift apart in `nanos` at most: each is slewed by 500 ppm at most.
pub(super) fn drift(nanos: i64) -> i64 {
    nanos / 1_000
}

/// Differences of one way. All are kept less the drift since time zero: so they compare whenever they were made.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// As they were.
    seen: WindowedMin,
    /// Longer by what the clocks may have moved since they were made.
    safe: WindowedMin,
    moment: Moment,
}

impl Way {
    /// A difference of `nanos`, made at `at` or later, longer by `doubt` if the clocks moved since; without, it bounds
    /// nothing any more. Gives by how much the way is shorter than a moment ago, beyond drift.
    pub(super) fn add(&mut self, now: MonoTime, at: MonoTime, nanos: i64, doubt: Option<i64>) -> i64 {
        let level = nanos.saturating_sub(drift(at.as_nanos() as i64));
        self.seen.add(now, level);
        if let Some(doubt) = doubt {
            self.safe.add(now, level.saturating_add(doubt));
        }
        self.moment.add(now, at, nanos)
    }

    /// The clocks may have moved: what was seen so far may be too short by `nanos`.
    pub(super) fn widen(&mut self, nanos: i64) {
        self.safe.raise(nanos);
    }

    /// The shortest that was seen, as of now.
    pub(super) fn seen(&self, now: MonoTime) -> Option<i64> {
        Some(self.seen.get()?.saturating_add(drift(now.as_nanos() as i64)))
    }

    /// The same, with what the clocks may have moved.
    pub(super) fn safe(&self, now: MonoTime) -> Option<i64> {
        Some(self.safe.get()?.saturating_add(drift(now.as_nanos() as i64)))
    }
}

/// A difference, and when it was made at the earliest.
#[derive(Clone, Copy, Debug)]
struct Least {
    at: MonoTime,
    nanos: i64,
}

impl Least {
    fn level(&self) -> i64 {
        self.nanos.saturating_sub(drift(self.at.as_nanos() as i64))
    }
}

/// The least of this span and of the last one in which anything came.
#[derive(Clone, Debug, Default)]
struct Moment {
    since: MonoTime,
    now: Option<Least>,
    before: Option<Least>,
}

impl Moment {
    fn add(&mut self, now: MonoTime, at: MonoTime, nanos: i64) -> i64 {
        if now.since(self.since) >= MOMENT {
            self.before = self.now.take().or(self.before);
            self.since = now;
        }
        let new = Least { at, nanos };
        let least = [self.now, self.before].into_iter().flatten().min_by_key(Least::level);
        self.now = Some(self.now.filter(|least| least.level() <= new.level()).unwrap_or(new));
        let Some(least) = least else { return 0 };
        let shorter = least.nanos.saturating_sub(nanos);
        if shorter > drift(at.since(least.at).as_nanos() as i64) { shorter } else { 0 }
    }
}
