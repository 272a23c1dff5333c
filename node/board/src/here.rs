//! The system that an image's nodes see.

use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;

use tokkyu_node_rtos::{Flow, Stack, System, Waiters, Worker};
use tokkyu_rtos::Kernel;
use tokkyu_rtos_aarch64::Board;

use crate::image::{Image, Parts};
use crate::tables::{MUTEX, SPIN_LOCK};
use crate::{arguments, state};

/// The system of an image's nodes.
#[derive(Debug)]
pub struct Here<I>(PhantomData<fn() -> I>);

impl<I> Clone for Here<I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for Here<I> {}

impl<I> Here<I> {
    /// The one that there is.
    pub const fn new() -> Self {
        Here(PhantomData)
    }
}

impl<I> Default for Here<I> {
    fn default() -> Self {
        Here::new()
    }
}

static WAITERS: Waiters = Waiters::new();

impl<I: Image> System for Here<I> {
    type Port = Board<Parts<I>>;
    type Device = I::Device;

    fn kernel(&self) -> &'static Kernel<Board<Parts<I>>> {
        I::kernel()
    }

    fn spin_lock(&self) -> i32 {
        SPIN_LOCK
    }

    fn mutex(&self) -> i32 {
        MUTEX
    }

    fn waiters(&self) -> &'static Waiters {
        &WAITERS
    }

    fn workers(&self) -> &'static [Worker] {
        I::layout().workers
    }

    fn stack(&self) -> Option<&'static Stack<I::Device>> {
        state::stack::<I>()
    }

    fn began_at_nanos(&self) -> u64 {
        state::began_at_nanos()
    }

    fn variable(&self, name: &str) -> Option<String> {
        arguments::find(name).or_else(|| I::variable(name)).map(String::from)
    }

    fn arguments(&self) -> Vec<String> {
        arguments::arguments().map(String::from).collect()
    }

    fn flows(&self) -> &'static [Flow] {
        I::FLOWS
    }

    fn watched_topic(&self, name: &str) -> u32 {
        state::topic(name)
    }

    fn publishes(&self, topic: u32, has_ended: bool) {
        if cfg!(feature = "trace") {
            I::kernel().port.says(topic, has_ended);
        }
    }

    fn started(&self, task: i32, name: &str) {
        state::name(task, name);
    }

    fn print(&self, line: &str) {
        state::print(line);
    }
}
