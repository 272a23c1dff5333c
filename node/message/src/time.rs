//! `time` and `duration` of messages.

use core::fmt;

use crate::input::{Input, ReadError};
use crate::output::Output;
use crate::view::View;
use crate::wire::Wire;

const NANOS: i64 = 1_000_000_000;

/// A moment of the wall clock, or of simulated time: since 1970 (UTC), until 2106.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    /// Whole seconds.
    pub sec: u32,
    /// And nanoseconds, 0 to 999 999 999; what comes from outside may have more.
    pub nsec: u32,
}

/// A span of time, to 68 years either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration {
    /// Whole seconds, rounded down.
    pub sec: i32,
    /// And nanoseconds, 0 to 999 999 999; what comes from outside may have others.
    pub nsec: i32,
}

impl Time {
    /// From nanoseconds since 1970. Nothing: after 2106.
    pub fn from_nanos(nanos: u64) -> Option<Time> {
        let sec = u32::try_from(nanos / NANOS as u64).ok()?;
        Some(Time { sec, nsec: (nanos % NANOS as u64) as u32 })
    }

    /// Nanoseconds since 1970.
    pub const fn as_nanos(self) -> u64 {
        self.sec as u64 * NANOS as u64 + self.nsec as u64
    }

    /// Seconds since 1970.
    pub fn as_secs_f64(self) -> f64 {
        f64::from(self.sec) + f64::from(self.nsec) * 1e-9
    }

    /// From `earlier` to this one. Nothing: it does not fit.
    pub fn since(self, earlier: Time) -> Option<Duration> {
        Duration::from_nanos(self.as_nanos() as i64 - earlier.as_nanos() as i64)
    }
}

impl Duration {
    /// From nanoseconds. Nothing: it does not fit.
    pub fn from_nanos(nanos: i64) -> Option<Duration> {
        let sec = i32::try_from(nanos.div_euclid(NANOS)).ok()?;
        Some(Duration { sec, nsec: nanos.rem_euclid(NANOS) as i32 })
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.sec as i64 * NANOS + self.nsec as i64
    }

    /// Seconds.
    pub fn as_secs_f64(self) -> f64 {
        f64::from(self.sec) + f64::from(self.nsec) * 1e-9
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.sec, self.nsec)
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.as_nanos();
        let (sign, whole) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
        write!(f, "{sign}{}.{:09}", whole / NANOS as u64, whole % NANOS as u64)
    }
}

macro_rules! two_words {
    ($of:ident) => {
        impl Wire for $of {
            const LEAST: usize = 8;

            fn wire_len(&self) -> usize {
                8
            }

            fn write(&self, out: &mut Output<'_>) {
                self.sec.write(out);
                self.nsec.write(out);
            }

            fn read_from(&mut self, input: &mut Input<'_>) -> Result<(), ReadError> {
                self.sec.read_from(input)?;
                self.nsec.read_from(input)
            }
        }

        impl<'a> View<'a> for $of {
            const LEAST: usize = 8;

            fn look(input: &mut Input<'a>) -> Result<$of, ReadError> {
                let mut value = $of::default();
                value.read_from(input)?;
                Ok(value)
            }
        }
    };
}

two_words!(Time);
two_words!(Duration);
