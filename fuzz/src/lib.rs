//! What several fuzz targets and the maker of the seeds share.

pub mod memory;
mod node;
mod scratch;
mod script;

pub use node::{NodeEvent, NodeStep, node_steps};
pub use scratch::ScratchFile;
pub use script::{Happening, Step, push_step, session_config, steps};

/// Messages of `definitions/`, and some that every node reads.
pub mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}
