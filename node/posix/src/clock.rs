//! Clocks and sleeping, on Linux.

use std::sync::atomic::AtomicU32;
use std::time::{Duration, SystemTime};

use rustix::thread::{ClockId, clock_nanosleep_absolute, futex};
use rustix::time::{Timespec, clock_gettime};
use tokkyu_callbacks::port::{Clock, Sleeper};
use tokkyu_contract::{MonoTime, WallTime};

use super::Posix;

/// `CLOCK_MONOTONIC`.
pub(super) fn mono_now() -> MonoTime {
    let now = clock_gettime(rustix::time::ClockId::Monotonic);
    MonoTime::from_nanos(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
}

/// `CLOCK_REALTIME`.
pub(super) fn wall_now() -> WallTime {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    WallTime::from_nanos(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX))
}

/// From now to that time, for calls that take so long; nothing if it is past.
pub(super) fn timeout(until: MonoTime) -> Timespec {
    let left: Duration = until.since(mono_now());
    Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() }
}

impl Clock for Posix {
    fn now(&self) -> MonoTime {
        mono_now()
    }

    fn wall_now(&self) -> WallTime {
        wall_now()
    }
}

impl Sleeper for Posix {
    fn sleep_until(&self, time: MonoTime) {
        let nanos = time.as_nanos();
        let until =
            Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 };
        while clock_nanosleep_absolute(ClockId::Monotonic, &until) == Err(rustix::io::Errno::INTR) {}
    }

    fn wait(&self, word: &AtomicU32, is: u32, until: Option<MonoTime>) {
        let timeout = until.map(timeout);
        // It is woken, or the word has changed before it slept, or time is over, or a signal came: all the same.
        let _ = futex::wait(word, futex::Flags::PRIVATE, is, timeout.as_ref());
    }

    fn wake(&self, word: &AtomicU32, most: u32) {
        // The kernel counts in `int`.
        let _ = futex::wake(word, futex::Flags::PRIVATE, most.min(i32::MAX as u32));
    }
}
