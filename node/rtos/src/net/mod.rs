//! The network (NRT-20 to NRT-27).

mod address;
mod bell;
mod connect;
mod driver;
mod hosts;
mod marks;
mod memory;
mod pool;
mod sockets;
mod stack;
mod stream;
mod wire;

pub use address::Address;
pub use hosts::Hosts;
pub use memory::Memory;
pub use stack::{FIRST_PORT, Stack};
pub use wire::Wire;
