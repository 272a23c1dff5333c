//! Threads: a system's threads, or the tasks of a real-time kernel.

use alloc::boxed::Box;
use alloc::string::String;
use core::num::NonZeroUsize;

use tokkyu_contract::Class;

/// A thread, as long as it lives: no two that live have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Runner(pub NonZeroUsize);

/// Threads.
pub trait Tasks {
    /// The calling thread.
    fn me(&self) -> Runner;

    /// The number of the calling thread, as the system's own tools have it.
    fn number(&self) -> u64;

    /// Starts a thread that calls `run`. One that calls callbacks of a class gets the class's priority, where the system has such; `run` is told
    /// why it has not got it, for people.
    ///
    /// # Errors
    ///
    /// Why there is no thread, for people: `run` is dropped uncalled.
    fn spawn(
        &self,
        name: &str,
        class: Option<Class>,
        run: Box<dyn FnOnce(Result<(), String>) + Send>,
    ) -> Result<Box<dyn Task>, String>;
}

/// A thread that was started. Dropped, it goes on.
pub trait Task: Send {
    /// Whether the calling thread is this one.
    fn is_me(&self) -> bool;

    /// Waits until it has ended.
    fn join(self: Box<Self>);
}
