//! A master: who publishes what, said to who subscribes. As much of it as the tests need.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use tokkyu_graph::{ConnId, Io, Listener};
use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{read_request, write_request_head, write_response_head};
use tokkyu_ros1::uri::Uri;
use tokkyu_ros1::xmlrpc::{Value, Writer, read_call};

use super::MASTER;
use super::network::Wire;

#[derive(Default)]
struct Talk {
    input: Vec<u8>,
    output: Vec<u8>,
}

pub struct Master {
    end: usize,
    next: u32,
    /// Calls of nodes, and ours of them.
    talks: BTreeMap<ConnId, Talk>,
    publishers: BTreeMap<String, BTreeSet<String>>,
    subscribers: BTreeMap<String, BTreeSet<String>>,
    pub services: BTreeMap<String, String>,
    /// Every call: method and arguments.
    pub calls: Vec<Vec<String>>,
}

impl Master {
    pub fn new(wire: &Arc<Mutex<Wire>>) -> Master {
        let end = wire.lock().unwrap().add_end();
        wire.lock().unwrap().listen(end, Listener::Slave, MASTER.0, MASTER.1);
        Master {
            end,
            next: 0,
            talks: BTreeMap::new(),
            publishers: BTreeMap::new(),
            subscribers: BTreeMap::new(),
            services: BTreeMap::new(),
            calls: Vec::new(),
        }
    }

    /// It is gone, and its connections with it.
    pub fn stop(self, wire: &Arc<Mutex<Wire>>) {
        let mut wire = wire.lock().unwrap();
        wire.end_listening(MASTER.0, MASTER.1);
        self.talks.keys().for_each(|id| wire.close(self.end, *id));
    }

    pub fn publishers_of(&self, topic: &str) -> Vec<String> {
        self.publishers.get(topic).into_iter().flatten().cloned().collect()
    }

    pub fn has_called(&self, method: &str) -> usize {
        self.calls.iter().filter(|call| call[0] == method).count()
    }

    fn id(&mut self) -> ConnId {
        self.next += 1;
        ConnId(self.next)
    }

    pub fn step(&mut self, wire: &Arc<Mutex<Wire>>) -> bool {
        let mut is_busy = false;
        while wire.lock().unwrap().has_waiting(self.end, Listener::Slave) {
            let id = self.id();
            wire.lock().unwrap().accept(self.end, Listener::Slave, id);
            self.talks.insert(id, Talk::default());
            is_busy = true;
        }
        let ids: Vec<ConnId> = self.talks.keys().copied().collect();
        for id in ids {
            is_busy |= self.read(wire, id);
            is_busy |= self.write(wire, id);
        }
        is_busy
    }

    fn read(&mut self, wire: &Arc<Mutex<Wire>>, id: ConnId) -> bool {
        let mut chunk = [0; 512];
        let io = wire.lock().unwrap().read(self.end, id, &mut chunk);
        match io {
            Io::Done(count) => {
                let Some(talk) = self.talks.get_mut(&id) else { return false };
                talk.input.extend_from_slice(&chunk[..count]);
                let input = talk.input.clone();
                if let Ok(Progress::Whole { message, used }) = read_request(&input, 1 << 16) {
                    let answer = self.answer(wire, message.body);
                    let Some(talk) = self.talks.get_mut(&id) else { return false };
                    talk.input.drain(..used);
                    let mut head = String::new();
                    write_response_head(&mut head, 200, answer.len(), true).expect("a head");
                    talk.output.extend_from_slice((head + &answer).as_bytes());
                }
                true
            }
            Io::Later => false,
            Io::Over => {
                wire.lock().unwrap().close(self.end, id);
                self.talks.remove(&id).is_some()
            }
        }
    }

    fn write(&mut self, wire: &Arc<Mutex<Wire>>, id: ConnId) -> bool {
        let Some(talk) = self.talks.get_mut(&id) else { return false };
        if talk.output.is_empty() {
            return false;
        }
        let io = wire.lock().unwrap().write(self.end, id, &talk.output);
        if let Io::Done(count) = io {
            talk.output.drain(..count);
        }
        matches!(io, Io::Done(_))
    }

    fn answer(&mut self, wire: &Arc<Mutex<Wire>>, body: &[u8]) -> String {
        let call = read_call(body).expect("a call");
        let argument = |value| if let Value::Str(text) = value { text.to_string() } else { String::new() };
        let arguments: Vec<String> = call.params.map(argument).collect();
        let method = call.method.to_string();
        self.calls.push([vec![method.clone()], arguments.clone()].concat());
        let mut uris = Vec::new();
        match &method[..] {
            "registerPublisher" => {
                self.publishers.entry(arguments[1].clone()).or_default().insert(arguments[3].clone());
                self.update(wire, &arguments[1]);
            }
            "unregisterPublisher" => {
                self.publishers.entry(arguments[1].clone()).or_default().remove(&arguments[2]);
                self.update(wire, &arguments[1]);
            }
            "registerSubscriber" => {
                self.subscribers.entry(arguments[1].clone()).or_default().insert(arguments[3].clone());
                uris = self.publishers_of(&arguments[1]);
            }
            "unregisterSubscriber" => {
                self.subscribers.entry(arguments[1].clone()).or_default().remove(&arguments[2]);
            }
            "registerService" => drop(self.services.insert(arguments[1].clone(), arguments[2].clone())),
            "unregisterService" => drop(self.services.remove(&arguments[1])),
            _ => {}
        }
        let mut answer = String::new();
        let written = Writer::triple(&mut answer, 1, "done", |value| {
            value.array(|out| uris.iter().try_for_each(|uri| out.string(uri)))
        });
        written.expect("URIs can be written");
        answer
    }

    /// Says to every subscriber of a topic who publishes it.
    fn update(&mut self, wire: &Arc<Mutex<Wire>>, topic: &str) {
        let uris = self.publishers_of(topic);
        for subscriber in self.subscribers.get(topic).cloned().unwrap_or_default() {
            self.tell(wire, &subscriber, topic, &uris);
        }
    }

    pub fn tell(&mut self, wire: &Arc<Mutex<Wire>>, subscriber: &str, topic: &str, uris: &[String]) {
        let mut body = String::new();
        let written = Writer::call(&mut body, "publisherUpdate", |params| {
            params.string("/master")?;
            params.string(topic)?;
            params.array(|out| uris.iter().try_for_each(|uri| out.string(uri)))
        });
        written.expect("URIs can be written");
        let mut head = String::new();
        write_request_head(&mut head, "node:1", "/", body.len()).expect("a head");
        let at = Uri::parse(subscriber).expect("a URI");
        let id = self.id();
        if wire.lock().unwrap().connect(self.end, id, &at.host.to_string(), at.port).is_ok() {
            self.talks.insert(id, Talk { input: Vec::new(), output: (head + &body).into_bytes() });
        }
    }
}
