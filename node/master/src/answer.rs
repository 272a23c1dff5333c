//! The methods (NODE-122).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tokkyu_graph::Param;
use tokkyu_ros1::xmlrpc::{Values, WriteError, Writer, read_call};

use crate::params::{Params, SetError, clean, holds};
use crate::registrations::{Changed, Holders, Registrations, Side, TooMany};
use crate::told::Told;

/// Done; not done, by a mistake of the caller's (ROS, Master_API: statusCode).
const DONE: i32 = 1;
const MISTAKE: i32 = -1;
/// Of XML-RPC: the server does not do it.
const FAULT: i32 = 1;

/// What a call comes to.
#[derive(Debug)]
pub struct Answered {
    /// The answer, of XML-RPC.
    pub body: String,
    /// What nodes are to be told now, in this order.
    pub told: Vec<Told>,
}

/// Names and parameters of nodes.
#[derive(Debug)]
pub struct Master {
    uri: String,
    process: i32,
    registrations: Registrations,
    params: Params,
}

/// What an answer has behind its words.
enum Reply {
    Number(i32),
    Flag(bool),
    Text(String),
    Texts(Vec<String>),
    Pairs(Vec<(String, String)>),
    State([Vec<Holders>; 3]),
    Value(Param),
}

/// What a method has done.
struct Done {
    code: i32,
    text: String,
    reply: Reply,
    told: Vec<Told>,
}

impl Done {
    fn with(reply: Reply) -> Done {
        Done { code: DONE, text: String::new(), reply, told: Vec::new() }
    }

    fn mistake(text: impl Into<String>, reply: Reply) -> Done {
        Done { code: MISTAKE, text: text.into(), reply, told: Vec::new() }
    }
}

impl From<TooMany> for Done {
    fn from(_: TooMany) -> Done {
        Done::mistake("there are as many names as this master has room for", Reply::Number(0))
    }
}

/// A name as who says it means it: `/global`, `~own`, or in the caller's namespace.
fn resolve(caller: &str, name: &str) -> String {
    if name.starts_with('/') {
        return clean(name);
    }
    match name.strip_prefix('~') {
        Some(own) => clean(&format!("{caller}/{own}")),
        None => clean(&format!("{}/{name}", caller.rsplit_once('/').map_or("", |(namespace, _)| namespace))),
    }
}

fn strings(out: &mut Values<'_, String>, texts: &[String]) -> Result<(), WriteError> {
    out.array(|out| texts.iter().try_for_each(|text| out.string(text)))
}

impl Reply {
    fn write(&self, out: &mut Values<'_, String>) -> Result<(), WriteError> {
        match self {
            Reply::Number(number) => out.int(*number),
            Reply::Flag(flag) => out.boolean(*flag),
            Reply::Text(text) => out.string(text),
            Reply::Texts(texts) => strings(out, texts),
            Reply::Value(value) => value.write(out),
            Reply::Pairs(pairs) => out.array(|out| {
                pairs.iter().try_for_each(|(name, kind)| {
                    out.array(|out| out.string(name).and_then(|()| out.string(kind)))
                })
            }),
            Reply::State(state) => out.array(|out| {
                state.iter().try_for_each(|names| {
                    out.array(|out| {
                        names.iter().try_for_each(|(name, nodes)| {
                            out.array(|out| out.string(name).and_then(|()| strings(out, nodes)))
                        })
                    })
                })
            }),
        }
    }
}

impl Master {
    /// Nobody is there yet. `uri`: where it is; `process`: what `getPid` answers.
    pub fn new(uri: &str, process: i32) -> Master {
        let (registrations, params) = (Registrations::default(), Params::default());
        Master { uri: uri.to_owned(), process, registrations, params }
    }

    /// A call, the body of a request.
    pub fn on_call(&mut self, body: &[u8]) -> Answered {
        let call = match read_call(body) {
            Ok(call) => call,
            Err(error) => return fault(&format!("this is no call: {error}")),
        };
        let (method, params) =
            (call.method.to_string(), call.params.map(Param::from_value).collect::<Vec<_>>());
        let Some(done) = self.dispatch(&method, &params) else {
            return fault(&format!("a master has no method {method} with {} such arguments", params.len()));
        };
        let mut body = String::new();
        match Writer::triple(&mut body, done.code, &done.text, |out| done.reply.write(out)) {
            Ok(()) => Answered { body, told: done.told },
            Err(error) => {
                Answered { told: done.told, ..fault(&format!("the answer cannot be said: {error}")) }
            }
        }
    }

    /// Nothing: there is no such method, or it takes other arguments.
    fn dispatch(&mut self, method: &str, params: &[Param]) -> Option<Done> {
        if let ("setParam", [Param::Text(caller), Param::Text(key), value]) = (method, params) {
            return Some(self.set_param(&resolve(caller, key), value.clone()));
        }
        let words: Vec<&str> = params.iter().map(text).collect::<Option<_>>()?;
        self.of_topics(method, &words)
            .or_else(|| self.of_services(method, &words))
            .or_else(|| self.of_params(method, &words))
            .or_else(|| self.of_itself(method, &words))
    }

    fn of_topics(&mut self, method: &str, words: &[&str]) -> Option<Done> {
        Some(match (method, words) {
            ("registerPublisher", [node, topic, kind, uri]) => {
                self.join(Side::Publisher, node, &resolve(node, topic), (kind, uri))
            }
            ("registerSubscriber", [node, topic, kind, uri]) => {
                self.join(Side::Subscriber, node, &resolve(node, topic), (kind, uri))
            }
            ("unregisterPublisher", [node, topic, uri]) => {
                let topic = resolve(node, topic);
                let was_there = self.registrations.leave(Side::Publisher, node, &topic, uri);
                let changed = was_there.then_some(topic);
                Done { told: self.tell_of_topics(changed), ..Done::with(Reply::Number(was_there.into())) }
            }
            ("unregisterSubscriber", [node, topic, uri]) => {
                let was_there = self.registrations.leave(Side::Subscriber, node, &resolve(node, topic), uri);
                Done::with(Reply::Number(was_there.into()))
            }
            ("getPublishedTopics", [_, namespace]) => {
                let namespace = if namespace.is_empty() || namespace.ends_with('/') {
                    (*namespace).to_owned()
                } else {
                    format!("{namespace}/")
                };
                Done::with(Reply::Pairs(self.registrations.kinds(Some(&namespace))))
            }
            ("getTopicTypes", [_]) => Done::with(Reply::Pairs(self.registrations.kinds(None))),
            ("getSystemState", [_]) => Done::with(Reply::State(self.registrations.state())),
            _ => return None,
        })
    }

    fn join(&mut self, side: Side, node: &str, topic: &str, what: (&str, &str)) -> Done {
        let other = match side {
            Side::Publisher => Side::Subscriber,
            Side::Subscriber => Side::Publisher,
        };
        match self.registrations.join(side, node, topic, what) {
            Ok(changed) => {
                let reply = Reply::Texts(self.registrations.uris(other, topic));
                Done { told: self.tell_of(node, changed), ..Done::with(reply) }
            }
            Err(error) => error.into(),
        }
    }

    /// To a node that was elsewhere under this name, that it is to end; to others, what has changed.
    fn tell_of(&self, node: &str, changed: Changed) -> Vec<Told> {
        let gone = changed.gone.and_then(|uri| Told::shutdown(&uri, node).ok());
        gone.into_iter().chain(self.tell_of_topics(changed.topics)).collect()
    }

    /// To all who subscribe to these topics, who publishes them now.
    fn tell_of_topics(&self, topics: impl IntoIterator<Item = String>) -> Vec<Told> {
        let mut told = Vec::new();
        for topic in topics {
            let publishers = self.registrations.uris(Side::Publisher, &topic);
            let subscribers = self.registrations.uris(Side::Subscriber, &topic);
            // A name that XML has no characters for came in as none either.
            told.extend(subscribers.iter().filter_map(|uri| Told::publishers(uri, &topic, &publishers).ok()));
        }
        told
    }

    fn of_services(&mut self, method: &str, words: &[&str]) -> Option<Done> {
        Some(match (method, words) {
            ("registerService", [node, service, service_uri, uri]) => {
                match self.registrations.offer(node, &resolve(node, service), (service_uri, uri)) {
                    Ok(changed) => Done { told: self.tell_of(node, changed), ..Done::with(Reply::Number(1)) },
                    Err(error) => error.into(),
                }
            }
            ("unregisterService", [node, service, service_uri]) => {
                let was_there = self.registrations.end_offer(&resolve(node, service), service_uri);
                Done::with(Reply::Number(was_there.into()))
            }
            ("lookupService", [node, service]) => {
                found(self.registrations.service(&resolve(node, service)), "nobody offers", service)
            }
            ("lookupNode", [node, name]) => {
                found(self.registrations.node(&resolve(node, name)), "there is no node", name)
            }
            _ => return None,
        })
    }

    fn of_params(&mut self, method: &str, words: &[&str]) -> Option<Done> {
        Some(match (method, words) {
            ("getParam", [node, key]) => match self.params.get(&resolve(node, key)) {
                Some(value) => Done::with(Reply::Value(value)),
                None => not_set(key, Reply::Number(0)),
            },
            ("hasParam", [node, key]) => {
                Done::with(Reply::Flag(self.params.get(&resolve(node, key)).is_some()))
            }
            ("deleteParam", [node, key]) => {
                let key = resolve(node, key);
                if !self.params.delete(&key) {
                    return Some(not_set(&key, Reply::Number(0)));
                }
                Done { told: self.tell_of_param(&key), ..Done::with(Reply::Number(0)) }
            }
            ("searchParam", [node, key]) => match self.params.search(node, key) {
                Some(found) => Done::with(Reply::Text(found)),
                None => not_set(key, Reply::Text(String::new())),
            },
            ("subscribeParam", [node, uri, key]) => {
                let key = resolve(node, key);
                match self.registrations.watch(node, &key, uri) {
                    Ok(changed) => {
                        let value = self.params.get(&key).unwrap_or(Param::Map([].into()));
                        Done { told: self.tell_of(node, changed), ..Done::with(Reply::Value(value)) }
                    }
                    Err(error) => error.into(),
                }
            }
            ("unsubscribeParam", [node, _, key]) => {
                let did = self.registrations.unwatch(node, &resolve(node, key));
                Done::with(Reply::Number(did.into()))
            }
            ("getParamNames", [_]) => Done::with(Reply::Texts(self.params.names())),
            _ => return None,
        })
    }

    fn set_param(&mut self, key: &str, value: Param) -> Done {
        let wrong = match self.params.set(key, value) {
            Ok(()) => return Done { told: self.tell_of_param(key), ..Done::with(Reply::Number(0)) },
            Err(SetError::Root) => "the root is a namespace: give one",
            Err(SetError::Full) => "there is no room: all parameters have 256 KiB",
        };
        Done::mistake(wrong, Reply::Number(0))
    }

    /// To all who watch it, what lies above it or below it; what is not there is an empty namespace.
    fn tell_of_param(&self, key: &str) -> Vec<Told> {
        let mut told = Vec::new();
        for (watched, uris) in self.registrations.watched() {
            let about = match (holds(watched, key), holds(key, watched)) {
                (true, _) => key,
                (false, true) => watched,
                (false, false) => continue,
            };
            let value = self.params.get(about).unwrap_or(Param::Map([].into()));
            told.extend(uris.iter().filter_map(|uri| Told::param(uri, about, &value).ok()));
        }
        told
    }

    fn of_itself(&self, method: &str, words: &[&str]) -> Option<Done> {
        match (method, words) {
            ("getUri", [_]) => Some(Done::with(Reply::Text(self.uri.clone()))),
            ("getPid", [_]) => Some(Done::with(Reply::Number(self.process))),
            _ => None,
        }
    }
}

fn text(param: &Param) -> Option<&str> {
    if let Param::Text(text) = param { Some(text) } else { None }
}

fn found(uri: Option<&str>, none: &str, name: &str) -> Done {
    match uri {
        Some(uri) => Done::with(Reply::Text(uri.to_owned())),
        None => Done::mistake(format!("{none} {name}"), Reply::Text(String::new())),
    }
}

fn not_set(key: &str, reply: Reply) -> Done {
    Done::mistake(format!("parameter {key} is not set"), reply)
}

fn fault(text: &str) -> Answered {
    let mut body = String::new();
    // What is quoted of a call was read as characters that XML has; if not, the words alone.
    if Writer::fault(&mut body, FAULT, text).is_err() {
        body.clear();
        let _ = Writer::fault(&mut body, FAULT, "this cannot be done");
    }
    Answered { body, told: Vec::new() }
}
