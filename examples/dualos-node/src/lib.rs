//! A node that drives as it is told, and stands as soon as it is not: an ordinary node, which `src/bin/board.rs` has on an RTOS beside Linux.

#![no_std]

extern crate alloc;

mod drive;

/// Made of `definitions/`, by build.rs.
#[allow(missing_docs)]
pub mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

pub use drive::drive;
