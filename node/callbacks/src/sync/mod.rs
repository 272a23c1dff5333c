//! Locks and conditions over the port's words.

mod condition;
mod mutex;
mod once;

pub(crate) use condition::Condition;
pub(crate) use mutex::{Mutex, MutexGuard};
pub(crate) use once::Once;
