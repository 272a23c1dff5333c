//! What is asked of the machine: the clock, signals, the scheduling class (LOCAL-22).

use std::io;

use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

use crate::failure::Failure;

/// `CLOCK_MONOTONIC`.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap_or(TimeSpec::new(0, 0));
    u64::try_from(now.tv_sec()).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec()).unwrap_or(0)
}

/// Why a wait was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// It is the time.
    TimeIsUp,
    /// SIGINT or SIGTERM.
    Interrupted,
}

fn awaited() -> SigSet {
    [Signal::SIGINT, Signal::SIGTERM].into_iter().collect()
}

/// Call it before any thread is made, which inherit it: the main thread alone takes signals, and freed memory stays.
///
/// # Errors
/// The kernel's.
pub fn begin() -> Result<(), Failure> {
    keep_freed_memory();
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&awaited()), None)
        .map_err(|error| Failure(format!("signals cannot be blocked: {error}")))
}

/// A buffer of 3 MB that is made afresh would else pay for its pages each time, here as in the programs in C++.
fn keep_freed_memory() {
    // SAFETY: the calls take numbers alone. A refusal leaves the default.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 1 << 30);
    }
}

/// Waits for SIGINT and SIGTERM until an absolute time.
pub fn wait_until(when_ns: u64) -> Woken {
    let signals = awaited();
    loop {
        let left_ns = when_ns.saturating_sub(now_ns());
        let timeout = libc::timespec {
            tv_sec: (left_ns / 1_000_000_000) as libc::time_t,
            tv_nsec: (left_ns % 1_000_000_000) as libc::c_long,
        };
        // SAFETY: both pointers are to live values; no information is asked for.
        let taken = unsafe { libc::sigtimedwait(signals.as_ref(), std::ptr::null_mut(), &timeout) };
        if taken > 0 {
            return Woken::Interrupted;
        }
        // EINTR: the process was stopped and continued; the time may not be up.
        if io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN) {
            return Woken::TimeIsUp;
        }
    }
}

/// Priority 0 leaves scheduling class and memory alone; any other asks for `SCHED_FIFO`, which threads made later
/// inherit, and for locked memory.
///
/// # Errors
/// `SCHED_FIFO` was refused.
pub fn ask_scheduling(priority: u8) -> Result<(), Failure> {
    // An ordinary thread's sleeps end up to 50 us late by default; real-time threads have no such slack.
    // SAFETY: the call takes numbers alone. A refusal leaves the default.
    let _ = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
    if priority == 0 {
        return Ok(());
    }
    let parameter = libc::sched_param { sched_priority: i32::from(priority) };
    // SAFETY: the parameter is a valid value for the length of the call; 0 is the calling thread.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameter) } != 0 {
        let error = io::Error::last_os_error();
        let remedy = "run as root, raise RLIMIT_RTPRIO, or give 0";
        return Err(Failure(format!("--priority {priority}: SCHED_FIFO: {error} ({remedy})")));
    }
    lock_memory();
    Ok(())
}

/// Not asked for where it would be granted now and fail at the next allocation.
fn lock_memory() {
    let is_unlimited = getrlimit(Resource::RLIMIT_MEMLOCK).is_ok_and(|(soft, _)| soft == RLIM_INFINITY);
    if is_unlimited || nix::unistd::geteuid().is_root() {
        let _ = mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_over_is_not_waited_for_and_one_to_come_is() {
        assert_eq!(wait_until(0), Woken::TimeIsUp);
        let at_ns = now_ns() + 3_000_000;
        assert_eq!(wait_until(at_ns), Woken::TimeIsUp);
        assert!(now_ns() >= at_ns);
    }
}
