//! What the network's thread tells the node.

use std::fmt;
use std::sync::{Arc, OnceLock, Weak};

use tokkyu_graph::{Host, Level, Param};

use crate::clock::Clock;
use crate::log::Log;
use crate::node::Inner;
use crate::queue::Queue;

pub(crate) struct Ears {
    /// There once the node is made, which is after its network runs.
    pub(crate) node: Arc<OnceLock<Weak<Inner>>>,
    pub(crate) log: Arc<Log>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) clock: Arc<Clock>,
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
        if let (Some(node), "/use_sim_time") = (self.node.get(), key) {
            self.clock.on_param(&value, node);
        }
        if let Some(node) = self.node.get().and_then(Weak::upgrade) {
            node.cached.set(key, value);
        }
    }

    fn on_param_stale(&mut self, key: &str) {
        if let Some(node) = self.node.get().and_then(Weak::upgrade) {
            node.cached.forget(Some(key));
        }
    }
}
