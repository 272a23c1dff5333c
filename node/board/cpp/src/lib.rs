//! What the GNU C++ library and the headers of roscpp's face ask of a system, on a board (SPEC.md): as functions that C knows, over the
//! node's port. What has no need of a system is in `c/`.
//!
//! # Safety
//!
//! Of all functions: pointers are what the C standard or POSIX says of the function's name.

#![no_std]
#![cfg(all(target_arch = "aarch64", target_os = "none"))]
#![deny(unsafe_op_in_unsafe_fn)]
#![allow(clippy::missing_safety_doc)] // said once, above
#![allow(missing_docs)] // POSIX has them

extern crate alloc;

mod condition;
mod destructors;
mod ends;
mod environment;
mod guard;
mod heap;
mod keys;
mod mutex;
mod terminal;
mod threads;
mod time;
mod unwind;

// Linked for its functions, which C++ calls.
use tokkyu_node_abi as _;
