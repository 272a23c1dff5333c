//! Calls to the master, one after the other over one connection (NODE-50).
//!
//! ```text
//!            there is something to say            connected            a call            its answer
//!  AWAY ─────────────────────────────► CONNECTING ─────────► IDLE ──────────► CALLING ─────────────► IDLE
//!   ▲                                      │                  │                  │
//!   └── wait, twice as long each time ─────┴───── lost ───────┴──── lost, late ──┘
//! ```
//!
//! What the node has is not in the queue: each publication, subscription, service and parameter knows whether the master knows of it, and after a
//! loss it does not.

use alloc::string::{String, ToString};
use core::time::Duration;

use tokkyu_contract::{Class, MonoTime};
use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{MAX_HEAD, read_response, write_request_head};
use tokkyu_ros1::xmlrpc::{Triple, Value, read_answer};

use super::Engine;
use crate::call::{call, texts};
use crate::connection::{After, Connection, Role};
use crate::host::{Failure, Host, Level};
use crate::master::{InFlight, Purpose, State};
use crate::net::{ConnId, Net, NetError};

/// A call is answered within this.
const PATIENCE: Duration = Duration::from_secs(10);

impl<N: Net, H: Host> Engine<N, H> {
    /// Does what can be done next: connects, or says the next call.
    pub(crate) fn pump_master(&mut self) {
        self.drop_late_calls();
        match self.master.state {
            State::Away(until) if until <= self.now && self.has_something_to_say() => {
                self.connect_to_master()
            }
            State::Idle(id) => {
                if let Some((purpose, body)) = self.next_call() {
                    self.say(id, purpose, body);
                }
            }
            _ => {}
        }
    }

    /// When there is something to do: a call of the program has waited long enough, or the master is tried again, where that can be done.
    pub(crate) fn master_deadline(&self) -> Option<MonoTime> {
        let calls = self.master.calls.iter().filter_map(|(purpose, _)| match purpose {
            Purpose::Program { waits: false, since, .. } => Some(*since + PATIENCE),
            _ => None,
        });
        let can_try = || self.has_something_to_say() && self.connections.has_room();
        calls.chain(self.master.retry().filter(|_| can_try())).min()
    }

    /// Calls that do not wait for a master, when none answers.
    fn drop_late_calls(&mut self) {
        let now = self.now;
        let is_late = |purpose: &Purpose| matches!(purpose, Purpose::Program { waits: false, since, .. } if *since + PATIENCE <= now);
        while let Some(at) = self.master.calls.iter().position(|(purpose, _)| is_late(purpose)) {
            self.master.calls.remove(at).into_iter().for_each(|(purpose, _)| purpose.fail(Failure::NoAnswer));
        }
    }

    fn has_something_to_say(&self) -> bool {
        !self.master.unregister.is_empty()
            || !self.master.calls.is_empty()
            || self.publications.values().any(|publication| !publication.is_registered)
            || self.subscriptions.values().any(|subscription| !subscription.is_registered)
            || self.offers.values().any(|offer| !offer.is_registered)
            || self.watched.values().any(|one| !one.is_known)
    }

    fn connect_to_master(&mut self) {
        let Some(id) = self.connections.free() else { return };
        self.master.has_answered = false;
        let (host, port) = self.identity.master.clone();
        if let Err(error) = self.net.connect(id, &host, port) {
            return self.lose_master(Some(error));
        }
        let mut connection = Connection::new(Role::Master, Class::BestEffort);
        connection.deadline = Some(self.now + PATIENCE);
        // There is an event once it has connected.
        connection.waits_for_room = true;
        self.connections.put(id, connection);
        self.master.state = State::Connecting;
    }

    /// What is said next. What is not there any more comes before what is: a topic may be given up and taken again.
    fn next_call(&mut self) -> Option<(Purpose, String)> {
        if let Some(body) = self.master.unregister.pop_front() {
            return Some((Purpose::Unregister, body));
        }
        self.next_registration().or_else(|| self.master.calls.pop_front())
    }

    fn next_registration(&self) -> Option<(Purpose, String)> {
        let [name, uri] = [&self.identity.name, &self.identity.slave_uri()];
        let text = |method: &str, arguments: &[&str]| call(method, arguments);
        if let Some((topic, one)) = self.publications.iter().find(|(_, one)| !one.is_registered) {
            let body = text("registerPublisher", &[name, topic, &one.kind.datatype, uri]);
            return Some((Purpose::Publisher(topic.clone()), body));
        }
        if let Some((topic, one)) = self.subscriptions.iter().find(|(_, one)| !one.is_registered) {
            let body = text("registerSubscriber", &[name, topic, &one.kind.datatype, uri]);
            return Some((Purpose::Subscriber(topic.clone(), one.updates), body));
        }
        if let Some((service, _)) = self.offers.iter().find(|(_, one)| !one.is_registered) {
            let body = text("registerService", &[name, service, &self.identity.service_uri(), uri]);
            return Some((Purpose::Service(service.clone()), body));
        }
        let (key, one) = self.watched.iter().find(|(_, one)| !one.is_known)?;
        Some((Purpose::Param(key.clone(), one.updates), text("subscribeParam", &[name, uri, key])))
    }

    fn say(&mut self, id: ConnId, purpose: Purpose, body: String) {
        let mut head = String::new();
        let host = alloc::format!("{}:{}", self.identity.master.0, self.identity.master.1);
        // The host was read from an address: it does not break out of its line.
        let _ = write_request_head(&mut head, &host, "/RPC2", body.len());
        let patience = self.now + PATIENCE;
        self.master.state = State::Calling(InFlight { purpose, body: body.clone() });
        self.serve(id, |engine, connection| {
            connection.deadline = Some(patience);
            connection.queue(head.as_bytes());
            connection.queue(body.as_bytes());
            connection.flush(&mut engine.net, id)
        });
    }

    /// Something came from the master.
    pub(crate) fn on_master(&mut self, id: ConnId, connection: &mut Connection) -> After {
        // A parameter may be a robot's whole description.
        let longest = self.identity.profile.answer_bytes;
        let received = connection.receive(&mut self.net, id, MAX_HEAD + longest);
        if !matches!(self.master.state, State::Calling(_)) {
            // Nothing was asked: it is the end, or no master.
            return if received.is_over || received.bytes > 0 { After::End } else { After::Stay };
        }
        let (body, keep_alive, used) = match read_response(&connection.input, received.is_over, longest) {
            Ok(Progress::Whole { message, used }) if message.status >= 200 => {
                (message.body.to_vec(), message.keep_alive, used)
            }
            Ok(Progress::Whole { used, .. }) => {
                connection.consume(used);
                return After::Stay;
            }
            Ok(Progress::More) if received.is_over => return After::End,
            Ok(Progress::More) => return After::Stay,
            Err(refusal) => {
                self.log(Level::Error, format_args!("the master's answer is none: {refusal}"));
                return After::End;
            }
        };
        connection.consume(used);
        connection.deadline = None;
        self.on_master_answered(id, &body);
        if keep_alive && !received.is_over {
            return After::Stay;
        }
        // It does not keep connections: that this one ends tells nothing about the master.
        self.master.state = State::Away(self.now);
        After::End
    }

    fn on_master_answered(&mut self, id: ConnId, body: &[u8]) {
        self.master.backoff.reset();
        self.master.has_answered = true;
        if core::mem::take(&mut self.master.has_failed) {
            self.log(Level::Info, format_args!("the master answers again"));
        }
        let state = core::mem::replace(&mut self.master.state, State::Idle(id));
        let State::Calling(InFlight { purpose, .. }) = state else { return };
        if let Purpose::Program { done, .. } = purpose {
            return done(Ok(body.to_vec()));
        }
        let triple = read_answer(body).map_err(|error| error.to_string());
        let triple = triple.and_then(|answer| Triple::of(answer).map_err(|error| error.to_string()));
        let value = match triple {
            Ok(triple) if triple.code == 1 => Ok(triple.value),
            Ok(triple) => Err(Failure::Master(triple.text.to_string())),
            Err(text) => Err(Failure::Master(text)),
        };
        self.on_registered(purpose, value);
    }

    fn on_registered(&mut self, purpose: Purpose, value: Result<Value<'_>, Failure>) {
        if let Err(failure) = &value {
            let text = failure.to_string();
            self.log(Level::Error, format_args!("{text}"));
        }
        let outcome = value.clone().map(drop);
        match purpose {
            Purpose::Publisher(topic) => {
                if let Some(one) = self.publications.get_mut(&topic) {
                    one.is_registered = true;
                    one.done.drain(..).for_each(|done| done(outcome.clone()));
                }
            }
            Purpose::Subscriber(topic, updates) => {
                if let Some(one) = self.subscriptions.get_mut(&topic) {
                    one.is_registered = true;
                    one.done.drain(..).for_each(|done| done(outcome.clone()));
                }
                if let Ok(Value::Array(uris)) = value {
                    self.on_subscriber_registered(&topic, &texts(uris), updates);
                }
            }
            Purpose::Service(service) => {
                if let Some(one) = self.offers.get_mut(&service) {
                    one.is_registered = true;
                    one.done.drain(..).for_each(|done| done(outcome.clone()));
                }
            }
            Purpose::Param(key, updates) => self.on_watched(&key, value.ok(), updates),
            Purpose::Unregister | Purpose::Program { .. } => {}
        }
    }

    /// The connection to the master is over.
    pub(crate) fn on_master_lost(&mut self) {
        self.lose_master(None);
    }

    /// It is over, or cannot even begin.
    fn lose_master(&mut self, why: Option<NetError>) {
        let state = core::mem::replace(&mut self.master.state, State::Away(self.now));
        let was_answered = self.master.has_answered;
        match state {
            // It was ended on purpose, after an answer.
            State::Away(_) if was_answered => return,
            State::Calling(call) => self.take_back(call, was_answered),
            // A connection that is refused may look for a moment as if it had been made.
            State::Away(_) | State::Connecting | State::Idle(_) => {}
        }
        if !was_answered {
            self.fail_calls_that_do_not_wait();
        }
        self.forget_registrations();
        let wait = if was_answered { Duration::ZERO } else { self.master.backoff.wait() };
        self.master.state = State::Away(self.now + wait);
        self.master.has_answered = false;
        if !was_answered && !core::mem::replace(&mut self.master.has_failed, true) {
            let uri = self.identity.master_uri();
            match why {
                Some(error @ NetError::NoSocket) => {
                    self.log(
                        Level::Error,
                        format_args!("the master at {uri} is not asked: {error}; trying again"),
                    );
                }
                _ => self.log(
                    Level::Error,
                    format_args!(
                        "no master at {uri}; trying again until there is one (ROS_MASTER_URI says where)"
                    ),
                ),
            }
        }
    }

    /// A call whose connection was lost is said again: registrations always, the program's unless it was the first of its connection.
    fn take_back(&mut self, call: InFlight, was_answered: bool) {
        match call.purpose {
            Purpose::Program { .. } if was_answered => {
                self.master.calls.push_front((call.purpose, call.body))
            }
            Purpose::Unregister if was_answered => self.master.unregister.push_front(call.body),
            other => other.fail(Failure::NoAnswer),
        }
    }

    fn fail_calls_that_do_not_wait(&mut self) {
        let calls = core::mem::take(&mut self.master.calls);
        for (purpose, body) in calls {
            match purpose {
                Purpose::Program { waits: false, done, .. } => done(Err(Failure::NoAnswer)),
                other => self.master.calls.push_back((other, body)),
            }
        }
    }

    /// A master that comes back may be another one.
    fn forget_registrations(&mut self) {
        self.publications.values_mut().for_each(|one| one.is_registered = false);
        self.forget_names();
        self.offers.values_mut().for_each(|one| one.is_registered = false);
        self.watched.values_mut().for_each(|one| one.is_known = false);
    }

    /// Whether there is no master just now: who is not named may still be there.
    pub(crate) fn is_away_from_master(&self) -> bool {
        matches!(self.master.state, State::Away(_) | State::Connecting)
    }

    /// The master's connection is there.
    pub(crate) fn on_master_connected(&mut self, id: ConnId, connection: &mut Connection) {
        if matches!(self.master.state, State::Connecting) {
            connection.deadline = None;
            self.master.state = State::Idle(id);
        }
    }
}
