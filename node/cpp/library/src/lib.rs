//! Robot nodes for C, as a library that programs are linked with: `tokkyu-node-abi`, whole.
pub use tokkyu_node_abi::*;
