//! Locks and conditions over the port's words: for the node, and for what else a port is made of.

mod condition;
mod mutex;
mod once;

pub use condition::Condition;
pub use mutex::{Mutex, MutexGuard};
pub(crate) use once::Once;
