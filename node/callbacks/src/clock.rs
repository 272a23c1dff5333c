//! The time that the node goes by: the wall clock, or a simulation's (`/use_sim_time`, `/clock`).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_graph::Param;
use tokkyu_message::Time;
use tokkyu_topic::Doorbell;

use crate::port::port;
use crate::sync::{Condition, Mutex};

/// The node's clock.
#[derive(Default)]
pub(crate) struct Clock {
    is_simulated: AtomicBool,
    /// Nanoseconds of simulated time; 0: none has come yet.
    simulated: Mutex<u64>,
    moved: (Mutex<()>, Condition),
    /// Timers, which look at the clock when it has moved.
    timers: Mutex<Timers>,
    /// Faces of other languages, which have clocks of their own.
    listeners: Mutex<Vec<Listener>>,
    is_ending: AtomicBool,
}

type Listener = Box<dyn Fn(u64) + Send + Sync>;

/// Each with its queue's bell and its source there. Queues count their sources each for itself, and tasks share them.
#[derive(Default)]
struct Timers {
    timers: Vec<(TimerId, Arc<dyn Doorbell>, u32)>,
    added: u64,
}

/// Which timer of its clock it is. Not used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimerId(u64);

impl Clock {
    /// Now, nanoseconds since 1970. In simulated time 0 until the first time has come.
    pub(crate) fn now_nanos(&self) -> u64 {
        if self.is_simulated() { *self.simulated.lock() } else { port().wall_now().as_nanos() }
    }

    pub(crate) fn now(&self) -> Time {
        Time::from_nanos(self.now_nanos()).unwrap_or_default()
    }

    pub(crate) fn is_simulated(&self) -> bool {
        self.is_simulated.load(Ordering::Acquire)
    }

    /// `/use_sim_time` has that value. Once true, time is simulated as long as the node runs, as in roscpp. True: it is from now on.
    pub(crate) fn on_param(&self, value: &Param) -> bool {
        let begins = *value == Param::Bool(true) && !self.is_simulated.swap(true, Ordering::AcqRel);
        if begins {
            self.tell_listeners();
        }
        begins
    }

    /// Calls `listener` with each simulated time, and at once with the one that there is.
    pub(crate) fn listen(&self, listener: Listener) {
        if self.is_simulated() {
            listener(self.now_nanos());
        }
        self.listeners.lock().push(listener);
    }

    fn tell_listeners(&self) {
        let now = self.now_nanos();
        self.listeners.lock().iter().for_each(|listener| listener(now));
    }

    /// Simulated time has come.
    pub(crate) fn set(&self, time: Time) {
        *self.simulated.lock() = time.as_nanos();
        self.tell_listeners();
        self.tell();
    }

    /// The node ends: nobody waits any longer.
    pub(crate) fn end(&self) {
        self.is_ending.store(true, Ordering::Release);
        self.tell();
    }

    fn tell(&self) {
        drop(self.moved.0.lock());
        self.moved.1.notify_all();
        let timers = self.timers.lock();
        timers.timers.iter().for_each(|(_, bell, source)| bell.ring(*source));
    }

    /// A timer is rung whenever simulated time moves.
    pub(crate) fn add_timer(&self, bell: Arc<dyn Doorbell>, source: u32) -> TimerId {
        let mut timers = self.timers.lock();
        let id = TimerId(timers.added);
        timers.added += 1;
        timers.timers.push((id, bell, source));
        id
    }

    pub(crate) fn remove_timer(&self, id: TimerId) {
        let mut timers = self.timers.lock();
        timers.timers.retain(|(other, ..)| *other != id);
    }

    /// Sleeps until that time of this clock. False: the node ends, or simulated time has gone back to before `from`.
    pub(crate) fn sleep_until_nanos(&self, from: u64, until: u64) -> bool {
        if !self.is_simulated() {
            let left = Duration::from_nanos(until.saturating_sub(self.now_nanos()));
            port().sleep_until(port().now() + left);
            return !self.is_ending.load(Ordering::Acquire);
        }
        let mut moved = self.moved.0.lock();
        loop {
            let now = self.now_nanos();
            if self.is_ending.load(Ordering::Acquire) || (now != 0 && now < from) {
                return false;
            }
            if now >= until {
                return true;
            }
            moved = self.moved.1.wait(moved);
        }
    }

    /// When that time of this clock is on the monotonic one; nothing in simulated time.
    pub(crate) fn mono(&self, nanos: u64) -> Option<MonoTime> {
        let left = || Duration::from_nanos(nanos.saturating_sub(port().wall_now().as_nanos()));
        (!self.is_simulated()).then(|| port().now() + left())
    }
}

#[cfg(test)]
mod tests {
    use tokkyu_topic::Bell;

    use super::*;

    /// Two queues have a source of the same number each, and two timers of one queue may share theirs.
    #[test]
    fn a_timer_that_is_taken_away_leaves_those_of_the_same_source() {
        let clock = Clock::default();
        let [one, other] = [(); 2].map(|()| Arc::new(Bell::new()));
        let first = clock.add_timer(one.clone(), 0);
        clock.add_timer(one.clone(), 0);
        let third = clock.add_timer(other.clone(), 0);
        let rung = || {
            clock.set(Time::from_nanos(1).unwrap());
            [one.answer(), other.answer()]
        };
        assert_eq!(rung(), [1, 1]);
        clock.remove_timer(third);
        assert_eq!(rung(), [1, 0]);
        clock.remove_timer(first);
        assert_eq!(rung(), [1, 0], "the one beside it is rung on");
    }
}
