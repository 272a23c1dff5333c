//! A flow of the peer, and who here reads it (LNK-13 to LNK-15).

use super::endpoint::InEndpoint;
use crate::core::inbox::Complete;
use crate::core::memory::Share;
use crate::core::order::Order;
use crate::wire::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokkyu_contract::{Durability, FlowId, Outcome, Qos};

/// A flow of the peer.
pub(super) struct Incoming {
    pub(super) entry: Entry,
    pub(super) readings: Vec<Reading>,
    /// Where its order stands, once somebody reads it (LNK-13).
    pub(super) order: Option<Order>,
    /// What a transient_local flow brought last, for readers that join later (LNK-14).
    pub(super) kept: VecDeque<Complete>,
    /// Somebody read it since a table last told that nobody does.
    pub(super) was_read: bool,
}

/// A reader of a flow.
pub(super) struct Reading {
    pub(super) reader: FlowId,
    pub(super) in_order: bool,
    pub(super) keeps_newest: bool,
    pub(super) newest: Option<u32>,
}

/// Losses are made good and nothing gives way: delivered in order, from a half of the memory bound of its own.
pub(super) fn is_ordered(qos: &Qos) -> bool {
    qos.is_lossless()
}

impl Reading {
    pub(super) fn new(reader: FlowId, requested: &Qos, offered: &Qos) -> Self {
        let in_order = is_ordered(requested) && is_ordered(offered);
        Reading { reader, in_order, keeps_newest: requested.depth() == Some(1), newest: None }
    }

    /// Whether this reader gets a sample that is `age` old, and why not.
    pub(super) fn judge(&mut self, sequence: u32, age: Duration, lifespan: Option<Duration>) -> Outcome {
        let is_newer = self.newest.is_none_or(|newest| (sequence.wrapping_sub(newest) as i32) > 0);
        if self.keeps_newest && !is_newer {
            return Outcome::Dropped;
        }
        if lifespan.is_some_and(|lifespan| age > lifespan) {
            return Outcome::Late;
        }
        if is_newer {
            self.newest = Some(sequence);
        }
        Outcome::Delivered
    }
}

impl Incoming {
    pub(super) fn new(entry: Entry) -> Self {
        Incoming { entry, readings: Vec::new(), order: None, kept: VecDeque::new(), was_read: false }
    }

    /// Whether `entry` is still the same flow: its samples and their order go on.
    pub(super) fn goes_on_as(&self, entry: &Entry) -> bool {
        let have = &self.entry;
        (&have.topic, &have.type_name, &have.qos) == (&entry.topic, &entry.type_name, &entry.qos)
    }

    pub(super) fn share(&self) -> Share {
        if is_ordered(&self.entry.qos) { Share::Ordered } else { Share::Rest }
    }

    pub(super) fn is_read_by(&self, reader: FlowId) -> bool {
        self.readings.iter().any(|reading| reading.reader == reader)
    }

    pub(super) fn stop_reading(&mut self, reader: FlowId) {
        self.readings.retain(|reading| reading.reader != reader);
    }

    /// Its last reader went, and no table told so yet. From now on nobody did read it.
    pub(super) fn take_unread(&mut self) -> bool {
        self.readings.is_empty() && std::mem::take(&mut self.was_read)
    }

    /// Its next reader needs to be known as the first: for what is kept, or for a FLOOR to begin at (LNK-35).
    pub(super) fn welcomes_first(&self) -> bool {
        is_ordered(&self.entry.qos) || self.entry.qos.durability == Durability::TransientLocal
    }

    /// After this no reader wants a sample any more. None: never.
    pub(super) fn lifespan(&self, readers: &BTreeMap<FlowId, InEndpoint>) -> Option<Duration> {
        let offered = self.entry.qos.lifespan;
        let reader = |reading: &Reading| Some(readers.get(&reading.reader)?.lifespan(offered));
        let each = self.readings.iter().filter_map(reader);
        // The longest; a reader without one outlasts all others.
        each.reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b))).unwrap_or(offered)
    }
}
