//! How a context leaves.

use tokkyu_rtos::Lock;

/// Why a processor let others go on.
#[derive(Clone, Copy)]
pub(crate) enum Pause {
    /// Somebody else may come in between here.
    Point,
    /// Somebody has this lock.
    Locked(&'static Lock),
    /// It has another context now, or had one for a while.
    Switched,
    /// It waits for interrupts.
    Idle,
    /// A program waits for something that only others can do.
    Waiting,
    /// A program waits until nobody else can go on.
    Settling,
    /// This context is given up.
    Abandoned,
}
