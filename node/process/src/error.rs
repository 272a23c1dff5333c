//! What can go wrong, and what to do about it.

use std::io;

/// Something between processes is not possible.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// A limit is outside of what is possible (NODE-73).
    #[error("{name} of a topic between processes is {value}; it must be {least} to {most}")]
    Limit {
        /// Which one.
        name: &'static str,
        /// What was asked for.
        value: usize,
        /// The least that is possible.
        least: usize,
        /// The most.
        most: usize,
    },
    /// The publisher's process has as many loans and lent samples as its limit says (NODE-73).
    #[error(
        "all {0} samples of the publisher's own process are out; send or drop loans, drop lent samples, or raise the limit \"own\""
    )]
    Own(u32),
    /// The subscriber holds as many samples as the topic's limit says (NODE-75).
    #[error(
        "the subscriber holds all {0} samples that it may; drop one, or have the publisher raise the limit \"held\""
    )]
    Held(u32),
    /// Memory is short (NODE-74).
    #[error(
        "/dev/shm has no room for {bytes} bytes more; make it larger or send less (containers: --shm-size)"
    )]
    Room {
        /// What was wanted.
        bytes: usize,
    },
    /// There is no such topic, or its publisher has ended.
    #[error(
        "no publisher {0:?} on this device; it has ended, or is another user's, or in a container with a /dev/shm of its own"
    )]
    Gone(String),
    /// As many subscribers as the publisher's limit says.
    #[error(
        "the publisher {0:?} has all subscribers from other processes that it may; have it raise the limit \"subscribers\""
    )]
    Subscribers(String),
    /// All words of a queue of callbacks are taken, or there is no such word (NODE-86).
    #[error(
        "a queue of callbacks has {0} links of reliable subscriptions to other processes at most; use another queue"
    )]
    Receipts(usize),
    /// A name that none of ours has.
    #[error("{0:?} is no name of a bell; take the one that SharedBell::name gave")]
    BellName(String),
    /// Where the files are to lie.
    #[error("TOKKYU_PROCESS_GROUP={0:?} is no name of a group; write 1 to 16 letters, digits or _")]
    Group(String),
    /// Somebody else's folder is where ours should be.
    #[error(
        "{0} is not a folder of this user alone; remove it, or set TOKKYU_PROCESS_GROUP to something else"
    )]
    Folder(String),
    /// The system refuses.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What it said.
        error: io::Error,
    },
    /// iceoryx2 refuses.
    #[error("iceoryx2 refused {what}: {why} (is /dev/shm writable, and is there room?)")]
    Shared {
        /// What was tried.
        what: &'static str,
        /// Its word for it.
        why: String,
    },
}

impl ProcessError {
    pub(crate) fn system(what: &'static str) -> impl FnOnce(io::Error) -> ProcessError {
        move |error| ProcessError::System { what, error }
    }

    pub(crate) fn shared<E: std::fmt::Debug>(what: &'static str) -> impl FnOnce(E) -> ProcessError {
        move |error| ProcessError::Shared { what, why: format!("{error:?}") }
    }
}
