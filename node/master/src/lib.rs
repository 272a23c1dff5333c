//! A ROS 1 master for nodes that have no network to others (`../../SPEC.md`, NODE-122 to NODE-125).
//!
//! ```text
//!  a node's call ─► serve ─► Master ─┬─► answer ─────────────► serve ─► the node
//!                                    └─► who is to be told ──► serve ─► other nodes, one thing after the other
//! ```
//!
//! Where to look: `registrations.rs` is who has what, `params.rs` the parameters, `answer.rs` the methods; nothing of these knows a clock or a
//! network. `serve.rs` has the connections, `told.rs` what nodes are still to be told.

#![no_std]

extern crate alloc;

mod answer;
mod params;
mod registrations;
mod serve;
mod told;

pub use answer::{Answered, Master};
pub use serve::serve;
pub use told::Told;
