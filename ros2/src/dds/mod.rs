//! Cyclone DDS behind a face without `unsafe`: a participant, what it discovers, and readers and writers of samples whose
//! type nobody here knows.
//!
//! The only place of the room that calls C. Handles of Cyclone DDS may be used by any thread, and every call
//! checks its handle, so nothing here needs a lock. Invariant: an entity is deleted with its owner, readers and writers
//! before their topic, all before their participant, of which each owner holds a share.

mod discovery;
mod entity;
mod error;
mod host_only;
mod participant;
mod qos;
mod reader;
mod topic;
mod waiting;
mod writer;

pub use discovery::Discovery;
pub use error::DdsError;
pub use participant::{DOMAIN_MAX, Participant, Place};
pub use reader::{Reader, Taken};
pub use waiting::{Token, WaitSet};
pub use writer::{WriteError, Writer};
