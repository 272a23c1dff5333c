//! An exception of a task, as programs see it, and what they may say (RTA-42).

/// The general registers, `x0` to `x30`.
#[repr(C)]
#[derive(Debug)]
pub struct Registers(pub [u64; 31]);

/// An exception of a task.
#[derive(Debug)]
pub struct Exception<'a> {
    /// As they are where it goes on.
    pub registers: &'a mut Registers,
    /// The address of the instruction, and of the one with which the task goes on.
    pub instruction: u64,
    /// What it tried to reach, of an access to memory.
    pub address: u64,
    /// `ESR_EL1`: what happened.
    pub syndrome: u64,
    /// Its number.
    pub task: i32,
}

/// What becomes of a task that had an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is told, and the system ends.
    EndSystem,
    /// The task ends as by `ext_tsk`, whatever it did to its stack; others go on.
    EndTask,
    /// It goes on, at the exception's `instruction` and with its `registers`.
    Resume,
}
