//! Scenarios of the TOPPERS Test Suite Package on the kernel.
//!
//! A scenario says in which state a system is, who calls what, and in which state it is then. It becomes a [`plan::Plan`]: the calls
//! that bring the state about, the calls it is about, and what to watch. A plan is carried out by a task on a processor of its own (`conduct.rs`),
//! on any port; what tasks and handlers do is what they are told (`stage.rs`).
//!
//! Reading scenarios and the hosted port need the standard library; the rest does not.

#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

#[cfg(all(target_arch = "aarch64", target_os = "none"))]
mod board;
pub mod carry;
pub mod conduct;
pub mod objects;
pub mod perform;
pub mod plan;
pub mod stage;
mod watch;

#[cfg(feature = "std")]
mod calls;
#[cfg(feature = "std")]
pub mod compile;
#[cfg(feature = "std")]
mod declare;
#[cfg(feature = "std")]
mod expect;
#[cfg(feature = "std")]
pub mod hosted;
#[cfg(feature = "std")]
mod prepare;
#[cfg(feature = "std")]
pub mod scenario;
#[cfg(feature = "std")]
mod tree;
#[cfg(feature = "std")]
mod words;
