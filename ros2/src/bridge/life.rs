//! The bridge's main thread: carries facts to the graph and its orders out.

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use bytes::Bytes;
use tokkyu_contract::yaml::robot::Toward;
use tokkyu_contract::{Class, FlowId, MonoTime};
use tokkyu_link::carrier::{CloseReason, clock};
use tokkyu_link::core::{Endpoint, Event, PublishError};
use tokkyu_link::runtime::site::fifo;
use tokkyu_link::runtime::{Link, LinkEvent, LinkState, Publisher, SendError, Subscriber};

use super::figures::Counts;
use super::notice::{Notice, Notices};
use super::routes::{Means, Routes};
use super::start::{check, instance, own_topics};
use super::told::Told;
use super::{BridgeError, BridgeOptions, LOOK_EVERY, Status, Watcher, place};
use crate::dds::{Discovery, Participant};
use crate::graph::{self, Graph, Identity, Order};
use crate::message::{Message, MessageError};

/// Events of the link that are looked at in one turn: the domain has its turn too.
const EVENTS: usize = 1024;
/// Until what could not be opened is tried again.
const AGAIN: Duration = Duration::from_secs(5);
/// Reports in the figures at most.
const REPORTS_MAX: usize = 256;
/// Between two looks at the figures.
const STATUS_EVERY: Duration = Duration::from_secs(1);

/// A bridge that runs.
pub(super) struct Bridge {
    options: BridgeOptions,
    graph: Graph,
    // Before the participant: readers and writers go first.
    routes: Routes,
    discovery: Discovery,
    notices: Receiver<Notice>,
    counts: Counts,
    link: Link,
    ours: Publisher,
    /// The newest message to the other bridge that the link has not taken yet.
    unsaid: Option<Bytes>,
    theirs: Subscriber,
    told: Told,
    state: Standing,
    messages_refused: u64,
    /// Topics that could not be opened, and until when they are left alone.
    paused: Vec<(MonoTime, String)>,
    obeyed_at: MonoTime,
    status_at: MonoTime,
}

/// How the other bridge is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Never yet.
    New,
    /// A session is up.
    Up,
    /// There was one until then.
    Away { since: MonoTime },
    /// For so long that it counts as gone.
    Gone,
}

impl Bridge {
    /// Joins the domain.
    pub(super) fn start(
        options: BridgeOptions,
        link: Link,
        watcher: &mut dyn Watcher,
    ) -> Result<Bridge, BridgeError> {
        check(&options)?;
        let place = place::find(options.domain, &options.interfaces)?;
        let instance = instance();
        // What DDS hands over stands before a thread of ours for any class: none of them is served better than DDS is.
        let fifo_priority = fifo(&options.site, Class::Realtime, options.priority);
        let participant = Arc::new(Participant::join(&place, &graph::mark(instance), fifo_priority)?);
        let discovery = Discovery::new(&participant)?;
        let (notices, heard) = Notices::open();
        let counts = Counts::default();
        let means = Means {
            participant,
            site: options.site.clone(),
            priority: options.priority,
            notices,
            counts: counts.clone(),
        };
        let identity = Identity { end: options.end, instance, namespace: options.namespace.clone() };
        let (ours, theirs) = own_topics(&link, options.end)?;
        watcher.on_line(&format!(
            "DDS domain {} on {}{}",
            place.domain,
            place.interfaces.join(", "),
            if place.host_only { ", this host only" } else { "" }
        ));
        Ok(Bridge {
            graph: Graph::new(identity, options.robot.clone()),
            routes: Routes::new(means),
            discovery,
            notices: heard,
            counts,
            link,
            ours,
            unsaid: None,
            theirs,
            told: Told::default(),
            state: Standing::New,
            messages_refused: 0,
            paused: Vec::new(),
            obeyed_at: MonoTime::ZERO,
            status_at: clock::now(),
            options,
        })
    }

    /// Runs until the watcher says so.
    pub(super) fn run(mut self, watcher: &mut dyn Watcher) -> Result<Status, BridgeError> {
        while !watcher.is_over() {
            self.hear_link(watcher)?;
            self.hear_peer(watcher);
            for change in self.discovery.changes()? {
                self.graph.on_change(change);
            }
            self.on_time();
            self.obey(watcher);
            self.speak()?;
            self.hear_threads(watcher)?;
            self.show(watcher);
        }
        Ok(self.status())
    }

    fn hear_link(&mut self, watcher: &mut dyn Watcher) -> Result<(), BridgeError> {
        let mut wait = LOOK_EVERY;
        for _ in 0..EVENTS {
            let Some(event) = self.link.event(wait) else { return Ok(()) };
            self.on_link_event(event, watcher)?;
            wait = Duration::ZERO;
        }
        Ok(())
    }

    fn on_link_event(&mut self, event: LinkEvent, watcher: &mut dyn Watcher) -> Result<(), BridgeError> {
        match event {
            LinkEvent::State(LinkState::Connecting) => {}
            LinkEvent::State(LinkState::Up { session }) => {
                self.state = Standing::Up;
                watcher.on_line(&format!("session {session} with the other bridge is up"));
            }
            LinkEvent::State(LinkState::Down(reason)) => self.on_down(&reason, watcher)?,
            LinkEvent::Trouble(what) => self.tell(&what, watcher),
            LinkEvent::Refused { flow, why, samples } => {
                self.on_refused(flow, &why, samples, watcher);
            }
            LinkEvent::Withdrawn { endpoint, .. } => self.routes.on_withdrawn(endpoint),
            LinkEvent::Session(Event::Missed { id, .. }) => self.routes.on_missed(id),
            LinkEvent::Session(Event::Matched { endpoint: Endpoint::Publication(flow) }) => {
                if let Err(error) = self.routes.on_matched(flow) {
                    self.tell(&error.to_string(), watcher);
                }
            }
            LinkEvent::Session(Event::Unmatched { endpoint: Endpoint::Publication(flow) }) => {
                self.routes.on_unmatched(flow)
            }
            LinkEvent::Session(Event::PeerSilent) => {
                watcher.on_line("nothing is heard from the other bridge")
            }
            LinkEvent::Session(Event::PeerAlive) => watcher.on_line("the other bridge is heard again"),
            LinkEvent::Session(_) => {}
        }
        Ok(())
    }

    fn on_down(&mut self, reason: &CloseReason, watcher: &mut dyn Watcher) -> Result<(), BridgeError> {
        self.routes.on_down();
        match self.state {
            Standing::New if reason.never_succeeds() && self.options.end == Toward::Vehicle => {
                return Err(BridgeError::Refused(reason.clone()));
            }
            Standing::Up => self.state = Standing::Away { since: clock::now() },
            _ => {}
        }
        self.tell(&format!("no session with the other bridge: {reason}"), watcher);
        Ok(())
    }

    fn on_refused(&mut self, flow: FlowId, why: &PublishError, samples: u64, watcher: &mut dyn Watcher) {
        match self.routes.topic_of(flow) {
            Some(topic) => {
                self.counts.source(topic).on_refused(samples);
                let line = format!("topic /{topic}: the link does not take its samples: {why}");
                self.tell(&line, watcher);
            }
            None => self.tell(&format!("the link does not take a message of ours: {why}"), watcher),
        }
    }

    fn hear_peer(&mut self, watcher: &mut dyn Watcher) {
        while let Some(sample) = self.theirs.receive(Duration::ZERO) {
            match Message::parse(&sample.delivered.payload) {
                Ok(message) => drop(self.graph.on_message(message)),
                Err(error) => {
                    self.messages_refused += 1;
                    self.tell(&words_of(&error), watcher);
                }
            }
        }
    }

    fn on_time(&mut self) {
        self.linger();
        self.let_go();
        self.try_again();
    }

    /// A bridge that is away for long counts as gone (ROS2-22).
    fn linger(&mut self) {
        if let Standing::Away { since } = self.state
            && clock::now().since(since) >= self.options.linger
        {
            self.state = Standing::Gone;
            self.graph.on_peer_gone();
        }
    }

    /// Topics without a writer of which the other end has all there was.
    fn let_go(&mut self) {
        for topic in self.routes.drained(clock::now()) {
            self.graph.on_drained(&topic);
        }
    }

    /// What could not be opened a while ago.
    fn try_again(&mut self) {
        let now = clock::now();
        let due = self.paused.extract_if(.., |(until, _)| now >= *until);
        due.for_each(|(_, topic)| self.graph.on_pause_over(&topic));
    }

    /// Acts on what changed, at most once each `LOOK_EVERY`: the link tells of each sample that is settled.
    fn obey(&mut self, watcher: &mut dyn Watcher) {
        let now = clock::now();
        if now.since(self.obeyed_at) < LOOK_EVERY {
            return;
        }
        self.obeyed_at = now;
        for order in self.graph.orders() {
            let topic = order.opens().map(str::to_owned);
            if let Err(error) = self.carry_out(order, watcher) {
                self.on_not_opened(topic, &error.to_string(), watcher);
            }
        }
        for report in self.graph.reports() {
            self.tell(&report.to_string(), watcher);
        }
    }

    fn on_not_opened(&mut self, topic: Option<String>, why: &str, watcher: &mut dyn Watcher) {
        let Some(topic) = topic else { return self.tell(why, watcher) };
        self.tell(&format!("topic /{topic}: {why}; it is tried again after {} s", AGAIN.as_secs()), watcher);
        self.graph.on_not_opened(&topic);
        self.paused.push((clock::now() + AGAIN, topic));
    }

    /// Sends what the other bridge must know. Where the link's queue is full it waits for the next turn: a newer message
    /// takes its place, but none is lost, as the graph says each thing once.
    fn speak(&mut self) -> Result<(), BridgeError> {
        let Some(message) = self.unsaid.take() else { return Ok(()) };
        match self.ours.send(message.clone()) {
            Ok(()) => Ok(()),
            Err(SendError::Full) => {
                self.unsaid = Some(message);
                Ok(())
            }
            Err(SendError::Closed) => {
                Err(BridgeError::Failed("the link's thread ended by itself".to_owned()))
            }
        }
    }

    fn carry_out(&mut self, order: Order, watcher: &mut dyn Watcher) -> Result<(), BridgeError> {
        match order {
            Order::OpenSource(opening) => {
                watcher.on_line(&format!(
                    "topic /{} goes to the other end ({})",
                    opening.topic.name,
                    about(&opening)
                ));
                self.routes.open_source(&self.link, opening)
            }
            Order::CloseSource(topic) => {
                watcher.on_line(&format!(
                    "topic /{topic} does not go any more: nobody wants it, or it has no writer"
                ));
                self.routes.close_source(&topic);
                Ok(())
            }
            Order::OpenTarget(opening) => {
                watcher.on_line(&format!("topic /{} is here ({})", opening.topic.name, about(&opening)));
                self.routes.open_target(&self.link, opening)
            }
            Order::CloseTarget(topic) => {
                watcher.on_line(&format!("topic /{topic} is gone: it has no writer at the other end"));
                self.routes.close_target(&topic);
                Ok(())
            }
            Order::Tell(message) => {
                self.unsaid = Some(message.write().into());
                Ok(())
            }
        }
    }

    fn hear_threads(&mut self, watcher: &mut dyn Watcher) -> Result<(), BridgeError> {
        while let Ok(notice) = self.notices.try_recv() {
            match notice {
                Notice::Topic { topic, what } => self.tell(&format!("topic /{topic}: {what}"), watcher),
                Notice::NotOpened { topic, why } => self.on_not_opened(Some(topic), &why, watcher),
                Notice::Failed(what) => return Err(BridgeError::Failed(what)),
            }
        }
        Ok(())
    }

    fn show(&mut self, watcher: &mut dyn Watcher) {
        let now = clock::now();
        if now.since(self.status_at) >= STATUS_EVERY {
            self.status_at = now;
            watcher.on_status(&self.status());
        }
    }

    fn status(&self) -> Status {
        let stats = self.link.stats();
        let (sources, targets) = self.counts.read();
        Status {
            is_up: matches!(stats.state, LinkState::Up { .. }),
            rtt_ms: stats.session.rtt.as_secs_f64() * 1e3,
            loss: stats.session.loss,
            sources,
            targets,
            reports: self.graph.standing().take(REPORTS_MAX).map(ToString::to_string).collect(),
            messages_refused: self.messages_refused,
        }
    }

    fn tell(&mut self, line: &str, watcher: &mut dyn Watcher) {
        if self.told.is_due(clock::now(), line) {
            watcher.on_line(line);
        }
    }
}

fn about(opening: &graph::Opening) -> String {
    format!("{}, {}, class {}", opening.topic.type_name, crate::qos::Words(&opening.topic.qos), opening.class)
}

fn words_of(error: &MessageError) -> String {
    format!("a message of the other bridge is passed over: {error}")
}
