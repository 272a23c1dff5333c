//! What an image is, as [`board!`](crate::board!) says it.

use core::marker::PhantomData;

use tokkyu_callbacks::{Node, NodeError};
use tokkyu_node_rtos::Worker;
use tokkyu_rtos::{Kernel, Processor, Task};
use tokkyu_rtos_aarch64::{Board, StackRange};

/// A node's program. It has ended when this returns.
pub type Run = fn(&Node) -> Result<(), NodeError>;

/// A node of an image.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub run: Run,
}

/// What is declared of an image.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Processors.
    pub processors: &'static [Processor],
    /// Tasks.
    pub tasks: &'static [Task],
    /// Their stacks.
    pub stacks: &'static [StackRange],
    /// Those of them that nodes start things in.
    pub workers: &'static [Worker],
    /// Nodes.
    pub nodes: &'static [Entry],
}

/// An image.
pub trait Image: Copy + Send + Sync + 'static {
    /// Its kernel.
    fn kernel() -> &'static Kernel<Board<Parts<Self>>>;

    /// What it has.
    fn layout() -> Layout;
}

/// The programs of an image.
#[derive(Debug)]
pub struct Parts<I>(PhantomData<fn() -> I>);

impl<I> Parts<I> {
    /// Those that there are.
    pub const fn new() -> Self {
        Parts(PhantomData)
    }
}

impl<I> Default for Parts<I> {
    fn default() -> Self {
        Parts::new()
    }
}
