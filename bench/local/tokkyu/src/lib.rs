//! Our own rows of the local experiment: what a message between nodes of one device takes with tokkyu.
//!
//! The programs follow bench/local/SPEC.md (LOCAL-n), as those of the rivals do:
//!
//! ```text
//! arguments ─▶ board ─▶ ends ─▶ matched ─▶ tick, fill, stamp, publish … ─▶ end of the receiver ─▶ records, summary
//!                        └────▶ thread that spins: callback, stamp, check, tell the board …
//! ```
//!
//! | program | what it is |
//! |---|---|
//! | `tokkyu-local-thread` | two threads of one process; loans and views |
//! | `tokkyu-local-overload` | the same with a subscriber that is too slow, and what `publish` then takes |
//! | `tokkyu-local-process` | two processes, shared memory: C++ in `cpp/`, which calls [`abi`] |
//! | `tokkyu-local-tcpros`, `tokkyu-local-tcpros-subscriber` | one end is roscpp: likewise |

pub mod abi;
#[path = "../../apart.rs"]
pub mod apart;
pub mod arguments;
pub mod board;
pub mod ends;
mod failure;
pub mod machine;
pub mod master;
pub mod overload;
pub mod pacing;
pub mod payload;
pub mod results;
pub mod thread;
mod wire;

pub use failure::{Early, Failure};

#[allow(missing_docs)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}
pub use messages::std_msgs;
