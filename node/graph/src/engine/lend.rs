//! A subscriber in another process of this device: it reads our topic in shared memory, and its connection tells that it lives (NODE-80, NODE-81).

use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_ros1::Progress;
use tokkyu_ros1::tcpros::{Header, read_header};

use super::Engine;
use crate::connection::{After, Connection, GREETING_PATIENCE, Role};
use crate::header::header;
use crate::host::{Audience, Host, Level};
use crate::lending::{BELLS, Borrower, FRAME, Said};
use crate::net::{ConnId, Net};

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
        connection.deadline = Some(self.now + GREETING_PATIENCE);
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
