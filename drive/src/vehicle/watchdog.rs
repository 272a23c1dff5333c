//! Looks whether the motors are given their controls, from a thread of its own. SPEC.md DRV-100 to DRV-103.
//!
//! ```text
//!   thread of commands:  enters the motors ──▶ leaves them, writes down when and in which state
//!   this thread, each 20 ms:  in them for longer than the deadline, or nothing written down for that and 50 ms
//!                             ──▶ second brake pulled, told;   written down again ──▶ let go, told
//! ```
//! It waits for nobody: both sides look at words that the other one writes. What it cannot see is a vehicle whose whole
//! program is held: the second brake should fall by itself then.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_link::carrier::clock;

use super::commands::Report;
use super::given::Given;
use super::motors::Brake;
use crate::program::wiring::make_real_time;
use crate::program::{DriveError, Mail, StopFlag};

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// The watchdog, without its thread.
pub(super) struct Watchdog {
    pub(super) given: Arc<Given>,
    pub(super) deadline: Duration,
    /// Dropped, it stays as it is.
    pub(super) brake: Option<Box<dyn Brake>>,
    is_silent: bool,
}

impl Watchdog {
    pub(super) fn new(given: Arc<Given>, deadline: Duration, brake: Option<Box<dyn Brake>>) -> Watchdog {
        Watchdog { given, deadline, brake, is_silent: false }
    }

    /// One look; whether the motors are silent from now on, if that is news.
    fn look(&mut self, now: MonoTime) -> Option<bool> {
        self.settle(self.given.is_overdue(now, self.deadline))
    }

    /// The last look: a thread that has not given the brake before it ended, or has not ended, gives it no more.
    fn look_at_the_end(&mut self) -> Option<bool> {
        self.settle(!self.given.is_over())
    }

    fn settle(&mut self, is_silent: bool) -> Option<bool> {
        if std::mem::replace(&mut self.is_silent, is_silent) == is_silent {
            return None;
        }
        if let Some(brake) = &mut self.brake {
            if is_silent { brake.pull() } else { brake.release() }
        }
        Some(is_silent)
    }

    /// Starts its thread, at control's real-time priority, which ends with `halt`.
    pub(super) fn start(
        mut self,
        fifo_priority: Option<u8>,
        mail: Mail<Report>,
        halt: StopFlag,
    ) -> Result<JoinHandle<()>, DriveError> {
        let watch = move || {
            mail.post(Report::RealTime(make_real_time("watchdog", fifo_priority)));
            let mut is_last = false;
            while !is_last {
                thread::sleep(LOOK_EVERY);
                let now = clock::now();
                is_last = halt.is_set();
                let news = if is_last { self.look_at_the_end() } else { self.look(now) };
                if let Some(is_silent) = news {
                    mail.post(Report::Motors { at: now, is_silent });
                }
            }
        };
        thread::Builder::new().name("watchdog".into()).spawn(watch).map_err(DriveError::Thread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::safety::State;
    use std::sync::atomic::{AtomicI32, Ordering};

    const DEADLINE: Duration = Duration::from_millis(100);

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(ms)
    }

    /// Counts: pulled once more than let go.
    struct Counting(Arc<AtomicI32>);

    impl Brake for Counting {
        fn pull(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }

        fn release(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn watchdog() -> (Watchdog, Arc<Given>, Arc<AtomicI32>) {
        let (given, pulled) = (Arc::new(Given::new(at(1_000), State::Locked)), Arc::new(AtomicI32::new(0)));
        let brake: Box<dyn Brake> = Box::new(Counting(pulled.clone()));
        (Watchdog::new(given.clone(), DEADLINE, Some(brake)), given, pulled)
    }

    #[test]
    fn motors_that_hold_their_thread_for_longer_than_the_deadline_are_braked_until_they_are_given_something()
    {
        let (mut watchdog, given, pulled) = watchdog();
        given.enter(at(1_040));
        assert_eq!((watchdog.look(at(1_140)), pulled.load(Ordering::Relaxed)), (None, 0));
        assert_eq!((watchdog.look(at(1_141)), pulled.load(Ordering::Relaxed)), (Some(true), 1));
        assert_eq!((watchdog.look(at(1_900)), pulled.load(Ordering::Relaxed)), (None, 1), "told once");
        given.leave(at(1_950), State::Stopping);
        assert_eq!((watchdog.look(at(1_960)), pulled.load(Ordering::Relaxed)), (Some(false), 0));
        assert_eq!(given.last().1, State::Stopping);
    }

    #[test]
    fn a_thread_that_does_not_come_to_the_motors_any_more_is_braked_too() {
        let (mut watchdog, given, pulled) = watchdog();
        given.enter(at(1_000));
        given.leave(at(1_000), State::Driving);
        assert_eq!(watchdog.look(at(1_150)), None);
        assert_eq!((watchdog.look(at(1_151)), pulled.load(Ordering::Relaxed)), (Some(true), 1));
        given.end();
        assert_eq!(watchdog.look(at(9_000)), Some(false), "one that ends has given the brake");
    }

    #[test]
    fn a_thread_that_ends_without_giving_the_brake_is_braked_however_soon_the_program_ends() {
        let (mut watchdog, given, pulled) = watchdog();
        given.leave(at(1_000), State::Driving);
        assert_eq!((watchdog.look(at(1_010)), watchdog.look_at_the_end()), (None, Some(true)));
        assert_eq!(pulled.load(Ordering::Relaxed), 1);
        given.end();
        assert_eq!(super::Watchdog::new(given, DEADLINE, None).look_at_the_end(), None);
    }

    #[test]
    fn a_watchdog_that_ends_does_not_let_go() {
        let (mut watchdog, _, pulled) = watchdog();
        assert_eq!(watchdog.look(at(2_000)), Some(true));
        drop(watchdog);
        assert_eq!(pulled.load(Ordering::Relaxed), 1);
    }
}
