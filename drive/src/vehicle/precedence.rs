//! When those who do not drive get pictures: while none for the driver is lost or waits. SPEC.md DRV-128.
//!
//! Pure. Each time pictures for others turn out to be too much soon after they began, they stay away for twice as long.
//!
//! ```text
//!            a picture for the driver is lost or gives way
//!    Open ──────────────────────────────────────────────────▶ Closed
//!     ▲                                                         │ │ ▲
//!     └──────────────── for the pause, none was ────────────────┘ └─┘ another one: the pause begins anew
//! ```

use std::time::Duration;

use tokkyu_contract::MonoTime;

const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(32);
/// One that ends so soon after it began was too much.
const SOON: Duration = Duration::from_secs(10);

/// Whether others get pictures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Precedence {
    pause: Duration,
    /// When others may have pictures again, or have had them since.
    opens: MonoTime,
    is_open: bool,
}

impl Precedence {
    pub(super) fn new(now: MonoTime) -> Precedence {
        Precedence { pause: FIRST_PAUSE, opens: now, is_open: true }
    }

    /// A picture for the driver was lost, or gave way to another.
    pub(super) fn on_loss(&mut self, now: MonoTime) {
        if self.is_open {
            let was_soon = now.since(self.opens) < SOON;
            self.pause = if was_soon { (self.pause * 2).min(LONGEST_PAUSE) } else { FIRST_PAUSE };
        }
        (self.is_open, self.opens) = (false, now + self.pause);
    }

    /// Whether others get pictures at `now`.
    pub(super) fn is_open(&mut self, now: MonoTime) -> bool {
        self.is_open |= now >= self.opens;
        self.is_open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(100_000 + ms)
    }

    #[test]
    fn others_wait_two_seconds_from_the_last_loss_on() {
        let mut precedence = Precedence::new(at(0));
        assert!(precedence.is_open(at(20_000)));
        precedence.on_loss(at(20_000));
        precedence.on_loss(at(21_000));
        assert!(!precedence.is_open(at(22_999)));
        assert!(precedence.is_open(at(23_000)));
    }

    #[test]
    fn pictures_that_are_too_much_each_time_come_ever_more_rarely() {
        let mut precedence = Precedence::new(at(0));
        let (mut now, mut pauses) = (20_000, Vec::new());
        for _ in 0..6 {
            precedence.on_loss(at(now));
            let began = now;
            while !precedence.is_open(at(now)) {
                now += 100;
            }
            pauses.push((now - began) / 1_000);
            now += 500;
        }
        assert_eq!(pauses, [2, 4, 8, 16, 32, 32]);
        now += 10_000;
        precedence.on_loss(at(now));
        assert!(precedence.is_open(at(now + 2_000)), "it went well for long enough");
    }
}
