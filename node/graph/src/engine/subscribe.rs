//! Topics that the node subscribes to, and the way to each of their publishers (NODE-53).
//!
//! ```text
//!             due             requestTopic answered          header fits
//!  WAITING ────────► BUSY: asking ─────────────► joining ──────────────► receiving
//!     ▲                │                             │  │                     │
//!     └── wait, twice as long each time ─────────────┘  │ does not fit        │ lost
//!     └─────────────────────────────────────────────────┼─────────────────────┘
//!                            REFUSED, until the master names it anew
//! ```
//!
//! A publisher that the master does not name any more is let go, wherever it is in this.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use tokkyu_contract::{Class, MonoTime};
use tokkyu_ros1::Progress;
use tokkyu_ros1::http::{MAX_HEAD, read_response, write_request_head};
use tokkyu_ros1::tcpros::{Header, MAX_HEADER, read_header};
use tokkyu_ros1::uri::Uri;
use tokkyu_ros1::xmlrpc::{Triple, Value, Writer, read_answer};
use tokkyu_topic::Terms;

use super::Engine;
use crate::backoff::Backoff;
use crate::borrowing::Borrowing;
use crate::call::call;
use crate::command::{Subscribe, check_kind};
use crate::connection::{After, Connection, Role};
use crate::header::header;
use crate::host::{Failure, Host, Level, Origin, Subscriber};
use crate::link::LinkKey;
use crate::net::{ConnId, Net, NetError};
use crate::payload::{channel, join};
use crate::receiving::{Broken, Receiving};
use crate::subscription::{Link, PATIENCE, State, Subscription};

/// Between two attempts at most.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// The longest answer of another node.
const ANSWER: usize = 64 << 10;

impl<N: Net, H: Host> Engine<N, H> {
    pub(crate) fn subscribe(&mut self, wanted: Subscribe) {
        let Subscribe { topic, kind, class, no_delay, longest, slot_bytes, subscriber, done } = wanted;
        if self.ending.is_some() {
            return done(Err(Failure::Ending));
        }
        let publication = self.publications.get(&topic).map(|publication| &publication.kind);
        let have = self.subscriptions.get(&topic).map(|subscription| &subscription.kind).or(publication);
        if let Some(Err(failure)) = have.map(|have| check_kind(&kind, have)) {
            return done(Err(failure));
        }
        let subscription = self.subscriptions.entry(topic.clone()).or_insert_with(|| Subscription {
            kind,
            class,
            no_delay,
            longest,
            slot_bytes,
            readers: Vec::new(),
            links: BTreeMap::new(),
            named: Vec::new(),
            updates: 0,
            has_warned: false,
            is_registered: false,
            done: Vec::new(),
        });
        subscription.readers.push(subscriber.clone());
        // The most important of its readers says how it is served.
        subscription.class = subscription.class.min(class);
        let is_known = subscription.is_registered;
        let mut done = Some(done);
        if !is_known {
            subscription.done.extend(done.take());
        }
        self.join_local(&topic, subscriber.clone());
        self.join_remote(&topic, &subscriber);
        // Once it has all that is there: what is published after this comes.
        done.into_iter().for_each(|done| done(Ok(())));
    }

    /// A subscription more for what comes from publishers already.
    fn join_remote(&mut self, topic: &str, subscriber: &Arc<dyn Subscriber>) {
        for id in self.connections.ids(|connection| connection.role.subscribes(topic)) {
            self.serve(id, |engine, connection| {
                if let Role::Receiving(_, receiving) = &connection.role {
                    engine.add_reader(receiving, subscriber);
                    return After::Stay;
                }
                engine.add_member(id, connection, subscriber)
            });
        }
    }

    fn add_reader(&mut self, receiving: &Receiving, subscriber: &Arc<dyn Subscriber>) {
        let (bell, source) = subscriber.bell();
        // What is refused here would be lost for all, and its publisher, elsewhere, could not be told (NODE-68).
        let terms = Terms { reliable: false, ..subscriber.terms() };
        match join(receiving.channel(), terms, &bell, source) {
            Ok(reader) => subscriber.on_publisher(receiving.origin.clone(), reader),
            Err(error) => {
                let topic = &receiving.origin.topic;
                self.host.log(Level::Error, format_args!("one subscription more to {topic}: {error}"));
            }
        }
    }

    pub(crate) fn unsubscribe(&mut self, topic: &str, subscriber: &Arc<dyn Subscriber>) {
        self.leave_local(topic, subscriber);
        let Some(subscription) = self.subscriptions.get_mut(topic) else { return };
        subscription.readers.retain(|other| !Arc::ptr_eq(other, subscriber));
        if subscription.readers.is_empty() {
            return self.end_subscription(topic);
        }
        for id in self.connections.ids(|connection| connection.role.subscribes(topic)) {
            self.serve(id, |engine, connection| engine.remove_member(id, connection, subscriber));
        }
    }

    fn end_subscription(&mut self, topic: &str) {
        let Some(subscription) = self.subscriptions.remove(topic) else { return };
        subscription.done.into_iter().for_each(|done| done(Err(Failure::Ending)));
        let [name, uri] = [&self.identity.name, &self.identity.slave_uri()];
        self.master.add_unregister(call("unregisterSubscriber", &[name, topic, uri]));
        for link in subscription.links.values() {
            if let State::Busy(id) = link.state {
                self.serve(id, |_, _| After::End);
            }
        }
    }

    pub(crate) fn unsubscribe_all(&mut self) {
        let topics: Vec<String> = self.subscriptions.keys().cloned().collect();
        topics.iter().for_each(|topic| self.end_subscription(topic));
    }

    /// The master says who publishes a topic.
    pub(crate) fn on_publishers(&mut self, topic: &str, uris: &[String]) {
        let Some(subscription) = self.subscriptions.get_mut(topic) else { return };
        subscription.updates = subscription.updates.wrapping_add(1);
        subscription.named = uris.to_vec();
        subscription.has_warned = false;
        self.follow_names(topic);
    }

    /// The master knows of the subscription, and answers who publishes. `updates`: how many had come when it was asked; those that have come since
    /// are newer than its answer, which overtook nobody.
    pub(crate) fn on_subscriber_registered(&mut self, topic: &str, uris: &[String], updates: u32) {
        let Some(subscription) = self.subscriptions.get_mut(topic) else { return };
        if subscription.updates == updates {
            subscription.named = uris.to_vec();
        }
        self.follow_names(topic);
    }

    /// Links to each publisher that is named, and lets go those that are not.
    fn follow_names(&mut self, topic: &str) {
        let (own, now) = (self.identity.slave_uri(), self.now);
        let Some(subscription) = self.subscriptions.get_mut(topic) else { return };
        for uri in subscription.named.iter().filter(|uri| **uri != own) {
            let link = subscription.links.entry(uri.clone()).or_insert_with(|| Link {
                state: State::Waiting(now),
                backoff: Backoff::up_to(LONGEST_WAIT),
                is_named: true,
                is_plain: false,
            });
            link.is_named = true;
            // It was lost, or did not fit: now it is said to be there.
            if !matches!(link.state, State::Busy(_)) {
                link.state = State::Waiting(now);
                link.backoff.reset();
            }
        }
        self.let_go_unnamed(topic);
        self.ask_publishers_that_are_due();
    }

    fn let_go_unnamed(&mut self, topic: &str) {
        let Some(subscription) = self.subscriptions.get_mut(topic) else { return };
        let named = &subscription.named;
        let is_linked = |link: &Link| matches!(link.state, State::Busy(_));
        let is_gone =
            |(uri, link): &(&String, &Link)| !named.contains(uri) && (link.is_named || !is_linked(link));
        let gone: Vec<String> =
            subscription.links.iter().filter(is_gone).map(|(uri, _)| uri.clone()).collect();
        let links: Vec<Link> = gone.iter().filter_map(|uri| subscription.links.remove(uri)).collect();
        for link in links {
            if let State::Busy(id) = link.state {
                self.serve(id, |_, _| After::End);
            }
        }
    }

    /// The master is lost: the next one may be another, which has named nobody yet. What is linked stays, what is not goes.
    pub(crate) fn forget_names(&mut self) {
        for subscription in self.subscriptions.values_mut() {
            subscription.is_registered = false;
            subscription.links.values_mut().for_each(|link| link.is_named = false);
        }
    }

    /// When a publisher is asked that there is room for. Those that there is none for wait until another one goes.
    pub(crate) fn next_asking(&self) -> Option<MonoTime> {
        let can_ask = |subscription: &&Subscription| self.room_for_publishers(subscription) > 0;
        let subscriptions = self.subscriptions.values().filter(can_ask);
        subscriptions.flat_map(Subscription::waiting).map(|(_, until)| until).min()
    }

    /// Publishers more that may be connected to.
    fn room_for_publishers(&self, subscription: &Subscription) -> usize {
        let all: usize = self.subscriptions.values().map(Subscription::busy).sum();
        let (of_topic, of_all) = self.identity.profile.publishers();
        of_topic.saturating_sub(subscription.busy()).min(of_all.saturating_sub(all))
    }

    pub(crate) fn ask_publishers_that_are_due(&mut self) {
        let topics: Vec<String> = self.subscriptions.keys().cloned().collect();
        topics.iter().for_each(|topic| self.ask_publishers_of(topic));
    }

    /// Those that have waited longest first, as long as there is room.
    fn ask_publishers_of(&mut self, topic: &str) {
        let now = self.now;
        let Some(subscription) = self.subscriptions.get(topic) else { return };
        let mut due: Vec<_> = subscription.waiting().filter(|(_, until)| *until <= now).collect();
        due.sort_by_key(|(_, until)| *until);
        let room = self.room_for_publishers(subscription);
        let is_short = due.len() > room;
        let key = |uri: &String| LinkKey { topic: topic.to_string(), uri: uri.clone() };
        let due: Vec<LinkKey> = due.into_iter().take(room).map(|(uri, _)| key(uri)).collect();
        due.into_iter().for_each(|key| self.ask(key));
        if is_short {
            let (of_topic, of_all) = self.identity.profile.publishers();
            self.warn_once(
                topic,
                format_args!("{topic} has more publishers than are connected to at once ({of_topic} of a topic, {of_all} of all)"),
            );
        }
    }

    /// Once for what the master has named: it may be hundreds.
    fn warn_once(&mut self, topic: &str, text: core::fmt::Arguments<'_>) {
        let Some(subscription) = self.subscriptions.get_mut(topic) else { return };
        if !core::mem::replace(&mut subscription.has_warned, true) {
            self.log(Level::Warn, text);
        }
    }

    fn link(&mut self, key: &LinkKey) -> Option<&mut Link> {
        self.subscriptions.get_mut(&key.topic)?.links.get_mut(&key.uri)
    }

    /// Connects to a publisher's slave API and asks for the topic.
    fn ask(&mut self, key: LinkKey) {
        let Ok(uri) = Uri::parse(&key.uri) else {
            self.log(
                Level::Error,
                format_args!("the master names a publisher at {}, which is no address", key.uri),
            );
            return self.refuse(&key);
        };
        let (host, port) = (uri.host.to_string(), uri.port);
        let mut body = String::new();
        let written = Writer::call(&mut body, "requestTopic", |params| {
            params.string(&self.identity.name)?;
            params.string(&key.topic)?;
            params.array(|protocols| protocols.array(|words| words.string("TCPROS")))
        });
        let mut head = String::new();
        let at = alloc::format!("{host}:{port}");
        if written.is_err() || write_request_head(&mut head, &at, "/RPC2", body.len()).is_err() {
            return self.refuse(&key);
        }
        self.connect_to(key, &host, port, Role::Asking, &[head.as_bytes(), body.as_bytes()]);
    }

    fn connect_to(
        &mut self,
        key: LinkKey,
        host: &str,
        port: u16,
        role: fn(LinkKey) -> Role,
        output: &[&[u8]],
    ) {
        let class = self.subscriptions.get(&key.topic).map_or(Class::BestEffort, |one| one.class);
        let Some(id) = self.connections.free() else { return self.wait_for(&key) };
        if let Err(error) = self.net.connect(id, host, port) {
            if error != NetError::Unreachable {
                self.warn_once(
                    &key.topic,
                    format_args!("publishers of {}: {error}; trying again", key.topic),
                );
            }
            return self.wait_for(&key);
        }
        if let Some(link) = self.link(&key) {
            link.state = State::Busy(id);
        }
        let mut connection = Connection::new(role(key), class);
        connection.deadline = Some(self.now + PATIENCE);
        output.iter().for_each(|bytes| connection.queue(bytes));
        self.connections.put(id, connection);
    }

    /// It is tried again later.
    fn wait_for(&mut self, key: &LinkKey) {
        let now = self.now;
        if let Some(link) = self.link(key) {
            link.state = State::Waiting(now + link.backoff.wait());
        }
    }

    /// From now on by TCPROS, at once.
    pub(crate) fn make_plain(&mut self, key: &LinkKey) {
        let now = self.now;
        if let Some(link) = self.link(key) {
            link.is_plain = true;
            link.state = State::Waiting(now);
        }
    }

    fn refuse(&mut self, key: &LinkKey) {
        if let Some(link) = self.link(key) {
            link.state = State::Refused;
        }
    }

    /// A connection towards a publisher is over.
    pub(crate) fn on_link_lost(&mut self, id: ConnId, key: &LinkKey) {
        // Not if it is on its next step already, or was refused.
        let Some(link) = self.link(key) else { return };
        if !matches!(link.state, State::Busy(own) if own == id) {
            return;
        }
        if link.is_named || self.is_away_from_master() {
            self.wait_for(key);
        } else if let Some(subscription) = self.subscriptions.get_mut(&key.topic) {
            subscription.links.remove(&key.uri);
        }
    }

    /// The answer to `requestTopic`.
    pub(crate) fn on_asking(&mut self, id: ConnId, connection: &mut Connection) -> After {
        let received = connection.receive(&mut self.net, id, MAX_HEAD + ANSWER);
        let Role::Asking(key) = &connection.role else { return After::End };
        let key = key.clone();
        match read_response(&connection.input, received.is_over, ANSWER) {
            Ok(Progress::More) if received.is_over => After::End,
            Ok(Progress::More) => After::Stay,
            Ok(Progress::Whole { message, .. }) => {
                match where_it_is(message.body) {
                    Ok((host, port)) => self.join_publisher(key, &host, port),
                    Err(text) => {
                        self.log(Level::Debug, format_args!("{} at {}: {text}", key.topic, key.uri));
                    }
                }
                After::End
            }
            Err(refusal) => {
                self.log(Level::Error, format_args!("{} at {}: {refusal}", key.topic, key.uri));
                After::End
            }
        }
    }

    /// Connects to where a publisher has the topic, with our header.
    fn join_publisher(&mut self, key: LinkKey, host: &str, port: u16) {
        let Some(subscription) = self.subscriptions.get(&key.topic) else { return };
        let mut fields = alloc::vec![
            ("callerid", &self.identity.name[..]),
            ("md5sum", &subscription.kind.md5sum),
            ("tcp_nodelay", if subscription.no_delay { "1" } else { "0" }),
            ("topic", &key.topic),
            ("type", &subscription.kind.datatype),
        ];
        fields.extend(self.shared_device(&key).map(|device| ("tokkyu_device", device)));
        // Last: one that is too long is left out.
        fields.push(("message_definition", &subscription.kind.definition));
        let greeting = header(&fields);
        self.connect_to(key, host, port, Role::Joining, &[&greeting]);
    }

    /// What we say of our device to a publisher that may share memory with us.
    fn shared_device(&self, key: &LinkKey) -> Option<&str> {
        let link = self.subscriptions.get(&key.topic)?.links.get(&key.uri)?;
        self.identity.device.as_deref().filter(|_| !link.is_plain)
    }

    /// The publisher's header.
    pub(crate) fn on_joining(&mut self, id: ConnId, connection: &mut Connection) -> After {
        let received = connection.receive(&mut self.net, id, 4 + MAX_HEADER);
        let Role::Joining(key) = &connection.role else { return After::End };
        let key = key.clone();
        let input = core::mem::take(&mut connection.input);
        let joined = match read_header(&input, MAX_HEADER) {
            Ok(Progress::More) => {
                connection.input = input;
                return if received.is_over { After::End } else { After::Stay };
            }
            Ok(Progress::Whole { message, used }) => {
                connection.input = input[used..].to_vec();
                self.joined(&key, message)
            }
            Err(error) => Err(error.to_string()),
        };
        match joined {
            Ok(Joined::Receiving(receiving)) => {
                connection.deadline = None;
                connection.role = Role::Receiving(key, receiving);
                self.on_receiving(id, connection)
            }
            Ok(Joined::Borrowing(borrowing)) => self.begin_to_borrow(id, connection, key, borrowing),
            Err(text) => {
                self.log(Level::Error, format_args!("{} at {}: {text}", key.topic, key.uri));
                self.refuse(&key);
                After::End
            }
        }
    }

    /// What comes from a publisher whose header fits.
    fn joined(&mut self, key: &LinkKey, said: Header<'_>) -> Result<Joined, String> {
        if let Some(error) = said.bytes("error") {
            return Err(alloc::format!("the publisher refuses: {}", String::from_utf8_lossy(error)));
        }
        let subscription =
            self.subscriptions.get_mut(&key.topic).ok_or("it is not subscribed to any more")?;
        let md5sum = said.get("md5sum").ok_or("the publisher's header has no md5sum")?;
        let datatype = said.get("type").ok_or("the publisher's header has no type")?;
        let kind = &subscription.kind;
        if !kind.fits(datatype, md5sum) {
            return Err(alloc::format!(
                "the publisher has {datatype} [{md5sum}], and it is {} [{}] here; build both from one definition",
                kind.datatype,
                kind.md5sum
            ));
        }
        if let Some(link) = subscription.links.get_mut(&key.uri) {
            link.backoff.reset();
        }
        let is_latched = said.get("latching") == Some("1");
        let link = self.next_link;
        self.next_link += 1;
        let text = |name| said.bytes(name).map(|value| String::from_utf8_lossy(value).into_owned());
        let origin = Origin {
            link,
            callerid: text("callerid").unwrap_or_default(),
            topic: key.topic.clone(),
            datatype: datatype.to_string(),
            md5sum: md5sum.to_string(),
            definition: text("message_definition").unwrap_or_default(),
            is_latched,
        };
        match said.get("tokkyu_lender").filter(|_| self.shared_device(key).is_some()) {
            Some(lender) => Ok(Joined::Borrowing(Borrowing::new(origin, lender))),
            None => self.receiving(key, origin).map(Joined::Receiving),
        }
    }

    /// A publisher whose samples come over the connection.
    fn receiving(&mut self, key: &LinkKey, origin: Origin) -> Result<Receiving, String> {
        let subscription = self.subscriptions.get(&key.topic).ok_or("it is not subscribed to any more")?;
        let (longest, slot_bytes) = (subscription.longest, subscription.slot_bytes);
        let (publisher, _) =
            channel(subscription.limits(origin.is_latched, &self.identity.profile), slot_bytes)
                .map_err(|e| e.to_string())?;
        let readers: Vec<_> = subscription.readers().collect();
        let receiving = Receiving::new(publisher, Arc::new(origin), longest);
        readers.iter().for_each(|reader| self.add_reader(&receiving, reader));
        Ok(receiving)
    }

    pub(crate) fn on_receiving(&mut self, id: ConnId, connection: &mut Connection) -> After {
        let Connection { role: Role::Receiving(key, receiving), input, .. } = connection else {
            return After::End;
        };
        let pumped = receiving.pump(&mut self.net, id, input);
        if let Err(broken @ (Broken::Frame(_) | Broken::Memory(_))) = &pumped {
            self.log(Level::Error, format_args!("{} from {}: {broken}", key.topic, key.uri));
        }
        if pumped.is_ok() { After::Stay } else { After::End }
    }

    pub(crate) fn on_publisher_left(&mut self, key: &LinkKey, receiving: &Receiving) {
        let Some(subscription) = self.subscriptions.get(&key.topic) else { return };
        subscription.readers.iter().for_each(|reader| reader.on_gone(receiving.origin.link));
    }
}

/// What a publisher's header leads to.
#[allow(clippy::large_enum_variant)] // one at a time
enum Joined {
    Receiving(Receiving),
    Borrowing(Borrowing),
}

/// Where a publisher has a topic, out of its answer to `requestTopic`.
fn where_it_is(body: &[u8]) -> Result<(String, u16), String> {
    let answer = read_answer(body).map_err(|error| error.to_string())?;
    let triple = Triple::of(answer).map_err(|error| error.to_string())?;
    if triple.code != 1 {
        return Err(alloc::format!("the publisher says: {}", triple.text));
    }
    let Value::Array(mut words) = triple.value else { return Err("no protocol".to_string()) };
    match (words.next(), words.next(), words.next()) {
        (Some(Value::Str(name)), Some(Value::Str(host)), Some(Value::Int(port))) if name == "TCPROS" => {
            let port = u16::try_from(port).map_err(|_| alloc::format!("{port} is no port"))?;
            Ok((host.to_string(), port))
        }
        _ => Err("the publisher offers no TCPROS".to_string()),
    }
}
