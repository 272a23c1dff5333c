//! What an end of a topic is to iceoryx2, and to who looks whether its process lives (NODE-79).

use std::sync::{Mutex, MutexGuard, PoisonError};

use iceoryx2::prelude::*;

use crate::ProcessError;
use crate::folder::Folder;
use crate::lock::{self, Lock};

pub(crate) type Service = ipc_threadsafe::Service;

/// One end's place at its topic. Fields are dropped in their order: what was made first goes last.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) node: Mutex<Node<Service>>,
    _end: Lock,
    _topic: Option<OwnTopic>,
    pub(crate) folder: Folder,
}

/// The publisher's process removes all of the topic's files.
#[derive(Debug)]
struct OwnTopic {
    folder: Folder,
    _lender: Lock,
}

impl Drop for OwnTopic {
    fn drop(&mut self) {
        self.folder.remove();
    }
}

impl Place {
    /// A publisher's, and the topic's files with it.
    pub(crate) fn of_lender(name: &str) -> Result<Place, ProcessError> {
        let folder = Folder::make(name)?;
        let topic = OwnTopic { _lender: Lock::make(folder.lender())?, folder: folder.clone() };
        Place::new(folder, Some(topic))
    }

    /// A subscriber's.
    pub(crate) fn of_borrower(name: &str) -> Result<Place, ProcessError> {
        match Folder::of(name)? {
            Some(folder) if lock::is_held(&folder.lender()) => Place::new(folder, None),
            _ => Err(ProcessError::Gone(name.into())),
        }
    }

    fn new(folder: Folder, topic: Option<OwnTopic>) -> Result<Place, ProcessError> {
        let node = NodeBuilder::new()
            .config(&folder.config()?)
            .signal_handling_mode(SignalHandlingMode::Disabled)
            .create::<Service>()
            .map_err(ProcessError::shared("a place at the topic"))?;
        let end = Lock::make(folder.path.join(format!("end-{}", node.id().value())))?;
        Ok(Place { node: Mutex::new(node), _end: end, _topic: topic, folder })
    }

    /// Whether the publisher's process lives, and has not ended the topic.
    pub(crate) fn has_lender(&self) -> bool {
        lock::is_held(&self.folder.lender())
    }
}

/// Only what cannot panic halfway is done with it: what is behind a poisoned lock is good.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
