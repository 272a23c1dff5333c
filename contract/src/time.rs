//! Three kinds of time that must never be mixed up, so they are three types.
//!
//! [`MonoTime`] is this machine's monotonic clock, [`PeerTime`] the other end's, [`WallTime`] the calendar. No clock
//! is read here: every `core/` gets its time from outside. Spans are [`core::time::Duration`].

use core::fmt;
use core::time::Duration;

macro_rules! clock {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u64);

        impl $name {
            /// The clock's origin.
            pub const ZERO: $name = $name(0);
            /// Later than any time that occurs: "never" in a deadline.
            pub const MAX: $name = $name(u64::MAX);

            /// The time `nanos` nanoseconds after the clock's origin.
            pub const fn from_nanos(nanos: u64) -> Self {
                $name(nanos)
            }

            /// The time `micros` microseconds after the clock's origin.
            pub const fn from_micros(micros: u64) -> Self {
                $name(micros.saturating_mul(1_000))
            }

            /// The time `millis` milliseconds after the clock's origin.
            pub const fn from_millis(millis: u64) -> Self {
                $name(millis.saturating_mul(1_000_000))
            }

            /// Nanoseconds since the clock's origin.
            pub const fn as_nanos(self) -> u64 {
                self.0
            }

            /// Microseconds since the clock's origin, rounded down.
            pub const fn as_micros(self) -> u64 {
                self.0 / 1_000
            }

            /// Time passed since `earlier`, zero if `earlier` is later.
            pub const fn since(self, earlier: Self) -> Duration {
                Duration::from_nanos(self.0.saturating_sub(earlier.0))
            }

            /// Nanoseconds from `other` to `self`, negative if `other` is later. Saturates.
            pub const fn signed_nanos_since(self, other: Self) -> i64 {
                let diff = self.0 as i128 - other.0 as i128;
                if diff > i64::MAX as i128 {
                    i64::MAX
                } else if diff < i64::MIN as i128 {
                    i64::MIN
                } else {
                    diff as i64
                }
            }

            /// This time moved by `nanos`, forwards or back. Saturates at both ends.
            pub const fn offset(self, nanos: i64) -> Self {
                $name(self.0.saturating_add_signed(nanos))
            }

            /// `span` earlier, not before the clock's origin.
            pub const fn saturating_sub(self, span: Duration) -> Self {
                $name(self.0.saturating_sub(nanos_of(span)))
            }
        }

        impl core::ops::Add<Duration> for $name {
            type Output = $name;

            /// Saturates at [`Self::MAX`], so that an endless lifespan stays endless.
            fn add(self, span: Duration) -> $name {
                $name(self.0.saturating_add(nanos_of(span)))
            }
        }

        impl core::ops::AddAssign<Duration> for $name {
            fn add_assign(&mut self, span: Duration) {
                *self = *self + span;
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}.{:09}s", self.0 / 1_000_000_000, self.0 % 1_000_000_000)
            }
        }
    };
}

const fn nanos_of(span: Duration) -> u64 {
    let nanos = span.as_nanos();
    if nanos > u64::MAX as u128 { u64::MAX } else { nanos as u64 }
}

clock! {
    /// A point on this machine's monotonic clock (`CLOCK_MONOTONIC`), or of virtual time in a simulation.
    MonoTime
}

clock! {
    /// A point on the peer's monotonic clock. Only an estimated offset, with its error, turns it into [`MonoTime`].
    PeerTime
}

clock! {
    /// A point on the calendar: nanoseconds since 1970-01-01 00:00 UTC. For people and records, never for deadlines.
    WallTime
}

impl PeerTime {
    /// This time on our own clock, given `peer clock − own clock` in nanoseconds.
    pub const fn to_mono(self, offset_nanos: i64) -> MonoTime {
        MonoTime(self.0).offset(offset_nanos.saturating_neg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_saturate_so_that_endless_stays_endless() {
        assert_eq!(MonoTime::from_millis(1) + Duration::MAX, MonoTime::MAX);
        assert_eq!(MonoTime::MAX + Duration::from_secs(1), MonoTime::MAX);
        assert_eq!(MonoTime::ZERO.saturating_sub(Duration::from_secs(1)), MonoTime::ZERO);
    }

    #[test]
    fn an_interval_that_runs_backwards_is_zero_or_negative_never_a_panic() {
        let (early, late) = (MonoTime::from_millis(3), MonoTime::from_millis(5));
        assert_eq!(late.since(early), Duration::from_millis(2));
        assert_eq!(early.since(late), Duration::ZERO);
        assert_eq!(early.signed_nanos_since(late), -2_000_000);
        assert_eq!(MonoTime::MAX.signed_nanos_since(MonoTime::ZERO), i64::MAX);
    }

    #[test]
    fn a_peer_ahead_of_us_is_moved_back() {
        let offset_nanos = 7_000_000;
        assert_eq!(PeerTime::from_millis(107).to_mono(offset_nanos), MonoTime::from_millis(100));
        assert_eq!(PeerTime::from_millis(3).to_mono(offset_nanos), MonoTime::ZERO);
    }
}
