//! What a node needs of the system it runs on (SPEC, section 6, NODE-111 to NODE-117). Nothing outside this folder knows which system that is.
//!
//! ```text
//!                       node: queues, timers, topics, services, parameters, log
//!  ──────────────────────────────────────────────────────────────────────────────────────────────
//!   Clock   Sleeper   Lock   Tasks   Network (Sockets, Stream)   Lend   Environment        one Port
//!  ──────────────────────────────────────────────────────────────────────────────────────────────
//!            node/posix: Linux                            another system
//! ```
//!
//! A program has one port, chosen when it is linked, as it has one global allocator: whoever implements [`Port`] says so with [`port!`](crate::port!).

mod clock;
mod environment;
mod lend;
mod lock;
mod network;
mod tasks;

pub use clock::{Clock, Sleeper};
pub use environment::{Declaration, Environment, HELD, LINKS, LOANS, Topic, declared_limits};
pub use lend::{
    Borrower, Lend, LendError, LendLimits, LendLoan, Lender, OpenError, Receipt, RemoteBell, SharedBell,
};
pub use lock::Lock;
pub use network::{
    Ender, Listening, NOTICE, Network, NetworkBell, NetworkError, Patience, Polled, Sockets, Stream,
};
pub use tasks::{Runner, Task, Tasks};

/// All that a node needs of its system.
pub trait Port: Clock + Sleeper + Lock + Tasks + Network + Lend + Environment + Sync {}

impl<P: Clock + Sleeper + Lock + Tasks + Network + Lend + Environment + Sync> Port for P {}

/// Makes a value, which must be a constant expression, the port of all nodes of the program. Once in a program: a second one does not link.
#[macro_export]
macro_rules! port {
    ($port:expr) => {
        // SAFETY: no other name of the program begins so, and its signature is what `port` declares.
        #[unsafe(no_mangle)]
        fn tokkyu_node_port() -> &'static dyn $crate::port::Port {
            &$port
        }
    };
}

unsafe extern "Rust" {
    /// What [`port!`](crate::port!) makes.
    safe fn tokkyu_node_port() -> &'static dyn Port;
}

/// The port that the program was linked with.
pub fn port() -> &'static dyn Port {
    tokkyu_node_port()
}
