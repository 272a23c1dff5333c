//! What the network's thread tells the node.

use alloc::sync::{Arc, Weak};
use core::fmt;

use tokkyu_graph::{Host, Level, Param};

use crate::log::Log;
use crate::queue::Queue;
use crate::sync::Once;

/// The node, as its network's thread knows it.
pub(crate) trait Owner: Send + Sync {
    /// Whether the program itself sees to it that the node ends.
    fn is_taken_by_program(&self, caller: &str, reason: &str) -> bool;

    /// The node begins to end.
    fn begin_to_end(&self);

    /// The master tells a parameter's value.
    fn on_param(self: Arc<Self>, key: &str, value: Param);

    /// A value that was told is so no more.
    fn on_param_stale(&self, key: &str);
}

pub(crate) struct Ears {
    /// There once the node is made, which is after its network runs.
    pub(crate) node: Arc<Once<Weak<dyn Owner>>>,
    pub(crate) log: Arc<Log>,
    pub(crate) queue: Arc<Queue>,
}

impl Host for Ears {
    fn log(&mut self, level: Level, text: fmt::Arguments<'_>) {
        self.log.write(level, text);
    }

    fn on_shutdown(&mut self, caller: &str, reason: &str) {
        self.log.write(Level::Warn, format_args!("shutdown was asked for: {reason}"));
        match self.node.get().and_then(Weak::upgrade) {
            Some(node) if node.is_taken_by_program(caller, reason) => {}
            Some(node) => node.begin_to_end(),
            None => self.queue.stop(),
        }
    }

    fn on_param(&mut self, key: &str, value: Param) {
        if let Some(node) = self.node.get().and_then(Weak::upgrade) {
            node.on_param(key, value);
        }
    }

    fn on_param_stale(&mut self, key: &str) {
        if let Some(node) = self.node.get().and_then(Weak::upgrade) {
            node.on_param_stale(key);
        }
    }
}
