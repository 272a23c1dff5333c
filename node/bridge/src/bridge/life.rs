//! The bridge's main thread: carries facts to the graph and its orders out.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use bytes::Bytes;
use tokkyu_contract::yaml::robot::Toward;
use tokkyu_contract::{FlowId, MonoTime};
use tokkyu_link::carrier::{CloseReason, clock};
use tokkyu_link::core::{Endpoint, Event, PublishError};
use tokkyu_link::runtime::{Link, LinkEvent, LinkState, Publisher, SendError, Subscriber};

use super::ros::{Notice, Ros};
use super::routes::Routes;
use super::start::{check, instance, own_topics};
use super::told::Told;
use super::{BridgeError, BridgeOptions, LOOK_EVERY, Status, Watcher};
use crate::graph::{Graph, Identity, Opening, Order, Report};
use crate::message::Message;

/// Events of the link that are looked at in one turn: the others have their turn too.
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
    // Before the routes: a thread of theirs may wait for a master that is gone, until the node ends.
    ros: Ros,
    routes: Routes,
    notices: Receiver<Notice>,
    link: Link,
    ours: Publisher,
    /// The newest message to the other bridge that the link has not taken yet.
    unsaid: Option<Bytes>,
    theirs: Subscriber,
    told: Told,
    state: Standing,
    has_master: bool,
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
    /// Makes the node.
    pub(super) fn start(
        options: BridgeOptions,
        link: Link,
        watcher: &mut dyn Watcher,
    ) -> Result<Bridge, BridgeError> {
        check(&options.robot)?;
        let (sender, notices) = channel();
        let ros = Ros::start(&options, &sender)?;
        let node = ros.node().name().to_owned();
        watcher.on_line(&format!("node {node} at the master {}", ros.node().master_uri()));
        let (ours, theirs) = own_topics(&link, options.end)?;
        let namespace = options.namespace.clone();
        let identity = Identity { end: options.end, instance: instance(), node, namespace };
        Ok(Bridge {
            graph: Graph::new(identity, options.robot.clone()),
            routes: Routes::new(options.site.clone(), options.priority, sender),
            ros,
            notices,
            link,
            ours,
            unsaid: None,
            theirs,
            told: Told::default(),
            state: Standing::New,
            has_master: true,
            messages_refused: 0,
            paused: Vec::new(),
            obeyed_at: MonoTime::ZERO,
            status_at: clock::now(),
            options,
        })
    }

    /// Runs until the watcher says so, or somebody ends the node.
    pub(super) fn run(mut self, watcher: &mut dyn Watcher) -> Result<Status, BridgeError> {
        while !watcher.is_over() {
            if !self.ros.node().is_ok() {
                watcher.on_line("the bridge's node was ended by another node");
                break;
            }
            self.hear_link(watcher)?;
            self.hear_peer(watcher);
            self.hear_threads(watcher);
            self.on_time();
            self.obey(watcher);
            self.speak()?;
            self.show(watcher);
        }
        self.routes.end();
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
            LinkEvent::Refused { flow, why, samples } => self.on_refused(flow, &why, samples, watcher),
            LinkEvent::Withdrawn { endpoint, .. } => self.routes.on_withdrawn(endpoint),
            LinkEvent::Session(event) => self.on_session_event(event, watcher),
        }
        Ok(())
    }

    fn on_session_event(&mut self, event: Event, watcher: &mut dyn Watcher) {
        match event {
            Event::Missed { id, .. } => self.routes.on_missed(id),
            Event::Matched { endpoint: Endpoint::Publication(flow) } => {
                let opening = self.routes.on_matched(flow);
                opening.iter().for_each(|opening| watcher.on_line(&goes(opening)));
            }
            Event::PeerSilent => watcher.on_line("nothing is heard from the other bridge"),
            Event::PeerAlive => watcher.on_line("the other bridge is heard again"),
            Event::Incompatible { endpoint: Endpoint::Publication(flow), mismatches } => {
                let report = self.routes.topic_of(flow).map(|topic| Report::other_qos(topic, &mismatches));
                report.iter().for_each(|report| self.tell(&report.to_string(), watcher));
            }
            _ => {}
        }
    }

    fn on_down(&mut self, reason: &CloseReason, watcher: &mut dyn Watcher) -> Result<(), BridgeError> {
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
        let line = match self.routes.on_refused(flow, samples) {
            Some(topic) => format!("topic /{topic}: the link does not take its samples: {why}"),
            None => format!("the link does not take a message of ours: {why}"),
        };
        self.tell(&line, watcher);
    }

    fn hear_peer(&mut self, watcher: &mut dyn Watcher) {
        while let Some(sample) = self.theirs.receive(Duration::ZERO) {
            match Message::parse(&sample.delivered.payload) {
                Ok(message) => drop(self.graph.on_message(message)),
                Err(error) => {
                    self.messages_refused += 1;
                    self.tell(&format!("a message of the other bridge is passed over: {error}"), watcher);
                }
            }
        }
    }

    fn hear_threads(&mut self, watcher: &mut dyn Watcher) {
        while let Ok(notice) = self.notices.try_recv() {
            self.on_notice(notice, watcher);
        }
        for (topic, is_linked, publishers) in self.routes.linked() {
            publishers.into_iter().for_each(|publisher| self.graph.on_heard(&topic, publisher));
            self.graph.on_linked(&topic, is_linked, clock::now());
        }
        for (topic, is_wanted) in self.routes.demand() {
            self.graph.on_demand(topic, is_wanted);
        }
    }

    fn on_notice(&mut self, notice: Notice, watcher: &mut dyn Watcher) {
        match notice {
            Notice::Master(state) => {
                if !std::mem::replace(&mut self.has_master, true) {
                    watcher.on_line("the master answers again");
                }
                self.graph.on_master(state);
            }
            Notice::NoMaster(why) => self.on_no_master(&why, watcher),
            Notice::Subscribed(lane, subscription) => self.routes.on_subscribed(&lane, subscription),
            Notice::NotSubscribed { topic, why } => {
                self.pause(&topic, &why, watcher);
                self.graph.on_not_subscribed(&topic);
            }
            Notice::Heard { topic, publisher } => self.graph.on_heard(&topic, publisher),
            Notice::NotOpened { topic, why } => {
                self.routes.close_target(&topic);
                self.on_not_opened(&topic, &why, watcher);
            }
            Notice::Topic { topic, what } => self.tell(&format!("topic /{topic}: {what}"), watcher),
        }
    }

    /// What is linked goes on without it.
    fn on_no_master(&mut self, why: &str, watcher: &mut dyn Watcher) {
        if std::mem::replace(&mut self.has_master, false) && self.ros.node().is_ok() {
            let uri = self.ros.node().master_uri();
            watcher.on_line(&format!("the master at {uri} {why}"));
        }
    }

    fn on_time(&mut self) {
        let now = clock::now();
        self.graph.on_time(now);
        if let Standing::Away { since } = self.state
            && now.since(since) >= self.options.linger
        {
            self.state = Standing::Gone;
            self.graph.on_peer_gone();
        }
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
            self.carry_out(order, watcher);
        }
        for report in self.graph.reports() {
            self.tell(&report.to_string(), watcher);
        }
    }

    fn carry_out(&mut self, order: Order, watcher: &mut dyn Watcher) {
        match order {
            Order::Subscribe(wish) => self.routes.subscribe(&self.ros, wish),
            Order::Unsubscribe(topic) => self.routes.unsubscribe(&topic),
            Order::OpenSource(opening) => {
                let name = opening.topic.name.clone();
                // Others go when their reader at the other end is found.
                if opening.is_kept() {
                    watcher.on_line(&goes(&opening));
                }
                if let Err(error) = self.routes.open_source(&self.link, opening) {
                    self.on_not_opened(&name, &error.to_string(), watcher);
                }
            }
            Order::CloseSource(topic) => {
                watcher.on_line(&format!(
                    "topic /{topic} does not go any more: nobody wants it, or it has no publisher"
                ));
                self.routes.close_source(&topic);
            }
            Order::OpenTarget(opening) => {
                let name = opening.topic.name.clone();
                watcher.on_line(&format!("topic /{name} is here ({})", about(&opening)));
                if let Err(error) = self.routes.open_target(&self.link, &self.ros, opening) {
                    self.on_not_opened(&name, &error.to_string(), watcher);
                }
            }
            Order::CloseTarget(topic) => {
                watcher.on_line(&format!("topic /{topic} is gone: it has no publisher at the other end"));
                self.routes.close_target(&topic);
            }
            Order::AskMaster => self.ros.look(),
            Order::Tell(message) => self.unsaid = Some(message.write().into()),
        }
    }

    fn on_not_opened(&mut self, topic: &str, why: &str, watcher: &mut dyn Watcher) {
        self.pause(topic, why, watcher);
        self.graph.on_not_opened(topic);
    }

    fn pause(&mut self, topic: &str, why: &str, watcher: &mut dyn Watcher) {
        self.tell(&format!("topic /{topic}: {why}; it is tried again after {} s", AGAIN.as_secs()), watcher);
        self.paused.push((clock::now() + AGAIN, topic.to_owned()));
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

    fn show(&mut self, watcher: &mut dyn Watcher) {
        let now = clock::now();
        if now.since(self.status_at) >= STATUS_EVERY {
            self.status_at = now;
            watcher.on_status(&self.status());
        }
    }

    fn status(&self) -> Status {
        let stats = self.link.stats();
        let (sources, targets) = self.routes.figures();
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

fn goes(opening: &Opening) -> String {
    format!("topic /{} goes to the other end ({})", opening.topic.name, about(opening))
}

fn about(opening: &Opening) -> String {
    let kept = if opening.is_kept() { ", kept for late readers" } else { "" };
    format!("{}, class {}{kept}", opening.topic.type_name, opening.class)
}
