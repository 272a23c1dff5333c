//! What is asked of the machine: the clock, signals, the scheduling class (LOCAL-22).

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, SigmaskHow, Signal, sigaction, sigprocmask};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

/// Tells the receiving process to end. SIGINT and SIGTERM, which a terminal sends to both, it takes no notice of.
pub const END_SIGNAL: Signal = Signal::SIGUSR1;

static TOLD_TO_END: AtomicBool = AtomicBool::new(false);

/// `CLOCK_MONOTONIC`.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap_or(TimeSpec::new(0, 0));
    u64::try_from(now.tv_sec()).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec()).unwrap_or(0)
}

/// Why a wait was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    TimeIsUp,
    Interrupted,
    ChildEnded,
}

fn awaited() -> SigSet {
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGCHLD].into_iter().collect()
}

/// Call it before the second process is made. Blocks what `wait_until` takes, and `END_SIGNAL`, which is let in by
/// `let_end_signal_in` alone: what iceoryx2 does before that takes an interruption for an error.
///
/// # Errors
/// The kernel's.
pub fn prepare_signals() -> io::Result<()> {
    let mut blocked = awaited();
    blocked.add(END_SIGNAL);
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&blocked), None)?;
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // Without SA_RESTART, so that the call that waits returns.
    let end = SigAction::new(SigHandler::Handler(on_end_signal), SaFlags::empty(), SigSet::empty());
    // SAFETY: the handler stores to an atomic and does nothing else. SIGCHLD gets none: whoever started this program
    // may have had it ignored.
    unsafe {
        sigaction(Signal::SIGCHLD, &default)?;
        sigaction(END_SIGNAL, &end)?;
    }
    Ok(())
}

extern "C" fn on_end_signal(_: libc::c_int) {
    TOLD_TO_END.store(true, Ordering::Relaxed);
}

/// From now on `END_SIGNAL` interrupts the wait for a message.
///
/// # Errors
/// The kernel's.
pub fn let_end_signal_in() -> io::Result<()> {
    Ok(sigprocmask(SigmaskHow::SIG_UNBLOCK, Some(&SigSet::from(END_SIGNAL)), None)?)
}

/// Whether `END_SIGNAL` came, let in or not.
pub fn is_told_to_end() -> bool {
    TOLD_TO_END.load(Ordering::Relaxed) || is_end_signal_pending()
}

fn is_end_signal_pending() -> bool {
    let mut pending = SigSet::empty().as_ref().to_owned();
    // SAFETY: the set is a live value, which the call fills.
    unsafe {
        libc::sigpending(&raw mut pending) == 0
            && libc::sigismember(&raw const pending, END_SIGNAL as i32) == 1
    }
}

/// Waits for SIGINT, SIGTERM and the end of a process made here, until an absolute time.
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
            return if taken == libc::SIGCHLD { Woken::ChildEnded } else { Woken::Interrupted };
        }
        // EINTR: the process was stopped and continued; the time may not be up.
        if io::Error::last_os_error().raw_os_error() == Some(libc::EAGAIN) {
            return Woken::TimeIsUp;
        }
    }
}

/// Priority 0 leaves scheduling class and memory alone; any other asks for `SCHED_FIFO`, which processes made later
/// inherit, and for locked memory, which they do not: each process asks for itself.
///
/// # Errors
/// `SCHED_FIFO` was refused.
pub fn ask_scheduling(priority: u8) -> io::Result<()> {
    // An ordinary thread's sleeps end up to 50 us late by default; real-time threads have no such slack.
    // SAFETY: the call takes numbers alone. A refusal leaves the default.
    let _ = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
    if priority == 0 {
        return Ok(());
    }
    let parameter = libc::sched_param { sched_priority: i32::from(priority) };
    // SAFETY: the parameter is a valid value for the length of the call; 0 is the calling thread.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameter) } != 0 {
        return Err(io::Error::last_os_error());
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
