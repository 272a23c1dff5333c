//! The kernel's Ethernet path of one device: what it is, what it should be, set and taken back.
//!
//! What it promises is [SPEC.md](../SPEC.md). `host` reads what there is, `plan` decides from it alone, `setting` is one value of the
//! kernel, `journal` what was changed, `tune` the commands, and `trial` whether a plan
//! is worth keeping. Reading needs no rights; the rest needs root's.
mod chain;
mod coalescing;
mod configuration;
mod error;
mod host;
mod journal;
mod napi;
mod netlink;
mod plan;
mod setting;
mod thread;
pub mod trial;
mod tune;

pub use chain::{Hop, chain};
pub use coalescing::Coalescing;
pub use error::TuneError;
pub use host::{Host, Interrupt, Queue, ReceiveQueue};
pub use journal::{Entry, Journal, Journals, State};
pub use napi::{Knob, Values};
pub use plan::{Advice, Change, Goal, Left, Plan, Step, StepName, Wish, plan};
pub use setting::Setting;
pub use thread::{Policy, Thread};
pub use tune::{Compared, Finding, Reverted, Was, apply, find, foresee_revert, repair, revert, status};
