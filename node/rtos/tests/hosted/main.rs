//! Nodes on the kernel in one process and in virtual time (SPEC.md, NRT-1 to NRT-26).

mod locks;
mod master;
mod nodes;
mod wire;
mod words;
mod world;
