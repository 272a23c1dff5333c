//! Clocks of Linux.

use std::time::{Duration, SystemTime};

use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::{Timespec, clock_gettime};
use tokkyu_contract::{MonoTime, WallTime};

/// `CLOCK_MONOTONIC`.
pub(crate) fn mono_now() -> MonoTime {
    let now = clock_gettime(rustix::time::ClockId::Monotonic);
    MonoTime::from_nanos(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
}

/// `CLOCK_REALTIME`.
pub(crate) fn wall_now() -> WallTime {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    WallTime::from_nanos(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX))
}

/// Sleeps until that time, signals or not.
pub(crate) fn sleep_until(time: MonoTime) {
    let nanos = time.as_nanos();
    let until = Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 };
    while clock_nanosleep_absolute(ClockId::Monotonic, &until) == Err(rustix::io::Errno::INTR) {}
}

/// From now to that time; nothing if it is past.
pub(crate) fn left(until: MonoTime) -> Duration {
    until.since(mono_now())
}
