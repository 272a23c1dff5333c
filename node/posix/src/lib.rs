//! What a robot node needs of Linux (SPEC, section 6, NODE-111 to NODE-117): the port of nodes that run there. Nothing but this crate calls the system.

mod bell;
mod clock;
mod environment;
mod flows;
mod lend;
mod lock;
pub mod memory;
mod network;
mod poll;
mod resolver;
mod signals;
mod sockets;
mod stream;
mod tasks;

pub use flows::Flows;

/// Linux.
pub struct Posix;

tokkyu_callbacks::port!(Posix);
