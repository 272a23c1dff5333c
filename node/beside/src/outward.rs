//! A topic of the RTOS's, for the nodes of this machine.

use std::fmt;

use tokkyu_monitor_topics::{Device, Direction, Entry};
use tokkyu_node::raw::Publisher;
use tokkyu_node::{Node, PublisherOptions};
use tokkyu_window::WindowReader;

use crate::counts::{Count, Counts, add};
use crate::error::BesideError;
use crate::kind::kind_of;

pub(crate) struct Outward {
    topic: Entry,
    publisher: Publisher,
    /// None: the RTOS has not begun to publish it.
    reader: Option<WindowReader<'static>>,
    counts: Counts,
}

impl fmt::Debug for Outward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?}, {:?}", self.topic.name, self.reader, self.counts)
    }
}

impl Outward {
    pub(crate) fn open(node: &Node, topic: Entry) -> Result<Outward, BesideError> {
        let options = PublisherOptions {
            slot_bytes: topic.form.slot_bytes() as usize,
            ..PublisherOptions::with_depth(topic.form.slots())
        };
        let publisher = node
            .advertise_raw(&topic.name, kind_of(&topic), options)
            .map_err(|error| BesideError::Node(topic.name.clone(), error))?;
        Ok(Outward { topic, publisher, reader: None, counts: Counts::default() })
    }

    /// All that is there by now, and no more: other topics wait.
    pub(crate) fn carry(&mut self, device: &'static Device) {
        if self.reader.is_none() {
            self.reader = device.reader(&self.topic).ok();
        }
        let Some(reader) = &mut self.reader else { return };
        let lost = reader.lost();
        for _ in 0..self.topic.form.slots() {
            let Some(view) = reader.look() else { break };
            if self.publisher.subscribers() == 0 {
                continue;
            }
            let mut is_whole = true;
            let fill = |bytes: &mut [u8]| {
                view.copy_into(bytes);
                is_whole = reader.is_whole(&view);
                is_whole
            };
            let is_carried = publish(&self.publisher, view.len(), fill);
            add(if is_carried { &self.counts.carried } else { &self.counts.refused }, u64::from(is_whole));
        }
        add(&self.counts.lost, reader.lost() - lost);
    }

    pub(crate) fn count(&self) -> Count {
        self.counts.tell(&self.topic.name, Direction::FromRtos)
    }
}

/// Publishes a message of so many bytes, which `fill` writes; nothing if it says no, or a slot cannot be had.
fn publish(publisher: &Publisher, bytes: usize, fill: impl FnOnce(&mut [u8]) -> bool) -> bool {
    publisher.loan(bytes).is_ok_and(|mut loan| fill(&mut loan) && loan.publish().is_ok())
}
