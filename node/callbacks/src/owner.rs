//! What the network's thread tells the node.

use alloc::sync::Arc;

use tokkyu_graph::Param;

use crate::host::Owner;
use crate::inner::Inner;
use crate::simulated::follow;

impl Inner {
    /// `/use_sim_time` has that value.
    pub(crate) fn on_time_source(self: &Arc<Self>, value: &Param) {
        if self.clock.on_param(value) {
            follow(Arc::downgrade(self));
        }
    }
}

impl Owner for Inner {
    fn is_taken_by_program(&self, caller: &str, reason: &str) -> bool {
        Inner::is_taken_by_program(self, caller, reason)
    }

    fn begin_to_end(&self) {
        Inner::begin_to_end(self);
    }

    fn on_param(self: Arc<Self>, key: &str, value: Param) {
        if key == "/use_sim_time" {
            self.on_time_source(&value);
        }
        self.cached.set(key, value);
    }

    fn on_param_stale(&self, key: &str) {
        self.cached.forget(Some(key));
    }
}
