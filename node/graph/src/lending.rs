//! A subscriber in another process of this device, which reads a topic of ours in shared memory (NODE-80).

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_ros1::tcpros::Header;

use crate::host::{Lending, Listening, Receipts};

/// The longest frame that the two ends of such a connection send.
pub(crate) const FRAME: usize = 1 << 10;
/// Subscriptions of one connection.
pub(crate) const BELLS: usize = 16;

/// One subscriber, with a bell for each of its subscriptions.
pub(crate) struct Borrower {
    pub(crate) topic: String,
    pub(crate) callerid: String,
    pub(crate) lending: Arc<dyn Lending>,
    pub(crate) bells: Vec<Bell>,
    /// Whether it ever had one: then it counts as a subscriber.
    pub(crate) is_joined: bool,
}

pub(crate) struct Bell {
    pub(crate) listening: Listening,
    pub(crate) number: u32,
}

impl Borrower {
    pub(crate) fn on_frame(&mut self, said: Header<'_>) -> Result<Said, String> {
        let number = |name| said.get(name).and_then(|number| number.parse().ok());
        match (said.get("tokkyu_bell"), said.get("tokkyu_leaves"), number("tokkyu_source")) {
            (Some(bell), None, Some(source)) => {
                let is_reliable =
                    ["tokkyu_receipts", "tokkyu_depth"].iter().any(|name| said.get(name).is_some());
                let receipts = number("tokkyu_receipts").zip(number("tokkyu_depth"));
                let receipts = receipts.map(|(word, depth)| Receipts { word, depth });
                if is_reliable && receipts.is_none() {
                    return Err("tokkyu_receipts and tokkyu_depth are not two numbers".to_string());
                }
                self.add(Listening { bell: bell.to_string(), source, receipts }).map(|()| Said::Joins)
            }
            (None, Some(name), Some(source)) => {
                self.remove(name, source);
                Ok(Said::Leaves)
            }
            _ => Err("a frame has neither tokkyu_bell nor tokkyu_leaves, or no tokkyu_source".to_string()),
        }
    }

    pub(crate) fn add(&mut self, listening: Listening) -> Result<(), String> {
        if self.bells.len() >= BELLS {
            return Err(alloc::format!("a connection has {BELLS} bells at most"));
        }
        let number = self.lending.add(&listening)?;
        self.bells.push(Bell { listening, number });
        Ok(())
    }

    pub(crate) fn remove(&mut self, name: &str, source: u32) {
        let is_it = |bell: &Bell| bell.listening.source == source && bell.listening.bell == name;
        if let Some(at) = self.bells.iter().position(is_it) {
            self.lending.remove(self.bells.swap_remove(at).number);
        }
    }
}

impl Drop for Borrower {
    fn drop(&mut self) {
        self.bells.iter().for_each(|bell| self.lending.remove(bell.number));
        self.lending.reclaim();
    }
}

pub(crate) enum Said {
    Joins,
    Leaves,
}
