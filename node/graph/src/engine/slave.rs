//! The slave API: what the master and other nodes ask of this one (NODE-51).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{MAX_HEAD, read_request, write_response_head};
use tokkyu_ros1::xmlrpc::{Call, Items, Text, Value, Values, WriteError, Writer, read_call};

use super::Engine;
use crate::call::texts;
use crate::connection::{After, Connection, Role, SLAVE_PATIENCE};
use crate::host::Host;
use crate::net::{ConnId, Net};

/// The longest call. The publishers of a topic are in one.
const CALL: usize = 64 << 10;

type Written = Result<(), WriteError>;

/// An argument that is missing or another thing than it must be.
struct Wrong(&'static str);

impl<N: Net, H: Host> Engine<N, H> {
    pub(crate) fn on_slave(&mut self, id: ConnId, connection: &mut Connection) -> After {
        let received = connection.receive(&mut self.net, id, MAX_HEAD + CALL);
        connection.deadline = Some(self.now + SLAVE_PATIENCE);
        // One answer after the other: who asks and does not read takes no memory.
        while !connection.has_output() {
            let (answer, keep_alive, used) = match read_request(&connection.input, CALL) {
                Ok(Progress::More) if received.is_over => return After::End,
                Ok(Progress::More) => return After::Stay,
                Ok(Progress::Whole { message, used }) => {
                    let (body, keep_alive) = (message.body.to_vec(), message.keep_alive);
                    (Ok(self.answer_to(&body)), keep_alive, used)
                }
                Err(refusal) => (Err(refusal.status()), false, connection.input.len()),
            };
            connection.consume(used);
            reply(connection, answer, keep_alive);
            if connection.flush(&mut self.net, id) == After::End {
                return After::End;
            }
        }
        After::Stay
    }

    /// The document that answers a document.
    fn answer_to(&mut self, body: &[u8]) -> String {
        let mut out = String::new();
        let written = match read_call(body) {
            Ok(call) => self.answer_call(&mut out, call),
            Err(error) => Writer::fault(&mut out, -1, &error.to_string()),
        };
        if let Err(error) = written {
            out.clear();
            let _ = Writer::fault(&mut out, -1, &error.to_string());
        }
        out
    }

    fn answer_call(&mut self, out: &mut String, call: Call<'_>) -> Written {
        let method = call.method.to_string();
        let arguments = Arguments(call.params);
        let mut body = String::new();
        let answered = match &method[..] {
            "getPid" => {
                arguments.check(1).map(|()| Writer::triple(&mut body, 1, "", |v| v.int(self.identity.pid)))
            }
            "getMasterUri" => arguments
                .check(1)
                .map(|()| Writer::triple(&mut body, 1, "", |v| v.string(&self.identity.master_uri()))),
            "getPublications" => arguments
                .check(1)
                .map(|()| Writer::triple(&mut body, 1, "publications", |v| self.write_publications(v))),
            "getSubscriptions" => arguments
                .check(1)
                .map(|()| Writer::triple(&mut body, 1, "subscriptions", |v| self.write_subscriptions(v))),
            "getBusInfo" => arguments
                .check(1)
                .map(|()| Writer::triple(&mut body, 1, "bus info", |v| self.write_bus_info(v))),
            "getBusStats" => arguments
                .check(1)
                .map(|()| Writer::triple(&mut body, 1, "bus stats", |v| self.write_bus_stats(v))),
            "shutdown" => self.on_shutdown_call(&arguments, &mut body),
            "publisherUpdate" => self.on_publisher_update(&arguments, &mut body),
            "paramUpdate" => self.on_param_update(&arguments, &mut body),
            "requestTopic" => self.on_request_topic(&arguments, &mut body),
            _ => return Writer::fault(out, -1, &alloc::format!("{method}: this node has no such method")),
        };
        match answered {
            Ok(written) => {
                out.push_str(&body);
                written
            }
            Err(Wrong(what)) => Writer::triple(out, -1, &alloc::format!("{method}: {what}"), |v| v.int(0)),
        }
    }

    fn on_shutdown_call(&mut self, arguments: &Arguments<'_>, out: &mut String) -> Result<Written, Wrong> {
        arguments.check(1)?;
        let reason = arguments.text(1, "").map(|text| text.to_string()).unwrap_or_default();
        let caller = arguments.text(0, "").map(|text| text.to_string()).unwrap_or_default();
        self.host.on_shutdown(&caller, &reason);
        Ok(Writer::triple(out, 1, "shutdown", |v| v.int(0)))
    }

    fn on_publisher_update(&mut self, arguments: &Arguments<'_>, out: &mut String) -> Result<Written, Wrong> {
        arguments.check(3)?;
        let topic = arguments.text(1, "the second argument is a topic, a string")?.to_string();
        let Some(Value::Array(uris)) = arguments.get(2) else {
            return Err(Wrong("the third argument is an array of publishers' URIs"));
        };
        self.on_publishers(&topic, &texts(uris));
        Ok(Writer::triple(out, 1, "", |v| v.int(0)))
    }

    fn on_param_update(&mut self, arguments: &Arguments<'_>, out: &mut String) -> Result<Written, Wrong> {
        arguments.check(3)?;
        let key = arguments.text(1, "the second argument is a parameter's name, a string")?.to_string();
        self.on_param_changed(&key, arguments.get(2));
        Ok(Writer::triple(out, 1, "", |v| v.int(0)))
    }

    fn on_request_topic(&mut self, arguments: &Arguments<'_>, out: &mut String) -> Result<Written, Wrong> {
        arguments.check(3)?;
        let topic = arguments.text(1, "the second argument is a topic, a string")?.to_string();
        let Some(Value::Array(protocols)) = arguments.get(2) else {
            return Err(Wrong(
                "the third argument is an array of protocols, each an array with its name first",
            ));
        };
        let is_tcpros = |protocol: Value<'_>| match protocol {
            Value::Array(mut words) => matches!(words.next(), Some(Value::Str(name)) if name == "TCPROS"),
            _ => false,
        };
        if !self.publications.contains_key(&topic) {
            return Ok(Writer::triple(out, 0, &alloc::format!("{topic} is not published here"), |v| {
                v.int(0)
            }));
        }
        if !protocols.into_iter().any(is_tcpros) {
            return Ok(Writer::triple(out, 0, "no protocol in common; this node has TCPROS", |v| v.int(0)));
        }
        let (host, port) = (&self.identity.host, self.identity.data_port);
        let text = alloc::format!("ready on {host}:{port}");
        Ok(Writer::triple(out, 1, &text, |v| {
            v.array(|v| {
                v.string("TCPROS")?;
                v.string(host)?;
                v.int(i32::from(port))
            })
        }))
    }

    fn write_publications(&self, out: &mut Values<'_, String>) -> Written {
        let topics = self.publications.iter().map(|(topic, one)| (topic, &one.kind.datatype));
        write_pairs(out, topics)
    }

    fn write_subscriptions(&self, out: &mut Values<'_, String>) -> Written {
        let topics = self.subscriptions.iter().map(|(topic, one)| (topic, &one.kind.datatype));
        write_pairs(out, topics)
    }

    /// Each connection: number, who, direction, transport, topic, whether it lives, a word for people.
    fn write_bus_info(&self, out: &mut Values<'_, String>) -> Written {
        out.array(|out| {
            for (id, connection) in self.connections.iter() {
                let (who, direction, transport, topic) = match &connection.role {
                    Role::Sending(sending) => (&sending.callerid, "o", "TCPROS", &sending.topic),
                    Role::Receiving(key, receiving) => (&key.uri, "i", "TCPROS", &receiving.origin.topic),
                    Role::Lending(borrower) => (&borrower.callerid, "o", "SHM", &borrower.topic),
                    Role::Borrowing(key, borrowing) => (&key.uri, "i", "SHM", &borrowing.origin.topic),
                    _ => continue,
                };
                let about = alloc::format!(
                    "{transport} connection {} {who}",
                    if direction == "o" { "to" } else { "from" }
                );
                write_link(out, id.0, [who, direction, transport, topic], &about)?;
            }
            for (topic, publication) in &self.publications {
                for (link, _) in &publication.local {
                    let name = &self.identity.name;
                    write_link(out, *link, [name, "o", "INTRAPROCESS", topic], "inside the node")?;
                    write_link(
                        out,
                        *link,
                        [&self.identity.slave_uri(), "i", "INTRAPROCESS", topic],
                        "inside the node",
                    )?;
                }
            }
            Ok(())
        })
    }

    /// What was sent and received on each connection; of services nothing, as in roscpp.
    fn write_bus_stats(&self, out: &mut Values<'_, String>) -> Written {
        out.array(|out| {
            out.array(|out| self.publications.keys().try_for_each(|topic| self.write_sent(out, topic)))?;
            out.array(|out| self.subscriptions.keys().try_for_each(|topic| self.write_received(out, topic)))?;
            out.array(|out| (0..3).try_for_each(|_| out.int(0)))
        })
    }

    fn write_sent(&self, out: &mut Values<'_, String>, topic: &str) -> Written {
        out.array(|out| {
            out.string(topic)?;
            out.int(0)?;
            out.array(|out| {
                for (id, connection) in self.connections.iter() {
                    let Role::Sending(sending) = &connection.role else { continue };
                    if sending.topic == topic {
                        let (messages, bytes) = sending.numbers();
                        write_numbers(out, [u64::from(id.0), bytes, messages.into()])?;
                    }
                }
                Ok(())
            })
        })
    }

    fn write_received(&self, out: &mut Values<'_, String>, topic: &str) -> Written {
        out.array(|out| {
            out.string(topic)?;
            out.array(|out| {
                for (id, connection) in self.connections.iter() {
                    let Role::Receiving(_, receiving) = &connection.role else { continue };
                    if receiving.origin.topic == topic {
                        let numbers = [u64::from(id.0), receiving.bytes, receiving.messages.into(), 0];
                        write_numbers(out, numbers)?;
                    }
                }
                Ok(())
            })
        })
    }
}

/// Arguments of a call; the first is who calls.
struct Arguments<'a>(Items<'a>);

impl<'a> Arguments<'a> {
    fn get(&self, index: usize) -> Option<Value<'a>> {
        self.0.clone().nth(index)
    }

    fn text(&self, index: usize, wrong: &'static str) -> Result<Text<'a>, Wrong> {
        if let Some(Value::Str(text)) = self.get(index) { Ok(text) } else { Err(Wrong(wrong)) }
    }

    /// At least so many, the first of them a name.
    fn check(&self, least: usize) -> Result<(), Wrong> {
        if self.0.len() < least {
            return Err(Wrong("there are arguments missing"));
        }
        self.text(0, "the first argument is the caller's name, a string").map(drop)
    }
}

fn reply(connection: &mut Connection, answer: Result<String, u16>, keep_alive: bool) {
    let (status, body) = match answer {
        Ok(body) => (200, body),
        Err(status) => (status, String::new()),
    };
    let mut head = String::new();
    // The status has three digits.
    let _ = write_response_head(&mut head, status, body.len(), keep_alive);
    connection.queue(head.as_bytes());
    connection.queue(body.as_bytes());
    connection.ends_when_written = !keep_alive;
}

fn write_pairs<'a>(
    out: &mut Values<'_, String>,
    pairs: impl Iterator<Item = (&'a String, &'a String)>,
) -> Written {
    let pairs: Vec<_> = pairs.collect();
    out.array(|out| {
        pairs.iter().try_for_each(|(one, other)| {
            out.array(|out| {
                out.string(one)?;
                out.string(other)
            })
        })
    })
}

fn write_link(out: &mut Values<'_, String>, number: u32, words: [&str; 4], about: &str) -> Written {
    out.array(|out| {
        out.int(i32::try_from(number).unwrap_or(i32::MAX))?;
        words.iter().try_for_each(|word| out.string(word))?;
        out.boolean(true)?;
        out.string(about)
    })
}

/// Numbers that may be too long for an `int`, as roscpp has them: cut off; and that the connection lives.
fn write_numbers<const COUNT: usize>(out: &mut Values<'_, String>, numbers: [u64; COUNT]) -> Written {
    out.array(|out| {
        numbers.iter().try_for_each(|number| out.int(i32::try_from(*number).unwrap_or(i32::MAX)))?;
        out.boolean(true)
    })
}
