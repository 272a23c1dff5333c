//! What the bridge's threads have to say to its main thread: bounded, and nobody waits.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Notices that wait at most; more are dropped, as they say the same over and over.
const NOTICES: usize = 256;

/// Something a thread has met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// About one topic.
    Topic {
        /// The topic, without leading slash.
        topic: String,
        /// What happened.
        what: String,
    },
    /// A topic cannot be read.
    NotOpened {
        /// The topic, without leading slash.
        topic: String,
        /// Why.
        why: String,
    },
    /// A thread cannot go on.
    Failed(String),
}

/// Where notices go.
#[derive(Clone)]
pub(super) struct Notices(SyncSender<Notice>);

impl Notices {
    pub(super) fn open() -> (Notices, Receiver<Notice>) {
        let (sender, receiver) = sync_channel(NOTICES);
        (Notices(sender), receiver)
    }

    pub(super) fn post(&self, notice: Notice) {
        let _ = self.0.try_send(notice);
    }
}
