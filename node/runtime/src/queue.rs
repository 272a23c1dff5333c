//! Callbacks that wait for a thread, by class (SPEC, section 6).
//!
//! ```text
//!  rings of samples ─► bell ─► leader: marks tasks pending, sleeps when none is ─┐
//!                                                                               ├─► the most important pending task ─► its callback
//!  other threads of the same queue: take what is pending, or wait to lead ──────┘       taken out while it runs, no lock held
//! ```

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use tokkyu_contract::{Class, MonoTime};
use tokkyu_topic::{Doorbell, SOURCES};

use crate::posix::process::{ProcessError, Receipt};
use crate::posix::{QueueBell, left, mono_now};

/// No time of the clock.
const NEVER: u64 = u64::MAX;

/// What a task says after one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// There was nothing to do.
    Idle,
    /// A callback was called, and there is nothing left to do until its bell rings or its time comes.
    Called,
    /// A callback was called, and there is more.
    More,
}

/// Something with callbacks.
pub(crate) trait Work: Send {
    /// Calls one callback at most.
    fn step(&mut self) -> Step;

    /// When there is something to do without anybody's ringing.
    fn due(&self) -> Option<MonoTime> {
        None
    }

    /// Whether `step` would call a callback now.
    fn has_waiting(&mut self) -> bool;

    /// Forgets what waits now, uncalled.
    fn discard(&mut self);
}

/// One task of a queue: a subscription, a timer, a service.
pub(crate) struct Task {
    source: u32,
    class: Class,
    is_pending: AtomicBool,
    /// When it is pending by itself, nanoseconds of the monotonic clock, or [`NEVER`].
    due: AtomicU64,
    state: Mutex<State>,
    /// Told when a step is over whose task was removed meanwhile.
    stepped: Condvar,
}

impl Task {
    /// Whether a callback of it waits. One that runs does not.
    pub(crate) fn has_waiting(&self) -> bool {
        lock(&self.state).work.as_mut().is_some_and(|work| work.has_waiting())
    }
}

struct State {
    /// Nothing while it runs, and once it is removed.
    work: Option<Box<dyn Work>>,
    running: Option<ThreadId>,
    is_removed: bool,
}

/// Callbacks and the threads that call them.
pub(crate) struct Queue {
    bell: QueueBell,
    tasks: Mutex<Vec<Arc<Task>>>,
    next_source: AtomicU32,
    lead: Mutex<Lead>,
    /// Told when nobody leads any more, if somebody waits for that.
    leaderless: Condvar,
    is_stopped: AtomicBool,
    /// How often those who wait were called off.
    wakes: AtomicU32,
    /// Where the last look for something pending began, so that tasks of one class take turns.
    turn: AtomicU32,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A callback that panicked has not changed what is locked here.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Queue {
    pub(crate) fn new() -> Arc<Queue> {
        Arc::new(Queue {
            bell: QueueBell::default(),
            tasks: Mutex::default(),
            next_source: AtomicU32::new(0),
            lead: Mutex::default(),
            leaderless: Condvar::new(),
            is_stopped: AtomicBool::new(false),
            wakes: AtomicU32::new(0),
            turn: AtomicU32::new(0),
        })
    }

    /// What other processes ring it by.
    pub(crate) fn bell_name(&self) -> Result<&str, ProcessError> {
        self.bell.name()
    }

    /// Where a link of a reliable subscription to another process says what it has taken.
    pub(crate) fn receipt(&self) -> Result<Receipt, ProcessError> {
        self.bell.receipt()
    }

    /// A source for a task that will be added: what it rings by. Tasks share them when there are more than a bell has.
    pub(crate) fn source(&self) -> u32 {
        self.next_source.fetch_add(1, Ordering::Relaxed) % SOURCES
    }

    /// One task more. It is looked at once at least.
    pub(crate) fn add(&self, source: u32, class: Class, work: Box<dyn Work>) -> Arc<Task> {
        let due = AtomicU64::new(nanos(work.due()));
        let state = State { work: Some(work), running: None, is_removed: false };
        let task = Arc::new(Task {
            source,
            class,
            is_pending: AtomicBool::new(true),
            due,
            state: Mutex::new(state),
            stepped: Condvar::new(),
        });
        let mut tasks = lock(&self.tasks);
        let at = tasks.partition_point(|other| other.class <= class);
        tasks.insert(at, task.clone());
        drop(tasks);
        self.bell.ring(source);
        task
    }

    /// Takes a task away. Afterwards none of its callbacks runs, unless this is called from within it.
    pub(crate) fn remove(&self, task: &Arc<Task>) {
        lock(&self.tasks).retain(|other| !Arc::ptr_eq(other, task));
        let mut state = lock(&task.state);
        state.is_removed = true;
        let work = state.work.take();
        while state.running.is_some_and(|thread| thread != std::thread::current().id()) {
            state = task.stepped.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        // Whatever the callback owns ends here, with no lock held.
        drop(work);
    }

    /// Ends all waiting, now and later.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
        self.bell.ring(0);
    }

    /// It is of a node that runs, also if one that has ended had it before.
    pub(crate) fn begin(&self) {
        self.is_stopped.store(false, Ordering::Release);
    }

    /// Whether a callback waits for a thread.
    pub(crate) fn has_waiting(&self) -> bool {
        lock(&self.tasks).iter().any(|task| task.has_waiting())
    }

    /// Forgets the callbacks that wait.
    pub(crate) fn discard(&self) {
        let tasks = lock(&self.tasks).clone();
        for task in tasks {
            // Not with the lock of its state: what ends here may be the program's.
            let mut state = lock(&task.state);
            let Some(work) = state.work.take() else { continue };
            state.running = Some(std::thread::current().id());
            drop(state);
            let mut running = Running { queue: self, task: &task, work: Some(work) };
            running.work.iter_mut().for_each(|work| work.discard());
        }
    }

    /// Those who wait for a callback wait no longer: their `call_one` says that there was none.
    /// A `spin_once` ends after the callback that it is in.
    pub(crate) fn wake(&self) {
        self.wakes.fetch_add(1, Ordering::AcqRel);
        self.bell.ring(0);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// Calls callbacks until [`Queue::stop`].
    pub(crate) fn spin(&self) {
        while self.call_one(None) {}
        // The next thread that sleeps.
        self.bell.ring(0);
    }

    /// Calls the callbacks that are due now, each task's once for each sample that it may have waiting.
    pub(crate) fn spin_once(&self) {
        let mut left = 1024 * lock(&self.tasks).len().max(1);
        let (now, wakes) = (mono_now(), self.wakes.load(Ordering::Acquire));
        while left > 0 && self.call_one(Some(now)) && self.wakes.load(Ordering::Acquire) == wakes {
            left -= 1;
        }
    }

    /// Waits until that time for a callback, and calls it. False: there was none, or the queue is stopped.
    pub(crate) fn call_one(&self, until: Option<MonoTime>) -> bool {
        let wakes = self.wakes.load(Ordering::Acquire);
        while !self.is_stopped() {
            if let Some((task, work)) = self.pick() {
                if self.run(&task, work) {
                    return true;
                }
                continue;
            }
            let Some(leading) = self.lead(until) else { return false };
            if self.mark_pending() {
                continue;
            }
            let is_called_off = self.wakes.load(Ordering::Acquire) != wakes;
            if is_called_off || until.is_some_and(|until| until <= mono_now()) {
                return false;
            }
            let due = self.next_due();
            if !self.is_stopped() {
                self.bell.sleep(until.into_iter().chain(due).min());
            }
            self.mark_pending();
            drop(leading);
        }
        false
    }

    /// Waits until that time for nobody to lead. Nothing: somebody still does.
    fn lead(&self, until: Option<MonoTime>) -> Option<Leading<'_>> {
        let mut lead = lock(&self.lead);
        lead.waiting += 1;
        while lead.is_led && until.is_none_or(|until| mono_now() < until) {
            lead = match until.map(left) {
                None => self.leaderless.wait(lead).unwrap_or_else(PoisonError::into_inner),
                Some(left) => {
                    self.leaderless.wait_timeout(lead, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        lead.waiting -= 1;
        let is_free = !std::mem::replace(&mut lead.is_led, true);
        drop(lead);
        is_free.then(|| Leading(self))
    }

    /// Those whose source rang, or whose time has come. Only the leader.
    fn mark_pending(&self) -> bool {
        let rang = self.bell.answer();
        // Most queues have no timer: the clock is not read for nothing.
        let mut now = None;
        let mut is_due = |due| due != NEVER && due <= *now.get_or_insert_with(|| mono_now().as_nanos());
        let mut is_any = false;
        for task in lock(&self.tasks).iter() {
            if rang & 1 << task.source != 0 || is_due(task.due.load(Ordering::Relaxed)) {
                task.is_pending.store(true, Ordering::Release);
                is_any = true;
            }
        }
        is_any
    }

    fn next_due(&self) -> Option<MonoTime> {
        let due = lock(&self.tasks).iter().map(|task| task.due.load(Ordering::Relaxed)).min();
        due.filter(|&due| due != NEVER).map(MonoTime::from_nanos)
    }

    /// The most important task that is pending and not running, taken out; of one class they take turns.
    fn pick(&self) -> Option<(Arc<Task>, Box<dyn Work>)> {
        let tasks = lock(&self.tasks);
        let count = tasks.len();
        let first = self.turn.load(Ordering::Relaxed) as usize;
        let order = (0..count).map(|step| (first + step) % count.max(1));
        let best = order
            .filter(|&at| tasks[at].is_pending.load(Ordering::Acquire))
            .filter(|&at| lock(&tasks[at].state).work.is_some())
            .min_by_key(|&at| tasks[at].class)?;
        let task = tasks[best].clone();
        self.turn.store(best as u32 + 1, Ordering::Relaxed);
        // Before it looks: what rings from here on is seen.
        task.is_pending.store(false, Ordering::Release);
        let mut state = lock(&task.state);
        let work = state.work.take()?;
        state.running = Some(std::thread::current().id());
        drop(state);
        Some((task, work))
    }

    /// One step, with no lock held. True: something was called.
    fn run(&self, task: &Task, work: Box<dyn Work>) -> bool {
        // Put back also when the callback panics.
        let mut running = Running { queue: self, task, work: Some(work) };
        let step = running.work.as_mut().map_or(Step::Idle, |work| work.step());
        // Before it is put back, which rings for it: this thread may not come back.
        if step == Step::More {
            task.is_pending.store(true, Ordering::Release);
        }
        drop(running);
        step != Step::Idle
    }
}

impl Doorbell for Queue {
    fn ring(&self, source: u32) {
        self.bell.ring(source);
    }
}

/// Who sleeps for all that wait.
#[derive(Default)]
struct Lead {
    is_led: bool,
    waiting: u32,
}

/// The one thread that leads.
struct Leading<'q>(&'q Queue);

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        let mut lead = lock(&self.0.lead);
        lead.is_led = false;
        let is_awaited = lead.waiting > 0;
        drop(lead);
        // Each time would be a call of the system before each callback.
        if is_awaited {
            self.0.leaderless.notify_one();
        }
    }
}

struct Running<'t> {
    queue: &'t Queue,
    task: &'t Task,
    work: Option<Box<dyn Work>>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.task.state);
        state.running = None;
        self.task.due.store(nanos(self.work.as_ref().and_then(|work| work.due())), Ordering::Relaxed);
        if !state.is_removed {
            state.work = self.work.take();
        }
        let is_awaited = state.is_removed;
        drop(state);
        // Each time would be a call of the system for each callback.
        if is_awaited {
            self.task.stepped.notify_all();
        }
        // It became pending while it ran: a leader that sleeps has passed it over, and this thread may not come back.
        if self.task.is_pending.load(Ordering::Acquire) {
            self.queue.bell.ring(self.task.source);
        }
        // What is left of a task that was removed meanwhile ends here, with no lock held.
    }
}

fn nanos(due: Option<MonoTime>) -> u64 {
    due.map_or(NEVER, MonoTime::as_nanos)
}
