//! What an image is, as [`board!`](crate::board!) says it.

use alloc::string::String;
use core::ffi::c_char;
use core::marker::PhantomData;

use smoltcp::phy::Device;
use tokkyu_callbacks::{Node, NodeError};
use tokkyu_node_rtos::{Flow, Worker};
use tokkyu_rtos::{Kernel, Processor, Task};
use tokkyu_rtos_aarch64::{Board, StackRange};

/// A node's program. It has ended when this returns.
pub type Run = fn(&Node) -> Result<(), NodeError>;

/// `main` of a program in C++.
pub type Main = unsafe extern "C" fn(i32, *mut *mut c_char) -> i32;

/// What a node does.
#[derive(Clone, Copy, Debug)]
pub enum Program {
    /// It is called with the node of that name.
    Node(Run),
    /// It makes its node itself, and is called with the name and what the boot loader says behind `--`.
    Main(Main),
}

/// A node of an image.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub program: Program,
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
    /// Whether its tasks have floating-point registers and thread-local variables.
    const EXTENDED: bool = false;

    /// Its kernel.
    fn kernel() -> &'static Kernel<Board<Parts<Self>>>;

    /// What it has.
    fn layout() -> Layout;

    /// What its frames go through.
    type Device: Device + Send;

    /// Finds it.
    ///
    /// # Errors
    ///
    /// There is none, for people.
    fn device() -> Result<Found<Self::Device>, String>;

    /// Seconds since 1970 now, by a clock that goes on while the board is off; 0: there is none.
    fn epoch_seconds() -> u64;

    /// A variable of the nodes that the boot loader does not set.
    fn variable(_name: &str) -> Option<&'static str> {
        None
    }

    /// The device's interrupt has come: its line goes down.
    fn acknowledge(line: u32);

    /// What was declared of its topics.
    const FLOWS: &'static [Flow] = &[];

    /// Topics that cross to Linux.
    #[cfg(feature = "beside")]
    const ACROSS: &'static [tokkyu_monitor_topics::Topic<'static>];
}

/// A network device.
#[derive(Debug)]
pub struct Found<D> {
    /// The device.
    pub device: D,
    /// Its hardware address.
    pub hardware: [u8; 6],
    /// Its interrupt line, one of [`Slots::VIRT`](tokkyu_rtos_virtio::Slots). Nothing: it has none, and [`kick`](crate::kick) is called instead.
    pub line: Option<u32>,
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
