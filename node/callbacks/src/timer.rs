//! Timers and rates.

use alloc::boxed::Box;
use alloc::sync::{Arc, Weak};
use core::time::Duration;

use tokkyu_contract::{Class, MonoTime};
use tokkyu_message::Time;
use tokkyu_topic::Doorbell;

use crate::clock::{Clock, TimerId};
use crate::inner::Inner;
use crate::node::Node;
use crate::port::port;
use crate::queue::{Queue, Step, TaskId, Work};
use crate::sync::Mutex;

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

/// A period that the program has set while the timer runs.
#[derive(Clone, Copy, Debug)]
struct NewPeriod {
    nanos: u64,
    /// It is counted from now on; otherwise from the last call.
    is_from_now: bool,
}

struct Timing {
    clock: Arc<Clock>,
    goes: Goes,
    period: u64,
    new_period: Arc<Mutex<Option<NewPeriod>>>,
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
            Goes::Steady => port().now().as_nanos(),
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

    /// Takes a period that was set meanwhile.
    fn take_new_period(&mut self) {
        let new = self.new_period.lock().take();
        let Some(NewPeriod { nanos, is_from_now }) = new else { return };
        let (now, last) = (self.now(), self.event.last_real.as_nanos());
        // It has begun, and is not late already.
        if self.next != 0 && is_from_now {
            self.next = now.saturating_add(nanos);
        } else if self.next != 0 && now < last.saturating_add(self.period) {
            self.next = now.max(last.saturating_add(nanos));
        }
        self.period = nanos;
    }

    /// Simulated time has begun, or was set back.
    fn begin_anew_after_a_jump(&mut self, now: u64) {
        let is_back = self.next > now.saturating_add(self.period.saturating_mul(2));
        if now != 0 && (self.next == 0 || is_back) {
            self.next = now + self.period;
            // The first period is counted from here, as in roscpp.
            self.event.last_expected = time(now);
        }
    }
}

fn time(nanos: u64) -> Time {
    Time::from_nanos(nanos).unwrap_or_default()
}

fn in_nanos(period: Duration) -> u64 {
    u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1)
}

impl Work for Timing {
    fn step(&mut self) -> Step {
        self.take_new_period();
        let now = self.now();
        self.begin_anew_after_a_jump(now);
        if self.is_done || now < self.next || now == 0 {
            return Step::Idle;
        }
        self.event.current_expected = time(self.next);
        self.event.current_real = time(now);
        self.is_done = self.is_once;
        let before = port().now();
        (self.callback)(&self.event);
        self.event.last_duration = port().now().since(before);
        self.event.last_expected = self.event.current_expected;
        self.event.last_real = self.event.current_real;
        self.advance(self.now());
        self.take_new_period();
        Step::Called
    }

    fn due(&self) -> Option<MonoTime> {
        match (self.is_done, self.goes) {
            (true, _) => None,
            (false, Goes::Steady) => Some(MonoTime::from_nanos(self.next)),
            (false, Goes::Clock) => self.clock.mono(self.next),
        }
    }

    fn has_waiting(&mut self) -> bool {
        self.take_new_period();
        let now = self.now();
        !self.is_done && self.next != 0 && self.next <= now
    }

    fn discard(&mut self) {
        if self.has_waiting() {
            self.is_done = self.is_once;
            self.advance(self.now());
        }
    }
}

/// A timer, which runs as long as it lives.
pub struct Timer {
    node: Weak<Inner>,
    queue: Arc<Queue>,
    source: u32,
    /// Of the node's clock, if it goes by that.
    rung: Option<TimerId>,
    new_period: Arc<Mutex<Option<NewPeriod>>>,
    task: TaskId,
}

impl Timer {
    /// Its period from now on, counted from now or from the last call.
    pub fn set_period(&self, period: Duration, is_from_now: bool) {
        let new = NewPeriod { nanos: in_nanos(period), is_from_now };
        *self.new_period.lock() = Some(new);
        // It looks when it is due.
        self.queue.ring(self.source);
    }

    /// Whether its callback is due and waits for a thread.
    pub fn has_waiting(&self) -> bool {
        self.queue.has_waiting_of(self.task)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let (Some(node), Some(rung)) = (self.node.upgrade(), self.rung) {
            node.clock.remove_timer(rung);
        }
        self.queue.remove(self.task);
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
        let period = in_nanos(period);
        let new_period = Arc::new(Mutex::new(None));
        let (event, clock) = (TimerEvent::default(), self.clock.clone());
        let mut timing = Timing {
            clock,
            goes,
            period,
            new_period: new_period.clone(),
            next: 0,
            event,
            is_once,
            is_done: false,
            callback,
        };
        timing.begin_anew_after_a_jump(timing.now());
        let rung = (goes == Goes::Clock).then(|| self.clock.add_timer(queue.clone(), source));
        let task = queue.add(source, Class::BestEffort, Box::new(timing));
        Timer { node: Arc::downgrade(self), queue, source, rung, new_period, task }
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
    port().sleep_until(port().now() + time);
}
