//! Nodes on the kernel in one process and in virtual time (SPEC.md, NRT-1 to NRT-27).

extern crate alloc;

mod locks;
mod nodes;
mod words;
mod world;
