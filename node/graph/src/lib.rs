//! A node among others (SPEC, section 5): what it says to the master, to publishers and subscribers, to clients of its services.
//!
//! ```text
//!  commands of the program ─┐            ┌─► Net      sockets: connect, read, write, close
//!  bytes that came ─────────┼─► Engine ──┼─► Host     log, shutdown, parameters
//!  samples to be sent ──────┤            ├─► Subscriber, Audience, Handler    the program's own ends
//!  time ────────────────────┘            └─► topics   slots that the network's thread fills and empties
//! ```
//!
//! One thread calls [`Engine`]; nothing in it waits, reads a clock, or knows an operating system. Connections, registrations and calls take memory
//! when they begin; samples do not.
#![no_std]

extern crate alloc;

mod backoff;
mod borrowing;
mod call;
mod command;
mod connection;
mod engine;
mod header;
mod host;
mod lending;
mod link;
mod master;
mod net;
mod offered;
mod param;
mod payload;
mod profile;
mod publication;
mod receiving;
mod sending;
mod serving;
mod subscription;
mod watched;

pub use command::{Advertise, Call, Command, Kind, Offer, Subscribe};
pub use engine::{Engine, Identity, Ready, Wants};
pub use host::{
    Audience, Done, Failure, Handler, Host, Lending, Level, Listening, Origin, Receipts, Request, Subscriber,
};
pub use net::{ConnId, Io, Listener, Net, NetError, Outgoing};
pub use param::Param;
pub use payload::{Lent, NoChannel, NoMemory, Object, Payload, channel, join};
pub use profile::Profile;
