//! `CLOCK_MONOTONIC`, and how the kernel's stamps come to it (PRB-34).

use std::io;

use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

const NS_PER_S: i64 = 1_000_000_000;
/// A step of the wall clock by more than this makes stamps useless.
const STEP_NS: i64 = 10_000;

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub type Ns = i64;

pub fn ns_of(time: TimeSpec) -> Ns {
    time.tv_sec() * NS_PER_S + time.tv_nsec()
}

fn read(clock: ClockId) -> Ns {
    clock_gettime(clock).map_or(0, ns_of)
}

pub fn now() -> Ns {
    read(ClockId::CLOCK_MONOTONIC)
}

/// Sleeps until then, by an absolute time: what comes between is not added to it.
pub fn sleep_until(due: Ns) -> io::Result<()> {
    let time = TimeSpec::new(due / NS_PER_S, due % NS_PER_S);
    loop {
        match clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &time) {
            Ok(_) => return Ok(()),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// How far another clock is ahead of `CLOCK_MONOTONIC`.
fn ahead(clock: ClockId) -> Ns {
    // The closest of several: a reading may be interrupted between the two.
    let one = || {
        let before = now();
        let there = read(clock);
        let after = now();
        (after - before, there - before.midpoint(after))
    };
    (0..5).map(|_| one()).min_by_key(|(gap, _)| *gap).map_or(0, |(_, ahead)| ahead)
}

/// From the clock of the kernel's stamps to ours.
#[derive(Clone, Copy, Debug)]
pub struct Wall {
    ahead: Ns,
}

impl Wall {
    pub fn here() -> Wall {
        Wall { ahead: ahead(ClockId::CLOCK_REALTIME) }
    }

    pub fn to_monotonic(self, stamp: Ns) -> Ns {
        stamp - self.ahead
    }

    /// Whether the wall clock was set since.
    pub fn stepped(self) -> bool {
        (Wall::here().ahead - self.ahead).abs() > STEP_NS
    }
}

/// From ours to `CLOCK_TAI`, in which etf counts.
pub fn tai_ahead() -> Ns {
    ahead(ClockId::CLOCK_TAI)
}
