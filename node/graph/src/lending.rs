//! A subscriber in another process of this device: it reads our topic in shared memory, and its connection tells that it lives (NODE-80, NODE-81).

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_ros1::Progress;
use tokkyu_ros1::tcpros::{Header, read_header};

use crate::connection::{After, Connection, Role};
use crate::engine::Engine;
use crate::greeting::PATIENCE;
use crate::header::header;
use crate::host::{Audience, Host, Lending, Level, Listening, Receipts};
use crate::net::{ConnId, Net};

/// The longest frame that the two ends of such a connection send.
pub(crate) const FRAME: usize = 1 << 10;
/// Subscriptions of one connection.
const BELLS: usize = 16;

/// One subscriber, with a bell for each of its subscriptions.
pub(crate) struct Borrower {
    pub(crate) topic: String,
    pub(crate) callerid: String,
    lending: Arc<dyn Lending>,
    bells: Vec<Bell>,
    /// Whether it ever had one: then it counts as a subscriber.
    pub(crate) is_joined: bool,
}

struct Bell {
    listening: Listening,
    number: u32,
}

impl Borrower {
    fn on_frame(&mut self, said: Header<'_>) -> Result<Said, String> {
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

    fn add(&mut self, listening: Listening) -> Result<(), String> {
        if self.bells.len() >= BELLS {
            return Err(alloc::format!("a connection has {BELLS} bells at most"));
        }
        let number = self.lending.add(&listening)?;
        self.bells.push(Bell { listening, number });
        Ok(())
    }

    fn remove(&mut self, name: &str, source: u32) {
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

enum Said {
    Joins,
    Leaves,
}

impl<N: Net, H: Host> Engine<N, H> {
    /// What a subscriber of this device opens the topic by. Nothing: it gets TCPROS.
    pub(crate) fn lender_for(&mut self, topic: &str, device: Option<&str>) -> Option<String> {
        let publication = self.publications.get(topic)?;
        let lending = publication.lending.as_ref().filter(|_| device.is_some())?;
        if device != self.identity.device.as_deref() {
            return None;
        }
        match lending.begin() {
            Ok(name) => Some(name),
            Err(error) => {
                self.log(Level::Warn, format_args!("{topic} goes over TCPROS inside this device: {error}"));
                None
            }
        }
    }

    /// A connection becomes that of a subscriber which borrows.
    pub(crate) fn add_borrower(&mut self, connection: &mut Connection, topic: &str, callerid: &str) {
        let Some(publication) = self.publications.get(topic) else { return };
        let Some(lending) = publication.lending.clone() else { return };
        connection.class = publication.class;
        connection.deadline = Some(self.now + PATIENCE);
        let (topic, callerid, bells) = (topic.to_string(), callerid.to_string(), Vec::new());
        connection.role = Role::Lending(Borrower { topic, callerid, lending, bells, is_joined: false });
    }

    /// Frames of a subscriber that borrows.
    pub(crate) fn on_borrower_speaks(&mut self, id: ConnId, connection: &mut Connection) -> After {
        let received = connection.receive(&mut self.net, id, BELLS * FRAME);
        let mut done = Ok(());
        while done.is_ok() {
            let input = core::mem::take(&mut connection.input);
            let used = match read_header(&input, FRAME) {
                Ok(Progress::More) => 0,
                Ok(Progress::Whole { message, used }) => {
                    done = self.on_borrower_frame(connection, message);
                    used
                }
                Err(error) => {
                    done = Err(error.to_string());
                    0
                }
            };
            connection.input = input;
            connection.consume(used);
            if used == 0 {
                break;
            }
        }
        if let Err(text) = done {
            self.log(Level::Warn, format_args!("a subscriber of this device cannot be served: {text}"));
            connection.queue(&header(&[("error", &text)]));
            connection.ends_when_written = true;
        }
        match connection.flush(&mut self.net, id) {
            After::Stay if received.is_over => After::End,
            after => after,
        }
    }

    fn on_borrower_frame(&mut self, connection: &mut Connection, said: Header<'_>) -> Result<(), String> {
        let Role::Lending(borrower) = &mut connection.role else { return Ok(()) };
        if let Said::Leaves = borrower.on_frame(said)? {
            return Ok(());
        }
        let is_new = !core::mem::replace(&mut borrower.is_joined, true);
        let (topic, callerid) = (borrower.topic.clone(), borrower.callerid.clone());
        connection.deadline = None;
        connection.queue(&header(&[("tokkyu_joined", "1")]));
        if let Some(audience) = self.audience_of(&topic).filter(|_| is_new) {
            // The connection itself is not in its place just now.
            audience.on_subscriber(&callerid, self.count_subscribers(&topic) + 1);
        }
        Ok(())
    }

    pub(crate) fn on_borrower_left(&mut self, borrower: &Borrower) {
        if let Some(audience) = self.audience_of(&borrower.topic).filter(|_| borrower.is_joined) {
            audience.on_left(&borrower.callerid, self.count_subscribers(&borrower.topic));
        }
    }

    fn audience_of(&self, topic: &str) -> Option<Arc<dyn Audience>> {
        self.publications.get(topic)?.audience.clone()
    }
}
