//! What is asked of the machine: the clock, signals, the scheduling class (LOCAL-22).

use std::io;

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use nix::unistd::{Pid, gettid};

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

/// While it lives the end that publishes and the one that receives are apart (LOCAL-26): whether they share a processor,
/// and which of two wakes which, is else decided when the program starts, stays so while it runs, and changes a latency
/// by half. Does nothing with one processor.
#[derive(Debug)]
pub struct Apart {
    all: CpuSet,
}

impl Apart {
    /// The calling thread has the first processor, the process's other threads have the others.
    ///
    /// # Errors
    /// The kernel's.
    pub fn publishing() -> Result<Apart, Failure> {
        Apart::begin(gettid()).map_err(|error| Failure(format!("processors of the run's threads: {error}")))
    }

    fn begin(publishing: Pid) -> io::Result<Apart> {
        let all = sched_getaffinity(Pid::from_raw(0))?;
        let apart = Apart { all };
        let mut usable = (0..CpuSet::count()).filter(|&at| all.is_set(at).unwrap_or(false));
        if let (Some(at), Some(_)) = (usable.next(), usable.next()) {
            let (mut first, mut others) = (CpuSet::new(), all);
            first.set(at)?;
            others.unset(at)?;
            place_threads(|thread| if thread == publishing { first } else { others })?;
        }
        Ok(apart)
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        // Refused, they may use fewer than before, and the run is over.
        let _ = place_threads(|_| self.all);
    }
}

/// The threads that the process has now.
fn place_threads(choose: impl Fn(Pid) -> CpuSet) -> io::Result<()> {
    for entry in std::fs::read_dir("/proc/self/task")? {
        let name = entry?.file_name();
        let Some(thread) = name.to_str().and_then(|name| name.parse().ok()).map(Pid::from_raw) else {
            continue;
        };
        match sched_setaffinity(thread, &choose(thread)) {
            // ESRCH: it has ended meanwhile.
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => return Err(error.into()),
        }
    }
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
    fn who_publishes_has_a_processor_and_the_others_the_rest() {
        let allowed = |thread| {
            let set = sched_getaffinity(thread).unwrap();
            (0..CpuSet::count()).filter(|&at| set.is_set(at).unwrap()).collect::<Vec<_>>()
        };
        let all = allowed(gettid());
        let (told, hear) = std::sync::mpsc::channel();
        let (go, goes) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || {
            told.send(gettid()).unwrap();
            goes.recv()
        });
        let thread = hear.recv().unwrap();
        let ((publisher, rest), after) = std::thread::spawn(move || {
            let apart = Apart::publishing().unwrap();
            let found = (allowed(gettid()), allowed(thread));
            drop(apart);
            (found, (allowed(gettid()), allowed(thread)))
        })
        .join()
        .unwrap();
        drop(go);
        assert!(other.join().unwrap().is_err());
        if let [first, others @ ..] = &all[..]
            && !others.is_empty()
        {
            assert_eq!((publisher, rest), (vec![*first], others.to_vec()));
        }
        assert_eq!(after, (all.clone(), all));
    }

    #[test]
    fn a_time_that_is_over_is_not_waited_for_and_one_to_come_is() {
        assert_eq!(wait_until(0), Woken::TimeIsUp);
        let at_ns = now_ns() + 3_000_000;
        assert_eq!(wait_until(at_ns), Woken::TimeIsUp);
        assert!(now_ns() >= at_ns);
    }
}
