//! Who connected to TCPROS, and what for: a topic or a service (NODE-52, NODE-58).

use alloc::string::{String, ToString};

use tokkyu_ros1::Progress;
use tokkyu_ros1::tcpros::{Header, MAX_HEADER, read_header};

use super::Engine;
use crate::connection::{After, Connection, Role};
use crate::header::header;
use crate::host::{Host, Level};
use crate::net::{ConnId, Net};
use crate::serving::Serving;

impl<N: Net, H: Host> Engine<N, H> {
    pub(crate) fn on_greeting(&mut self, id: ConnId, connection: &mut Connection) -> After {
        let received = connection.receive(&mut self.net, id, 4 + MAX_HEADER);
        let input = core::mem::take(&mut connection.input);
        let greeted = match read_header(&input, MAX_HEADER) {
            Ok(Progress::More) => {
                connection.input = input;
                return if received.is_over { After::End } else { After::Stay };
            }
            Ok(Progress::Whole { message, used }) => {
                connection.input = input[used..].to_vec();
                self.greet(id, connection, message)
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(text) = greeted {
            self.log(Level::Warn, format_args!("a connection was refused: {text}"));
            connection.queue(&header(&[("error", &text)]));
            connection.ends_when_written = true;
        } else if !matches!(connection.role, Role::Lending(_)) {
            connection.deadline = None;
        }
        match connection.flush(&mut self.net, id) {
            After::Stay if matches!(connection.role, Role::Serving(_)) => self.on_serving(id, connection),
            After::Stay => self.pump_sending(id, connection),
            After::End => After::End,
        }
    }

    fn greet(&mut self, id: ConnId, connection: &mut Connection, asked: Header<'_>) -> Result<(), String> {
        if asked.get("tcp_nodelay") == Some("1") {
            self.net.set_no_delay(id, true);
        }
        match (asked.get("topic"), asked.get("service")) {
            (Some(topic), _) => self.greet_subscriber(id, connection, topic, asked),
            (None, Some(service)) => self.greet_client(id, connection, service, asked),
            (None, None) => Err("the header has neither topic nor service".to_string()),
        }
    }

    fn greet_subscriber(
        &mut self,
        id: ConnId,
        connection: &mut Connection,
        topic: &str,
        asked: Header<'_>,
    ) -> Result<(), String> {
        let md5sum = asked.get("md5sum").ok_or("the header has no md5sum")?;
        let datatype = asked.get("type").ok_or("the header has no type")?;
        let callerid = asked.get("callerid").unwrap_or("");
        let publication = self.publications.get(topic);
        let publication = publication.ok_or_else(|| alloc::format!("{topic} is not published here"))?;
        let kind = publication.kind.clone();
        if !kind.fits(datatype, md5sum) {
            return Err(alloc::format!(
                "{callerid} asked for {topic} as {datatype} [{md5sum}], and it is {} [{}] here",
                kind.datatype,
                kind.md5sum
            ));
        }
        let latching = if publication.channel.limits().latch { "1" } else { "0" };
        let lender = self.lender_for(topic, asked.get("tokkyu_device"));
        if lender.is_some() {
            self.add_borrower(connection, topic, callerid);
        } else {
            self.add_subscriber(id, connection, topic, callerid)
                .map_err(|error| alloc::format!("{topic} has no room for one more subscriber: {error}"))?;
        }
        let mut fields = alloc::vec![
            ("callerid", &self.identity.name[..]),
            ("latching", latching),
            ("md5sum", &kind.md5sum),
            ("topic", topic),
            ("type", &kind.datatype),
        ];
        fields.extend(lender.as_deref().map(|lender| ("tokkyu_lender", lender)));
        // Last: one that is too long is left out.
        fields.push(("message_definition", &kind.definition));
        connection.queue(&header(&fields));
        Ok(())
    }

    fn greet_client(
        &mut self,
        id: ConnId,
        connection: &mut Connection,
        service: &str,
        asked: Header<'_>,
    ) -> Result<(), String> {
        let md5sum = asked.get("md5sum").ok_or("the header has no md5sum")?;
        let callerid = asked.get("callerid").unwrap_or("");
        let offered = self.offers.get(service);
        let offered = offered.ok_or_else(|| alloc::format!("service {service} is not offered here"))?;
        let kind = &offered.kind;
        if !kind.fits("*", md5sum) {
            return Err(alloc::format!(
                "{callerid} asked for service {service} with [{md5sum}], and it has [{}] here",
                kind.md5sum
            ));
        }
        let answer = header(&[
            ("callerid", &self.identity.name),
            ("md5sum", &kind.md5sum),
            ("type", &kind.datatype),
            ("request_type", &alloc::format!("{}Request", kind.datatype)),
            ("response_type", &alloc::format!("{}Response", kind.datatype)),
        ]);
        let is_persistent = asked.get("persistent") == Some("1");
        let serving = Serving::new(service.to_string(), callerid.to_string(), is_persistent, offered.longest);
        self.net.set_no_delay(id, true);
        connection.queue(&answer);
        // A probe wants to know the type, and no more.
        connection.ends_when_written = asked.get("probe") == Some("1");
        connection.role = Role::Serving(serving);
        Ok(())
    }
}
