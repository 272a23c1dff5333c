//! What the kernel asks of the hardware, or of what stands in its place, and of the programs on it.

use crate::call::Call;
use crate::lock::Lock;
use crate::objects::Objects;
use crate::processor::Processor;
use crate::task::Task;

/// What runs in place of a task: what a notification or an interrupt calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// Of the cyclic notification of this number.
    Cyclic(u16),
    /// Of the alarm notification of this number.
    Alarm(u16),
    /// The overrun handler, for the task of this number, which it interrupts.
    Overrun(u16),
    /// What a system does when the budget of the processor of this number, which it is called on, is used up.
    BudgetOver(u16),
}

/// A machine with its programs.
///
/// All of it is called on the processor it is about, with that processor's interrupts masked, save where told otherwise.
pub trait Port: Sized + 'static {
    /// The system's objects, always the same. A port that knows them when it is compiled says so in a function that is inlined.
    fn objects(&self) -> Objects;

    /// This processor. Also with interrupts enabled, where it may be old when it is answered.
    fn here(&self) -> &'static Processor;

    /// Keeps the kernel's interrupts out. Also when they are already.
    fn mask(&self);

    /// Lets them in; takes those that wait.
    fn unmask(&self);

    /// Takes a lock that may be another processor's for a while. `held` is told for checks in debug builds.
    fn take(&self, lock: &'static Lock);

    /// Between two tries for a lock of programs, with interrupts enabled.
    fn relax(&self);

    /// Saves the running context as `from`'s (`None`: the processor's idle context) and goes on with that of `to`. Returns when
    /// somebody goes on with `from`, perhaps on another processor.
    ///
    /// A task of which nothing is saved since it was [`activated`](Port::activated) begins with
    /// [`Kernel::begin`](crate::Kernel::begin). A port may let its idle contexts begin anew each time, with
    /// [`Kernel::idle`](crate::Kernel::idle).
    fn switch(&self, from: Option<&'static Task>, to: Option<&'static Task>);

    /// As [`switch`](Port::switch), with the running context given up.
    fn abandon(&self, to: Option<&'static Task>) -> !;

    /// Gives up the saved context of a task that does not run, if it has one.
    fn discard(&self, task: &'static Task);

    /// The programs' initialization routines (`ATT_INI`), before any task runs.
    fn initialize(&self) {}

    /// Their termination routines (`ATT_TER`), after the last has.
    fn terminate(&self) {}

    /// A task was activated: it will begin anew. Its last context may still be in use, until it is given up.
    fn activated(&self, _task: &'static Task) {}

    /// A call begins, about the object or task of this number (0: none, or the caller), with interrupts masked. For who looks on.
    #[inline(always)]
    fn called(&self, _call: Call, _id: i32) {}

    /// Runs a task's program, with interrupts enabled; it may return.
    fn run(&self, task: &'static Task);

    /// Runs a handler, with interrupts of a higher priority enabled.
    fn handle(&self, handler: Handler);

    /// Has another processor call [`Kernel::on_call`](crate::Kernel::on_call) in an interrupt.
    fn call(&self, processor: usize);

    /// Microseconds since the system started, the same on all processors.
    fn now_us(&self) -> u64;

    /// Has [`Kernel::on_timer`](crate::Kernel::on_timer) called in an interrupt at this time or later, or not at all.
    fn set_timer(&self, at_us: Option<u64>);

    /// Keeps interrupts of this priority and lower (a larger number) out in task context; 0: none.
    fn set_priority_mask(&self, priority: i32);

    /// Enables or disables an interrupt line of this processor; `false` if it has no such line.
    fn enable_interrupt(&self, number: u32, enabled: bool) -> bool;

    /// Asks for an interrupt of a line of this processor, or takes back what was asked for; `false` if it has no such line.
    fn pend_interrupt(&self, number: u32, pending: bool) -> bool;

    /// Whether an interrupt of a line of this processor is asked for and not yet taken; none if it has no such line.
    fn is_interrupt_pending(&self, number: u32) -> Option<bool>;
}
