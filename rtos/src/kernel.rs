//! What all calls are made of: contexts, locks, waiting, waking, switching.
//!
//! Rules: SPEC.md RTK-11, RTK-20, RTK-30 to RTK-36.

use crate::cell::Byte;
use crate::error::{Error, Result};
use crate::lock::{Lock, RANK_OF_PROCESSORS};
use crate::objects::Objects;
use crate::port::Port;
use crate::processor::Processor;
use crate::task::{Task, Wait, state};
use crate::waiting::Place;
use crate::wheel::NEVER;

/// Longest relative time (`TMAX_RELTIM`), in microseconds.
pub const RELATIVE_TIME_MAX_US: u32 = 4_000_000_000;

/// How long a call may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeout {
    /// `TMO_POL`: not at all.
    Poll,
    /// `TMO_FEVR`
    Forever,
    /// Microseconds, at most [`RELATIVE_TIME_MAX_US`].
    After(u32),
}

impl Timeout {
    /// `E_PAR` if it is too long.
    pub(crate) fn check(self) -> Result {
        match self {
            Timeout::After(us) if us > RELATIVE_TIME_MAX_US => Err(Error::Parameter),
            _ => Ok(()),
        }
    }
}

/// The kernel of a system, on a port.
#[derive(Debug)]
pub struct Kernel<P: Port> {
    /// What it runs on.
    pub port: P,
    running: Byte,
}

impl<P: Port> Kernel<P> {
    /// Of objects that no other kernel has.
    pub const fn new(port: P) -> Self {
        Kernel { port, running: Byte::new(0) }
    }

    /// Its objects.
    #[inline(always)]
    pub fn objects(&self) -> Objects {
        self.port.objects()
    }

    // ---- beginning

    /// Makes everything ready, before any processor calls [`start`](Kernel::start); whatever was before is forgotten.
    pub fn prepare(&self) {
        self.objects().reset(self.port.now_us());
        for cyclic in self.objects().cyclics.iter().filter(|cyclic| cyclic.config().started) {
            self.start_cyclic_at_boot(cyclic);
        }
        for task in self.objects().tasks.iter().filter(|task| task.config().active) {
            self.activate(task.at(), task);
        }
        self.port.initialize();
        self.running.set(1);
    }

    /// What a processor does once it is up, in its idle context and with interrupts masked. Afterwards it idles: it waits for
    /// interrupts.
    pub fn start(&self) {
        let processor = self.here();
        self.lock(&processor.lock);
        self.look_at_timer(processor);
        self.dispatch_or_leave(processor);
    }

    /// What an idle context that begins anew after a task does first, with interrupts masked.
    pub fn idle(&self) {
        self.arrive();
    }

    /// Whether tasks may run (`sns_ker`, turned).
    pub fn is_running(&self) -> bool {
        self.running.get() != 0
    }

    /// Tasks run no more: what the machine calls when it ends.
    pub fn end(&self) {
        self.running.set(0);
        self.port.terminate();
    }

    /// What a fresh task's context begins with. Returns never: the task ends in it.
    pub fn begin(&'static self) -> ! {
        let task = self.arrive().current.get();
        self.port.unmask();
        if let Some(task) = task {
            self.port.run(task);
        }
        loop {
            // Not from a handler, and with whatever locked or disabled: `ext_tsk` makes it good.
            let _ = self.ext_tsk();
        }
    }

    // ---- locks

    #[inline(always)]
    pub(crate) fn here(&self) -> &'static Processor {
        self.port.here()
    }

    #[inline(always)]
    pub(crate) fn lock(&self, lock: &'static Lock) {
        if cfg!(debug_assertions) {
            let (held, rank) = (&self.here().held, lock.rank());
            assert!(
                held.get() >> rank == 0,
                "a lock of rank {rank} is taken after {:#b}: RTK-31",
                held.get()
            );
            self.port.take(lock);
            held.set(held.get() | 1 << rank);
        } else {
            self.port.take(lock);
        }
    }

    #[inline(always)]
    pub(crate) fn unlock(&self, lock: &'static Lock) {
        if cfg!(debug_assertions) {
            let held = &self.here().held;
            assert!(held.get() >> lock.rank() & 1 != 0, "a lock is let go that is not held: {lock:?}");
            held.set(held.get() & !(1 << lock.rank()));
        }
        lock.release();
    }

    /// Locks the processor that a task is assigned to.
    #[inline]
    pub(crate) fn lock_processor_of(&self, task: &'static Task) -> &'static Processor {
        loop {
            let processor = task.at();
            self.lock(&processor.lock);
            if task.is_at(processor) {
                return processor;
            }
            // It was moved before the lock was ours.
            self.unlock(&processor.lock);
        }
    }

    /// The lock under which priorities are handed on from mutex to mutex.
    pub(crate) fn chain(&self) -> &'static Lock {
        let processors = self.objects().processors;
        &processors[0].chain
    }

    pub(crate) fn lock_place(&self, place: Place) {
        if place.mutex.is_some() {
            self.lock(self.chain());
        }
        self.lock(place.lock);
    }

    /// Locks what a task waits for, if that is an object, then its processor (RTK-32).
    pub(crate) fn lock_with_place(&self, task: &'static Task) -> (&'static Processor, Option<Place>) {
        self.lock_both_ends(task, Self::lock_place, Self::unlock_place_alone)
    }

    /// The same with the chain's lock held already, if there are mutexes with inheritance.
    pub(crate) fn lock_with_place_in_chain(
        &self,
        task: &'static Task,
    ) -> (&'static Processor, Option<Place>) {
        self.lock_both_ends(
            task,
            |kernel, place| kernel.lock(place.lock),
            |kernel, place| kernel.unlock(place.lock),
        )
    }

    fn lock_both_ends(
        &self,
        task: &'static Task,
        lock: impl Fn(&Self, Place),
        unlock: impl Fn(&Self, Place),
    ) -> (&'static Processor, Option<Place>) {
        loop {
            let processor = self.lock_processor_of(task);
            let wait = task.wait();
            let Some(place) = wait.and_then(|wait| self.objects().place(wait)) else {
                return (processor, None);
            };
            self.unlock(&processor.lock);
            lock(self, place);
            let processor = self.lock_processor_of(task);
            if task.wait() == wait {
                return (processor, Some(place));
            }
            self.unlock(&processor.lock);
            unlock(self, place);
        }
    }

    fn unlock_place_alone(&self, place: Place) {
        self.unlock(place.lock);
        if place.mutex.is_some() {
            self.unlock(self.chain());
        }
    }

    /// Lets go of a place after somebody may have left it: who has the mutex that it is of need be no more urgent than who is left.
    pub(crate) fn unlock_place(&self, place: Option<Place>) {
        let Some(place) = place else { return };
        self.unlock(place.lock);
        if place.mutex.is_some() {
            self.raise(self.owner_of(place));
            self.unlock(self.chain());
        }
    }

    // ---- the frame of a call

    /// Begins a call that tasks and handlers may make. On `Ok` interrupts are masked until [`leave`](Kernel::leave).
    #[inline(always)]
    pub(crate) fn enter(&self) -> Result<&'static Processor> {
        self.port.mask();
        let processor = self.here();
        if processor.is_cpu_locked() { Err(Error::Context) } else { Ok(processor) }
    }

    /// Begins a call that tasks alone may make.
    #[inline(always)]
    pub(crate) fn enter_task(&self) -> Result<(&'static Processor, &'static Task)> {
        self.port.mask();
        let processor = self.here();
        match (processor.in_task(), processor.current.get()) {
            (true, Some(task)) => Ok((processor, task)),
            _ => self.refuse(processor, Error::Context),
        }
    }

    /// Begins a call that may wait.
    #[inline(always)]
    pub(crate) fn enter_waiting(&self) -> Result<(&'static Processor, &'static Task)> {
        self.port.mask();
        let processor = self.here();
        match (processor.can_switch(), processor.current.get()) {
            (true, Some(task)) => Ok((processor, task)),
            _ => self.refuse(processor, Error::Context),
        }
    }

    /// Ends a call that locked nothing.
    #[inline(always)]
    pub(crate) fn refuse<T>(&self, processor: &Processor, error: Error) -> Result<T> {
        if !processor.is_cpu_locked() {
            self.port.unmask();
        }
        Err(error)
    }

    /// Ends a call: switches if another task is to run here.
    #[inline(always)]
    pub(crate) fn leave(&self, processor: &'static Processor) {
        if processor.is_behind() && processor.can_switch() {
            self.lock(&processor.lock);
            self.dispatch_or_leave(processor);
        } else {
            self.port.unmask();
        }
    }

    /// As [`leave`](Kernel::leave), with the processor's lock held.
    #[inline]
    pub(crate) fn dispatch_or_leave(&self, processor: &'static Processor) {
        if processor.is_behind() && processor.can_switch() {
            self.dispatch(processor);
        } else {
            self.unlock(&processor.lock);
        }
        self.port.unmask();
    }

    // ---- switching

    /// Goes on with the task that is to run. The processor's lock is held and comes back released; interrupts stay masked.
    /// Returns when the task that called it runs again.
    pub(crate) fn dispatch(&self, processor: &'static Processor) {
        let (from, to) = (processor.current.get(), processor.next.get());
        if self.objects().overrun {
            self.count_budgets(processor, from, to);
        }
        self.count_use(processor, to.is_some());
        processor.current.set(to);
        self.port.switch(from, to);
        self.arrive();
    }

    /// As [`dispatch`](Kernel::dispatch), for a task that has ended.
    pub(crate) fn dispatch_and_forget(&self, processor: &'static Processor) -> ! {
        let to = processor.next.get();
        if self.objects().overrun {
            self.count_budgets(processor, None, to);
        }
        self.count_use(processor, to.is_some());
        processor.current.set(to);
        self.port.abandon(to)
    }

    /// Lets go of what was held while the context was changed (RTK-33). Perhaps this is another processor than before.
    #[inline]
    fn arrive(&self) -> &'static Processor {
        let processor = self.here();
        if let Some(other) = processor.also_held.get() {
            processor.also_held.set(None);
            self.unlock(&other.lock);
        }
        self.unlock(&processor.lock);
        processor
    }

    /// A processor has another task to run than it runs: it is told, if it is not this one, which looks when its call ends.
    #[inline]
    pub(crate) fn notice(&self, processor: &'static Processor) {
        if !core::ptr::eq(processor, self.here()) {
            self.port.call(processor.index());
        }
    }

    /// Has a processor's timer go off in time. Its lock is held.
    pub(crate) fn look_at_timer(&self, processor: &'static Processor) {
        let mut due_us = processor.wheel.due_us().unwrap_or(NEVER);
        if self.objects().overrun {
            due_us = due_us.min(processor.overrun_us.get());
        }
        if self.objects().budgets {
            due_us = due_us.min(processor.budget.due_us());
        }
        if due_us == processor.timer_us.get() {
            return;
        }
        if !core::ptr::eq(processor, self.here()) {
            // It looks for itself: nobody else reaches its timer.
            if due_us < processor.timer_us.get() {
                processor.timer_asked.set(1);
                self.port.call(processor.index());
            }
            return;
        }
        processor.timer_us.set(due_us);
        self.port.set_timer(if due_us == NEVER { None } else { Some(due_us) });
    }

    // ---- waiting and waking

    /// Puts the running task to wait, and returns what came of it, with interrupts enabled. The lock of `place` is held and let go.
    pub(crate) fn wait(
        &self,
        (processor, task): (&'static Processor, &'static Task),
        wait: Wait,
        place: Option<Place>,
        timeout: Timeout,
    ) -> Result {
        self.lock(&processor.lock);
        self.begin_wait(processor, task, wait, timeout);
        if let Some(place) = place {
            place.queue.insert(task);
            self.unlock(place.lock);
        }
        self.dispatch(processor);
        self.port.unmask();
        task.outcome()
    }

    /// The task leaves the ready ones. Its processor's lock is held.
    pub(crate) fn begin_wait(
        &self,
        processor: &'static Processor,
        task: &'static Task,
        wait: Wait,
        timeout: Timeout,
    ) {
        // One that was suspended while it ran has left already.
        if task.is_ready() {
            processor.take_away(task);
        }
        task.state.set(task.state.get() | state::WAITING);
        task.set_wait(wait);
        if let Timeout::After(us) = timeout {
            processor.wheel.insert(&task.event, self.due_after(us));
            self.look_at_timer(processor);
        }
    }

    /// When something is due that is to happen after so many microseconds (RTK-4).
    pub(crate) fn due_after(&self, us: u32) -> u64 {
        self.port.now_us() + u64::from(us) + 1
    }

    /// Wakes a task that was taken out of its queue, or waits in none. The place's lock is held, if there is one.
    #[inline]
    pub(crate) fn wake(&self, task: &'static Task, outcome: Result) {
        let processor = self.lock_processor_of(task);
        self.end_wait(processor, task, outcome);
        self.unlock(&processor.lock);
    }

    /// As [`wake`](Kernel::wake), with the task's processor's lock held.
    #[inline]
    pub(crate) fn end_wait(&self, processor: &'static Processor, task: &'static Task, outcome: Result) {
        processor.wheel.remove(&task.event);
        task.set_outcome(outcome);
        task.state.set(task.state.get() & !state::WAITING);
        if task.is_ready() {
            self.make_ready(processor, task);
        }
    }

    /// Wakes all that wait, each with the same outcome.
    pub(crate) fn wake_all(&self, place: Place, outcome: Result) {
        while let Some(task) = place.queue.take_first() {
            self.wake(task, outcome);
        }
    }

    /// A task joins the ready ones of its processor, whose lock is held.
    #[inline]
    pub(crate) fn make_ready(&self, processor: &'static Processor, task: &'static Task) {
        if processor.add(task) {
            self.notice(processor);
        }
    }

    /// A dormant task, which is all as it was declared, begins. Its processor's lock is held.
    #[inline]
    pub(crate) fn activate(&self, processor: &'static Processor, task: &'static Task) {
        task.state.set(state::ALIVE);
        self.port.activated(task);
        self.make_ready(processor, task);
    }

    /// Two processors' locks in their order; one, if they are the same.
    pub(crate) fn lock_both(&self, one: &'static Processor, other: &'static Processor) {
        let (first, second) = if one.index() <= other.index() { (one, other) } else { (other, one) };
        self.lock(&first.lock);
        if first.lock.rank() != second.lock.rank() {
            self.lock(&second.lock);
        }
    }

    pub(crate) fn unlock_both(&self, one: &'static Processor, other: &'static Processor) {
        self.unlock(&one.lock);
        if one.index() != other.index() {
            self.unlock(&other.lock);
        }
    }

    // ---- interrupts

    /// The beginning of an interrupt: a handler runs on this processor until [`leave_interrupt`](Kernel::leave_interrupt).
    pub fn enter_interrupt(&self) {
        let context = &self.here().context;
        context.set(context.get() + crate::processor::HANDLER);
    }

    /// Its end, with interrupts masked: whoever ends the outermost one switches, in the context that was interrupted.
    pub fn leave_interrupt(&self) {
        let processor = self.here();
        // A handler that returns with the processor locked has unlocked it.
        processor
            .context
            .set((processor.context.get() & !crate::processor::CPU_LOCKED) - crate::processor::HANDLER);
        if processor.is_behind() && processor.can_switch() {
            self.lock(&processor.lock);
            if processor.is_behind() {
                self.dispatch(processor);
            } else {
                self.unlock(&processor.lock);
            }
        }
    }

    /// The beginning of a CPU exception's handler, in whatever context it happened.
    pub fn enter_exception(&self) {
        self.enter_interrupt();
    }

    /// Its end, with what it interrupted as it was.
    pub fn leave_exception(&self) {
        self.end_exception();
        let processor = self.here();
        if !processor.is_cpu_locked() {
            self.leave(processor);
        }
    }

    /// Its end on a machine that goes on by itself with what it interrupted. Interrupts are masked from here on; answers whether a switch
    /// is due there, which an interrupt brings about.
    pub fn end_exception(&self) -> bool {
        self.port.mask();
        let processor = self.here();
        processor.context.set(processor.context.get() - crate::processor::HANDLER);
        processor.can_switch() && processor.is_behind()
    }

    /// `xsns_dpn`, in a CPU exception's handler: whether a switch had to wait where it happened.
    pub fn xsns_dpn(&self) -> bool {
        let processor = self.here();
        processor.context.get() != crate::processor::HANDLER
    }

    /// In an interrupt from another processor: there may be another task to run, which its end sees, or an earlier time to wake for.
    #[inline]
    pub fn on_call(&self) {
        let processor = self.here();
        // Written before the interrupt was sent.
        if processor.timer_asked.get() == 0 {
            return;
        }
        self.lock(&processor.lock);
        processor.timer_asked.set(0);
        self.look_at_timer(processor);
        self.unlock(&processor.lock);
    }
}

const _: () = assert!(RANK_OF_PROCESSORS + 8 <= 32, "ranks are bits of a word");
