//! Nodes on the kernel in one process and in virtual time (SPEC.md, NRT-1 to NRT-27).

extern crate alloc;

mod locks;
#[path = "../../../board/figures/src/master.rs"]
mod master;
mod nodes;
#[path = "../../../board/figures/src/wire.rs"]
mod wire;
mod words;
mod world;
