//! Timers and rates.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokkyu_contract::{Class, MonoTime};
use tokkyu_message::Time;

use crate::clock::Clock;
use crate::node::{Inner, Node};
use crate::posix::{mono_now, sleep_until};
use crate::queue::{Queue, Step, Task, Work};

/// What a timer's callback is told. Times are those of the node's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimerEvent {
    /// When the call before this one should have been.
    pub last_expected: Time,
    /// When it was.
    pub last_real: Time,
    /// When this one should have been.
    pub current_expected: Time,
    /// When it is.
    pub current_real: Time,
    /// How long the callback before this one took.
    pub last_duration: Duration,
}

/// Which time a timer goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goes {
    /// The node's clock: wall or simulated.
    Clock,
    /// The monotonic clock, simulated time or not.
    Steady,
}

struct Timing {
    clock: Arc<Clock>,
    goes: Goes,
    period: u64,
    /// When it is due, in nanoseconds of its time; 0: that has not begun yet.
    next: u64,
    event: TimerEvent,
    is_once: bool,
    is_done: bool,
    callback: Box<dyn FnMut(&TimerEvent) + Send>,
}

impl Timing {
    fn now(&self) -> u64 {
        match self.goes {
            Goes::Clock => self.clock.now_nanos(),
            Goes::Steady => mono_now().as_nanos(),
        }
    }

    /// The next time after now on the grid of periods: what was missed is left out, as in roscpp when time jumps.
    fn advance(&mut self, now: u64) {
        self.next += self.period;
        if self.next <= now {
            let behind = (now - self.next) / self.period.max(1) + 1;
            // One call late is made up for; more is not.
            self.next = if behind > 1 { now + self.period } else { self.next };
        }
    }

    /// Simulated time has begun, or was set back.
    fn begin_anew_after_a_jump(&mut self, now: u64) {
        let is_back = self.next > now.saturating_add(self.period.saturating_mul(2));
        if now != 0 && (self.next == 0 || is_back) {
            self.next = now + self.period;
        }
    }
}

impl Work for Timing {
    fn step(&mut self) -> Step {
        let now = self.now();
        self.begin_anew_after_a_jump(now);
        if self.is_done || now < self.next || now == 0 {
            return Step::Idle;
        }
        let time = |nanos| Time::from_nanos(nanos).unwrap_or_default();
        self.event.current_expected = time(self.next);
        self.event.current_real = time(now);
        self.is_done = self.is_once;
        let before = mono_now();
        (self.callback)(&self.event);
        self.event.last_duration = mono_now().since(before);
        self.event.last_expected = self.event.current_expected;
        self.event.last_real = self.event.current_real;
        self.advance(self.now());
        Step::Called
    }

    fn due(&self) -> Option<MonoTime> {
        match (self.is_done, self.goes) {
            (true, _) => None,
            (false, Goes::Steady) => Some(MonoTime::from_nanos(self.next)),
            (false, Goes::Clock) => self.clock.mono(self.next),
        }
    }
}

/// A timer, which runs as long as it lives.
pub struct Timer {
    node: Weak<Inner>,
    queue: Arc<Queue>,
    source: u32,
    task: Arc<Task>,
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(node) = self.node.upgrade() {
            node.clock.remove_timer(self.source);
        }
        self.queue.remove(&self.task);
    }
}

impl Inner {
    fn add_timer(
        self: &Arc<Self>,
        queue: &Arc<Queue>,
        goes: Goes,
        period: Duration,
        is_once: bool,
        callback: Box<dyn FnMut(&TimerEvent) + Send>,
    ) -> Timer {
        let queue = queue.clone();
        let source = queue.source();
        let period = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1);
        let (event, clock) = (TimerEvent::default(), self.clock.clone());
        let mut timing = Timing { clock, goes, period, next: 0, event, is_once, is_done: false, callback };
        timing.begin_anew_after_a_jump(timing.now());
        if goes == Goes::Clock {
            self.clock.add_timer(queue.clone(), source);
        }
        let task = queue.add(source, Class::BestEffort, Box::new(timing));
        Timer { node: Arc::downgrade(self), queue, source, task }
    }
}

impl Node {
    /// Calls `callback` every `period` of the node's clock, from the threads that spin.
    #[must_use]
    pub fn timer(&self, period: Duration, callback: impl FnMut(&TimerEvent) + Send + 'static) -> Timer {
        self.inner.add_timer(&self.queue, Goes::Clock, period, false, Box::new(callback))
    }

    /// Calls `callback` once, when `time` of the node's clock is over.
    #[must_use]
    pub fn timer_once(&self, time: Duration, callback: impl FnMut(&TimerEvent) + Send + 'static) -> Timer {
        self.inner.add_timer(&self.queue, Goes::Clock, time, true, Box::new(callback))
    }

    /// The same as [`Node::timer`] by the monotonic clock, whatever simulation says.
    #[must_use]
    pub fn steady_timer(
        &self,
        period: Duration,
        callback: impl FnMut(&TimerEvent) + Send + 'static,
    ) -> Timer {
        self.inner.add_timer(&self.queue, Goes::Steady, period, false, Box::new(callback))
    }

    /// Any of these.
    #[must_use]
    pub fn any_timer(
        &self,
        is_steady: bool,
        is_once: bool,
        period: Duration,
        callback: impl FnMut(&TimerEvent) + Send + 'static,
    ) -> Timer {
        let goes = if is_steady { Goes::Steady } else { Goes::Clock };
        self.inner.add_timer(&self.queue, goes, period, is_once, Box::new(callback))
    }

    /// Now, by the node's clock: wall or simulated.
    pub fn now(&self) -> Time {
        self.inner.clock.now()
    }

    /// Sleeps so long by the node's clock. False: the node has ended meanwhile, or simulated time went back.
    pub fn sleep(&self, time: Duration) -> bool {
        let from = self.inner.clock.now_nanos();
        let until = from.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        self.inner.clock.sleep_until_nanos(from, until)
    }

    /// A loop of that frequency by the node's clock, in Hz.
    ///
    /// # Panics
    ///
    /// The frequency is not a number above 0.
    pub fn rate(&self, hertz: f64) -> Rate {
        assert!(hertz > 0.0 && hertz.is_finite(), "a rate is above 0 Hz, not {hertz}");
        let start = self.inner.clock.now_nanos();
        Rate { clock: self.inner.clock.clone(), period: (1e9 / hertz) as u64, start }
    }
}

/// Helps a loop to run at a frequency.
pub struct Rate {
    clock: Arc<Clock>,
    /// Nanoseconds.
    period: u64,
    /// When this cycle began.
    start: u64,
}

impl Rate {
    /// Sleeps until the cycle is over. False: it was over already, or the node has ended.
    pub fn sleep(&mut self) -> bool {
        let expected = self.start.saturating_add(self.period);
        let now = self.clock.now_nanos();
        // Time went back: the cycle begins here.
        let expected = if now < self.start { now + self.period } else { expected };
        self.start = expected;
        if now >= expected {
            // More than a cycle late: begin anew, do not hurry after it.
            if now > expected + self.period {
                self.start = now;
            }
            return false;
        }
        self.clock.sleep_until_nanos(now, expected)
    }
}

/// Sleeps by the monotonic clock, signals or not.
pub fn sleep_steady(time: Duration) {
    sleep_until(mono_now() + time);
}
