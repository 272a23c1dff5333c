//! What this peer asks of the machine: real-time priority, locked memory, the clock, signals, and a sudden end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

static STOP: AtomicBool = AtomicBool::new(false);

/// Longest time the main thread does not look for a signal.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What was granted (PEER-23).
#[derive(Clone, Copy, Debug)]
pub struct Grants {
    pub sched_fifo: bool,
    pub mlockall: bool,
}

/// Takes the signals, and asks for real-time priority and locked memory for all threads to come.
pub fn prepare(priority: u8) -> Grants {
    let action = SigAction::new(SigHandler::Handler(on_signal), SaFlags::SA_RESTART, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        // SAFETY: the handler stores to an atomic and does nothing else. A refusal leaves the default: the end.
        let _ = unsafe { sigaction(signal, &action) };
    }
    Grants { mlockall: lock_memory(), sched_fifo: fifo(priority) }
}

extern "C" fn on_signal(_: libc::c_int) {
    STOP.store(true, Ordering::Relaxed);
}

/// Whether a signal asked for the end.
pub fn is_stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Locks what is there and what comes. Not asked for where it would be granted now and fail at the next allocation.
fn lock_memory() -> bool {
    let unlimited = getrlimit(Resource::RLIMIT_MEMLOCK).is_ok_and(|(soft, _)| soft == RLIM_INFINITY);
    let is_root = nix::unistd::geteuid().is_root();
    (unlimited || is_root) && mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE).is_ok()
}

fn fifo(priority: u8) -> bool {
    let parameter = libc::sched_param { sched_priority: i32::from(priority) };
    // SAFETY: the parameter is a valid value for the length of the call; 0 is the calling thread.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameter) == 0 }
}

/// `CLOCK_MONOTONIC`.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap_or(TimeSpec::new(0, 0));
    u64::try_from(now.tv_sec()).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec()).unwrap_or(0)
}

/// Sleeps to `at_ns`, with an absolute time; at once when that is over.
fn sleep_until(at_ns: u64) {
    let seconds = i64::try_from(at_ns / 1_000_000_000).unwrap_or(i64::MAX);
    let at = TimeSpec::new(seconds, (at_ns % 1_000_000_000) as i64);
    // Ended early only by a signal, after which the loop of the caller looks at the clock again.
    let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &at);
}

/// Longest time a thread is awake before its tick.
const EARLIEST_NS: u64 = 150_000;

/// Waits for ticks as exactly as the timer allows, for one thread (PEER-10).
///
/// A timer wakes a thread 5 to 100 µs late; so it is set earlier by what it was late of late, and the rest is waited
/// out awake: the rule of the programs that peers are compared with.
#[derive(Debug)]
pub struct Alarm {
    early_ns: u64,
}

impl Alarm {
    pub fn new() -> Alarm {
        Alarm { early_ns: EARLIEST_NS }
    }

    /// Waits until `at_ns`, or for a signal.
    pub fn wait(&mut self, at_ns: u64) {
        while !is_stopped() {
            let now = now_ns();
            if now >= at_ns {
                return;
            }
            if at_ns - now <= self.early_ns {
                std::hint::spin_loop();
                continue;
            }
            let until = at_ns - self.early_ns;
            sleep_until(until);
            // Before `until` only after a signal, which says nothing of the timer.
            if let Some(late) = now_ns().checked_sub(until) {
                self.on_woken(late);
            }
        }
    }

    /// The timer was `late`: at once as early as that, and less early by little and little.
    fn on_woken(&mut self, late_ns: u64) {
        self.early_ns = match late_ns > self.early_ns {
            true => late_ns.min(EARLIEST_NS),
            false => (self.early_ns * 7 + late_ns) / 8,
        };
    }
}

/// Waits until `at_ns`, until `done`, or for a signal; true for a signal.
pub fn wait_until(at_ns: u64, mut done: impl FnMut() -> bool) -> bool {
    while now_ns() < at_ns && !is_stopped() && !done() {
        thread::sleep(LOOK_EVERY);
    }
    is_stopped()
}

/// Ends the process without waiting for anything.
pub fn exit_at_once(code: i32) -> ! {
    // SAFETY: _exit takes any code and does not return; files were written and closed before.
    unsafe { libc::_exit(code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_that_is_over_is_not_waited_for_and_one_to_come_is() {
        let mut alarm = Alarm::new();
        alarm.wait(0);
        let at = now_ns() + 5_000_000;
        alarm.wait(at);
        assert!(now_ns() >= at);
        let mut turns = 0;
        let stopped = wait_until(u64::MAX, || {
            turns += 1;
            turns == 2
        });
        assert!(!stopped && turns == 2);
    }

    #[test]
    fn an_alarm_is_early_by_what_the_timer_was_late_and_never_by_more_than_its_bound() {
        let mut alarm = Alarm::new();
        (0..60).for_each(|_| alarm.on_woken(5_000));
        assert!((5_000..7_000).contains(&alarm.early_ns), "{alarm:?}");
        for (late_ns, early_ns) in [(80_000, 80_000), (8_000, 71_000), (3_000_000_000, EARLIEST_NS)] {
            alarm.on_woken(late_ns);
            assert_eq!(alarm.early_ns, early_ns);
        }
    }
}
