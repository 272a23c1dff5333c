//! Callbacks that wait for a thread, by class (SPEC, section 6).
//!
//! ```text
//!  rings of samples ─► bell ─► leader: marks tasks pending, sleeps when none is ─┐
//!                                                                               ├─► the most important pending task ─► its callback
//!  other threads of the same queue: take what is pending, or wait to lead ──────┘       taken out while it runs, no lock held
//! ```
//!
//! Between waking and the callback there is one lock, and little memory is looked at: a processor that has slept has none of it in its caches.

mod tasks;
mod work;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokkyu_contract::{Class, MonoTime};
use tokkyu_topic::{Doorbell, Near, SOURCES};

use crate::bell::QueueBell;
use crate::port::{Receipt, port};
use crate::sync::{Condition, Mutex, MutexGuard};

pub(crate) use tasks::TaskId;
use tasks::{Back, Picked, Tasks};
pub(crate) use work::{Step, Work};

/// Whether what comes next is asked for before it is needed (NODE-24). On a board it is not: nothing there was measured to gain by it, and asking
/// takes instructions.
pub(crate) const ASKS: bool = !cfg!(target_os = "none");

/// Callbacks and the threads that call them. What a thread that wakes looks at comes first, on two cache lines.
#[repr(C)]
pub(crate) struct Queue {
    bell: QueueBell,
    state: Mutex<State>,
    is_stopped: AtomicBool,
    /// How often those who wait were called off.
    wakes: AtomicU32,
    /// Told when nobody leads any more, if somebody waits for that.
    leaderless: Condition,
    /// Told when a task has ended that was removed while it ran.
    ended: Condition,
    next_source: AtomicU32,
}

#[derive(Default)]
struct State {
    tasks: Tasks,
    /// Threads that wait to lead.
    waiting: u32,
    /// Whether one thread sleeps for all that wait.
    is_led: bool,
}

impl Queue {
    pub(crate) fn new() -> Arc<Queue> {
        Arc::new(Queue {
            bell: QueueBell::default(),
            state: Mutex::default(),
            is_stopped: AtomicBool::new(false),
            wakes: AtomicU32::new(0),
            leaderless: Condition::new(),
            ended: Condition::new(),
            next_source: AtomicU32::new(0),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No callback is called with it locked.
        self.state.lock()
    }

    /// What other processes ring it by.
    pub(crate) fn bell_name(&self) -> Result<&str, String> {
        self.bell.name()
    }

    /// Where a link of a reliable subscription to another process says what it has taken.
    pub(crate) fn receipt(&self) -> Result<Box<dyn Receipt>, String> {
        self.bell.receipt()
    }

    /// A source for a task that will be added: what it rings by. Tasks share them when there are more than a bell has.
    pub(crate) fn source(&self) -> u32 {
        self.next_source.fetch_add(1, Ordering::Relaxed) % SOURCES
    }

    /// One task more. It is looked at once at least.
    pub(crate) fn add(&self, source: u32, class: Class, work: Box<dyn Work>) -> TaskId {
        let id = self.lock().tasks.add(source, class, work);
        self.bell.ring(source);
        id
    }

    /// Takes a task away. Afterwards none of its callbacks runs, unless this is called from within it.
    pub(crate) fn remove(&self, task: TaskId) {
        let me = port().me();
        let mut state = self.lock();
        let work = state.tasks.remove(task);
        while state.tasks.is_with_another(task, me) {
            state = self.ended.wait(state);
        }
        drop(state);
        // Whatever the callback owns ends here, with no lock held.
        drop(work);
    }

    /// Ends all waiting, now and later.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
        self.call_off();
    }

    /// It is of a node that runs, also if one that has ended had it before.
    pub(crate) fn begin(&self) {
        self.is_stopped.store(false, Ordering::Release);
    }

    /// Whether a callback waits for a thread.
    pub(crate) fn has_waiting(&self) -> bool {
        let tasks = self.lock().tasks.ids();
        tasks.into_iter().any(|task| self.has_waiting_of(task))
    }

    /// Whether a callback of this task waits. One that runs does not.
    pub(crate) fn has_waiting_of(&self, task: TaskId) -> bool {
        self.claim(task).is_some_and(|mut running| running.work().is_some_and(|work| work.has_waiting()))
    }

    /// Forgets the callbacks that wait.
    pub(crate) fn discard(&self) {
        let tasks = self.lock().tasks.ids();
        for task in tasks {
            let mut running = self.claim(task);
            running.iter_mut().filter_map(Running::work).for_each(|work| work.discard());
        }
    }

    /// Not with the lock: what ends while this has it may be the program's.
    fn claim(&self, task: TaskId) -> Option<Running<'_>> {
        let picked = self.lock().tasks.claim(task, port().me());
        picked.map(|picked| Running::new(self, picked))
    }

    /// Those who wait for a callback wait no longer: their `call_one` says that there was none.
    /// A `spin_once` ends after the callback that it is in.
    pub(crate) fn wake(&self) {
        self.wakes.fetch_add(1, Ordering::AcqRel);
        self.call_off();
    }

    /// How often it was woken: [`Queue::call_one`] does not wait if it was since.
    pub(crate) fn wakes(&self) -> u32 {
        self.wakes.load(Ordering::Acquire)
    }

    /// All who wait look at what was said before. One by one they could not: the first to look may wait again, and leads, before the next has looked.
    fn call_off(&self) {
        // Whoever looked too early waits by now, and is told.
        drop(self.lock());
        self.leaderless.notify_all();
        self.bell.ring(0);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// Calls callbacks until [`Queue::stop`].
    pub(crate) fn spin(&self) {
        while !self.is_stopped() {
            self.call_one(None, self.wakes());
        }
    }

    /// Calls the callbacks that are due now, each task's once for each sample that it may have waiting.
    pub(crate) fn spin_once(&self) {
        let mut left = 1024 * self.lock().tasks.len().max(1);
        let (now, wakes) = (port().now(), self.wakes());
        while left > 0 && self.call_one(Some(now), wakes) && self.wakes() == wakes {
            left -= 1;
        }
    }

    /// Waits until that time for a callback, and calls it. False: there was none, or the queue is stopped, or it was woken since it had been so
    /// often: who waits unless something is so asks for that number first, then looks whether it is so, and tells with [`Queue::wake`].
    pub(crate) fn call_one(&self, until: Option<MonoTime>, wakes: u32) -> bool {
        while let Some(picked) = self.next(until, wakes) {
            if Running::new(self, picked).step() {
                return true;
            }
        }
        false
    }

    /// Waits until that time for a pending task, or until somebody calls off.
    fn next(&self, until: Option<MonoTime>, wakes: u32) -> Option<Picked> {
        let me = port().me();
        let is_over = |until: MonoTime| until <= port().now();
        let mut state = self.lock();
        let picked = loop {
            if self.is_stopped() {
                break None;
            }
            // Who leads does so for all. First, as a task that always has more would else be the only one that is ever pending.
            if !state.is_led {
                state.tasks.mark(self.bell.answer(), || port().now());
            }
            if let Some(picked) = state.tasks.pick(me) {
                break Some(picked);
            }
            // After the answer, as who calls off rings after it has said so.
            if self.is_stopped() || self.wakes() != wakes || until.is_some_and(is_over) {
                break None;
            }
            state = if state.is_led { self.wait_to_lead(state, until) } else { self.lead(state, until) };
        };
        self.leave(state);
        picked
    }

    /// Sleeps for all that wait, until there is something to mark.
    fn lead<'q>(
        &'q self,
        mut state: MutexGuard<'q, State>,
        until: Option<MonoTime>,
    ) -> MutexGuard<'q, State> {
        state.is_led = true;
        let due = state.tasks.next_due();
        let near = ASKS.then(|| self.near(&state));
        drop(state);
        self.bell.sleep(until.into_iter().chain(due).min());
        near.iter().for_each(Near::ask);
        let mut state = self.lock();
        state.is_led = false;
        state
    }

    /// What a thread looks at between waking and a callback, most likely that of the task that ran last.
    fn near(&self, state: &State) -> Near {
        let mut near = Near::default();
        near.add_to_write(self);
        state.tasks.add_to(&mut near);
        near
    }

    fn wait_to_lead<'q>(
        &self,
        mut state: MutexGuard<'q, State>,
        until: Option<MonoTime>,
    ) -> MutexGuard<'q, State> {
        state.waiting += 1;
        let mut state = self.leaderless.wait_until(state, until);
        state.waiting -= 1;
        state
    }

    /// Whoever goes while nobody leads leaves that to one that waits: also what is pending beside what it took, and the end of all waiting.
    fn leave(&self, state: MutexGuard<'_, State>) {
        let is_awaited = !state.is_led && state.waiting > 0;
        drop(state);
        // Each time would be a call of the system before each callback.
        if is_awaited {
            self.leaderless.notify_one();
        }
    }
}

impl Doorbell for Queue {
    fn ring(&self, source: u32) {
        self.bell.ring(source);
    }

    fn add_to(&self, near: &mut Near) {
        near.add_bytes(<Queue as Doorbell>::ring as *const u8, RING_BYTES);
        self.bell.add_to(near);
    }
}

/// Instructions of a ring: about so many, whatever the compiler makes of them.
const RING_BYTES: usize = 192;

/// A task in the hands of this thread, with no lock held. Put back also when its callback panics.
struct Running<'q> {
    queue: &'q Queue,
    picked: Option<Picked>,
    has_more: bool,
}

impl<'q> Running<'q> {
    fn new(queue: &'q Queue, picked: Picked) -> Running<'q> {
        Running { queue, picked: Some(picked), has_more: false }
    }

    fn work(&mut self) -> Option<&mut dyn Work> {
        self.picked.as_mut().map(|picked| &mut *picked.work as &mut dyn Work)
    }

    /// True: something was called.
    fn step(mut self) -> bool {
        let step = self.work().map_or(Step::Idle, |work| work.step());
        self.has_more = step == Step::More;
        step != Step::Idle
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let Some(picked) = self.picked.take() else { return };
        let (source, due) = (picked.source, picked.work.due());
        let mut state = self.queue.lock();
        let back = state.tasks.put_back(picked, due, self.has_more);
        let is_led = state.is_led;
        drop(state);
        match back {
            Back::Waiting => {
                // Who sleeps does not know when it is due now.
                if is_led && due.is_some() {
                    self.queue.bell.ring(source);
                }
            }
            // Who sleeps has passed it over, and this thread may not come back.
            Back::Pending if is_led => self.queue.bell.ring(source),
            Back::Pending => {}
            Back::Removed(_work) => self.queue.ended.notify_all(),
        }
    }
}

#[cfg(test)]
mod tests;
