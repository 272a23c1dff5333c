//! Every parser of bytes from outside, fed with anything: [`TARGETS`], and what they and the maker of the seeds share.
//!
//! `tests/seeds.rs` runs each target over its seeds and over what is made of them; `coverage/` joins the targets with libFuzzer,
//! whose flags and C++ stay out of this workspace.

pub mod memory;
mod node;
mod scratch;
mod script;
mod targets;

pub use node::{NodeEvent, NodeStep, node_steps};
pub use scratch::ScratchFile;
pub use script::{Happening, Step, push_step, session_config, steps};
pub use targets::TARGETS;

/// Messages of `definitions/`, and some that every node reads.
pub mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}
