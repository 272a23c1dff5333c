//! The engine of all experiments: cells in their order, each in a folder of its own, one after the other or some at a time.
//!
//! ```text
//!  Stage ─ cells ─► Engine ─┬─ reread: an earlier run left it, and nothing that it depends on has changed
//!                           └─ run ──► found, remembered by the hash of its inputs
//! ```
//!
//! An experiment has its cells, what running one takes ([`Stage`]), and how what is found makes the cases of a result. Order, going on where
//! a run was broken off, the lock of the machine and the time that is left are here. Follows SPEC.md LAB-100 to LAB-108.

mod engine;
mod hashes;
mod identity;
mod lock;
mod stage;

pub use engine::{Engine, Progress, Watcher};
pub use hashes::Hashes;
pub use identity::Identity;
pub use lock::{LOCK_ENVIRONMENT, LockError, MachineLock, Share};
pub use stage::Stage;
