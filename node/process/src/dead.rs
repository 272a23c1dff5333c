//! What processes that were killed have left (NODE-79).
//!
//! A topic whose publisher is dead goes as a whole. At one whose publisher lives, a dead subscriber's port is taken out of iceoryx2's tables, from
//! which the publisher learns that slots and queue are its own again, and then its files go, its lock last: who is killed in the middle of this has left
//! work for the next one.
//!
//! iceoryx2 0.9.3 could do it by itself, but leaves files for ever of processes that were killed while they joined or cleaned up, and waits for ever at
//! a queue whose maker was killed before it gave it a length.

use std::collections::HashMap;
use std::fs::{self, DirEntry, File};
use std::time::SystemTime;

use iceoryx2::identifiers::UniqueNodeId;
use iceoryx2::prelude::{CallbackProgression, Config, Node};
use iceoryx2::service::internal::ServiceInternal;
use iceoryx2::service::port_factory::PortFactory as _;

use crate::ProcessError;
use crate::folder::{Folder, entries, remove_entry};
use crate::lender::Topic;
use crate::lock::{self, NEW, is_old};
use crate::place::Service;

/// Removes the topics of publishers that were killed, with all that subscribers have left there. Returns how many topics it was.
///
/// Happens by itself when a [`Lender`](crate::Lender) is made. Subscribers that live keep what they hold; what waits for them may go. It reads a folder
/// and opens a file for each topic of the user: milliseconds, not for a thread that is in a hurry.
///
/// # Errors
///
/// [`ProcessError::Group`].
pub fn reclaim() -> Result<u64, ProcessError> {
    let now = SystemTime::now();
    Ok(Folder::all()?.iter().filter(|folder| remove_if_dead(folder, now)).count() as u64)
}

fn remove_if_dead(folder: &Folder, now: SystemTime) -> bool {
    let lender = folder.lender();
    // Without a lock: it was killed before it made one, or while it removed the rest.
    let is_without = || {
        let changed = fs::metadata(&folder.path).and_then(|found| found.modified());
        !lender.exists() && changed.is_ok_and(|changed| is_old(changed, now))
    };
    let dead = lock::of_dead(&lender);
    let is_dead = dead.is_some() || is_without();
    if is_dead {
        folder.remove();
    }
    is_dead
}

/// Takes back what dead subscribers of a topic had, while its publisher lives. Returns how many they were.
pub(crate) fn reclaim_ends(topic: &Topic, folder: &Folder) -> Result<u64, ProcessError> {
    let mut dead = Vec::new();
    for end in entries(&folder.path) {
        let id =
            end.file_name().to_string_lossy().strip_prefix("end-").and_then(|id| id.parse::<u128>().ok());
        let lock = id.and_then(|_| lock::of_dead(&end.path()));
        dead.extend(id.zip(lock).map(|(id, lock)| (id, lock, end)));
    }
    remove_unfinished(folder, SystemTime::now());
    let known = if dead.is_empty() { HashMap::new() } else { known_ends(&folder.config()?) };
    let mut taken = 0;
    for (id, _lock, end) in dead {
        taken += u64::from(take_back(topic, folder, id, known.get(&id))?);
        remove_entry(&end);
    }
    Ok(taken)
}

/// The ends that may be in the topic's tables. One that was killed while it put itself there is in none of its lists.
fn known_ends(config: &Config) -> HashMap<u128, UniqueNodeId> {
    let mut known = HashMap::new();
    let _ = Node::<Service>::list(config, |end| {
        known.insert(end.node_id().value(), *end.node_id());
        CallbackProgression::Continue
    });
    known
}

/// True: it may have had a place in the tables.
fn take_back(
    topic: &Topic,
    folder: &Folder,
    id: u128,
    known: Option<&UniqueNodeId>,
) -> Result<bool, ProcessError> {
    remove_queues(folder, id, |queue| queue.metadata().is_ok_and(|found| found.len() == 0));
    if let Some(known) = known {
        restore_tags(topic, folder, known);
        Service::__internal_remove_node_from_service(known, topic.service_hash(), &folder.config()?)
            .map_err(ProcessError::shared("to take a dead subscriber out of the topic"))?;
    }
    remove_queues(folder, id, |_| true);
    for entry in entries(&folder.nodes()) {
        if end_of(&entry.file_name().to_string_lossy(), &folder.prefix) == Some(id) {
            remove_entry(&entry);
        }
    }
    Ok(known.is_some())
}

/// iceoryx2 takes a port out of the tables after it has removed its tag, and never if it finds none: who was killed between the two would leave it there.
fn restore_tags(topic: &Topic, folder: &Folder, end: &UniqueNodeId) {
    let tags = folder.nodes().join(end.value().to_string());
    topic.dynamic_config().list_subscribers(|port| {
        if port.node_id == *end {
            let tag = format!("{}{}.port_tag", folder.prefix, port.subscriber_id.value());
            let _ = fs::create_dir_all(&tags).and_then(|()| File::create_new(tags.join(tag)));
        }
        CallbackProgression::Continue
    });
}

/// Of a subscriber. A queue is called by publisher and subscriber; what ports an end had is told by tags.
fn remove_queues(folder: &Folder, id: u128, is_wanted: impl Fn(&DirEntry) -> bool) {
    for tag in entries(&folder.nodes().join(id.to_string())) {
        let tag = tag.file_name().to_string_lossy().into_owned();
        let Some(port) = tag.strip_prefix(&folder.prefix).and_then(|tag| tag.strip_suffix(".port_tag"))
        else {
            continue;
        };
        let its = format!("_{port}.connection");
        folder
            .shared()
            .filter(|queue| queue.file_name().to_string_lossy().ends_with(&its) && is_wanted(queue))
            .for_each(|queue| remove_entry(&queue));
    }
}

/// Removes what ends left that died before they had a lock.
fn remove_unfinished(folder: &Folder, now: SystemTime) {
    let is_without = |entry: &DirEntry| {
        let id = end_of(&entry.file_name().to_string_lossy(), &folder.prefix);
        id.is_some_and(|id| !folder.path.join(format!("end-{id}")).exists())
    };
    let is_new = |entry: &DirEntry| entry.path().extension().is_some_and(|end| end == NEW);
    let unfinished = entries(&folder.nodes()).filter(is_without).chain(entries(&folder.path).filter(is_new));
    for entry in unfinished {
        let changed = entry.metadata().and_then(|found| found.modified());
        if changed.is_ok_and(|changed| is_old(changed, now)) {
            remove_entry(&entry);
        }
    }
}

/// `ID` and `PREFIX ID.node_monitor*` belong to the end `ID`.
fn end_of(name: &str, prefix: &str) -> Option<u128> {
    let id = match name.strip_prefix(prefix) {
        Some(rest) => rest.split_once(".node_monitor")?.0,
        None => name,
    };
    id.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_end() {
        let whose = |name| end_of(name, "tokkyu_0_");
        assert_eq!(whose("123"), Some(123));
        assert_eq!(whose("tokkyu_0_123.node_monitor"), Some(123));
        assert_eq!(whose("tokkyu_0_123.node_monitor_context"), Some(123));
        for other in
            ["", "12a", "tokkyu_0_.node_monitor", "tokkyu_0_123.details", "tokkyu_1_123.node_monitor"]
        {
            assert_eq!(whose(other), None, "{other}");
        }
    }
}
