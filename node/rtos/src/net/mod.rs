//! The network (NRT-20 to NRT-27).

mod address;
mod bell;
mod connect;
mod driver;
mod marks;
mod memory;
mod pool;
mod sockets;
mod stack;
mod stream;

pub use address::Address;
pub use memory::Memory;
pub use stack::{FIRST_PORT, Stack};
