//! The bridge's main thread: carries facts to the graph and its orders out.

use std::sync::mpsc::{Receiver, channel};

use tokkyu_bridge::deaths::Deaths;
use tokkyu_bridge::session::{Session, instance};
use tokkyu_link::carrier::clock;
use tokkyu_link::core::{Endpoint, Event};
use tokkyu_link::runtime::{Link, LinkEvent};

use super::ros::{Notice, Ros};
use super::routes::Routes;
use super::start::{OWN, check};
use super::{BridgeError, BridgeOptions, Status, Watcher};
use crate::graph::{Graph, Identity, Opening, Order, Report};
use crate::message::Message;

/// A bridge that runs.
pub(super) struct Bridge {
    graph: Graph,
    // Before the routes: a thread of theirs may wait for a master that is gone, until the node ends.
    ros: Ros,
    routes: Routes,
    notices: Receiver<Notice>,
    deaths: Deaths,
    session: Session,
    has_master: bool,
}

impl Bridge {
    /// Makes the node.
    pub(super) fn start(
        options: BridgeOptions,
        link: Link,
        watcher: &mut dyn Watcher<Status>,
    ) -> Result<Bridge, BridgeError> {
        check(&options.robot)?;
        let (sender, notices) = channel();
        let deaths = Deaths::default();
        let ros = Ros::start(&options, &sender, &deaths)?;
        let node = ros.node().name().to_owned();
        watcher.on_line(&format!("node {node} at the master {}", ros.node().master_uri()));
        let session = Session::open(link, OWN, options.end, options.linger)?;
        let namespace = options.namespace;
        let identity = Identity { end: options.end, instance: instance(), node, namespace };
        Ok(Bridge {
            graph: Graph::new(identity, options.robot),
            routes: Routes::new(options.site, options.priority, sender, deaths.clone()),
            ros,
            notices,
            deaths,
            session,
            has_master: true,
        })
    }

    /// Runs until the watcher says so, or somebody ends the node.
    pub(super) fn run(mut self, watcher: &mut dyn Watcher<Status>) -> Result<Status, BridgeError> {
        while !watcher.is_over() {
            if !self.ros.node().is_ok() {
                watcher.on_line("the bridge's node was ended by another node");
                break;
            }
            while let Some(event) = self.session.event(watcher)? {
                self.on_link_event(event, watcher);
            }
            while let Some(message) = self.session.hear(Message::parse, watcher) {
                self.graph.on_message(message);
            }
            self.hear_threads(watcher);
            self.on_time();
            self.obey(watcher);
            self.deaths.check()?;
            self.session.speak()?;
            if self.session.is_to_show() {
                watcher.on_status(&self.status());
            }
        }
        self.routes.end();
        Ok(self.status())
    }

    fn on_link_event(&mut self, event: LinkEvent, watcher: &mut dyn Watcher<Status>) {
        match event {
            LinkEvent::Refused { flow, why, samples } => {
                let topic = self.routes.on_refused(flow, samples);
                self.session.on_refused(topic, &why, watcher);
            }
            LinkEvent::Withdrawn { endpoint, .. } => self.routes.on_withdrawn(endpoint),
            LinkEvent::Session(Event::Missed { id, .. }) => self.routes.on_missed(id),
            LinkEvent::Session(Event::Matched { endpoint: Endpoint::Publication(flow) }) => {
                let opening = self.routes.on_matched(flow);
                opening.iter().for_each(|opening| watcher.on_line(&goes(opening)));
            }
            LinkEvent::Session(Event::Incompatible { endpoint: Endpoint::Publication(flow), mismatches }) => {
                let report = self.routes.topic_of(flow).map(|topic| Report::other_qos(topic, &mismatches));
                report.iter().for_each(|report| self.session.tell(&report.to_string(), watcher));
            }
            _ => {}
        }
    }

    fn hear_threads(&mut self, watcher: &mut dyn Watcher<Status>) {
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

    fn on_notice(&mut self, notice: Notice, watcher: &mut dyn Watcher<Status>) {
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
                self.session.pause(&topic, &why, watcher);
                self.graph.on_not_subscribed(&topic);
            }
            Notice::Heard { topic, publisher } => self.graph.on_heard(&topic, publisher),
            Notice::NotOpened { topic, why } => {
                self.routes.close_target(&topic);
                self.on_not_opened(&topic, &why, watcher);
            }
            Notice::Topic { topic, what } => {
                self.session.tell(&format!("topic /{topic}: {what}"), watcher);
            }
        }
    }

    /// What is linked goes on without it.
    fn on_no_master(&mut self, why: &str, watcher: &mut dyn Watcher<Status>) {
        if std::mem::replace(&mut self.has_master, false) && self.ros.node().is_ok() {
            let uri = self.ros.node().master_uri();
            watcher.on_line(&format!("the master at {uri} {why}"));
        }
    }

    fn on_time(&mut self) {
        self.graph.on_time(clock::now());
        if self.session.has_gone() {
            self.graph.on_peer_gone();
        }
        for topic in self.session.pauses_over() {
            self.graph.on_pause_over(&topic);
        }
    }

    /// Acts on what changed.
    fn obey(&mut self, watcher: &mut dyn Watcher<Status>) {
        if !self.session.is_to_obey() {
            return;
        }
        for order in self.graph.orders() {
            self.carry_out(order, watcher);
        }
        for report in self.graph.reports() {
            self.session.tell(&report.to_string(), watcher);
        }
    }

    fn carry_out(&mut self, order: Order, watcher: &mut dyn Watcher<Status>) {
        match order {
            Order::Subscribe(wish) => self.routes.subscribe(&self.ros, wish),
            Order::Unsubscribe(topic) => self.routes.unsubscribe(&topic),
            Order::OpenSource(opening) => {
                let name = opening.topic.name.clone();
                // Others go when their reader at the other end is found.
                if opening.is_kept() {
                    watcher.on_line(&goes(&opening));
                }
                if let Err(error) = self.routes.open_source(self.session.link(), opening) {
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
                if let Err(error) = self.routes.open_target(self.session.link(), &self.ros, opening) {
                    self.on_not_opened(&name, &error.to_string(), watcher);
                }
            }
            Order::CloseTarget(topic) => {
                watcher.on_line(&format!("topic /{topic} is gone: it has no publisher at the other end"));
                self.routes.close_target(&topic);
            }
            Order::AskMaster => self.ros.look(),
            Order::Tell(message) => self.session.say(message.write()),
        }
    }

    fn on_not_opened(&mut self, topic: &str, why: &str, watcher: &mut dyn Watcher<Status>) {
        self.session.pause(topic, why, watcher);
        self.graph.on_not_opened(topic);
    }

    fn status(&self) -> Status {
        self.session.status(self.routes.figures(), self.graph.standing())
    }
}

fn goes(opening: &Opening) -> String {
    format!("topic /{} goes to the other end ({})", opening.topic.name, about(opening))
}

fn about(opening: &Opening) -> String {
    let kept = if opening.is_kept() { ", kept for late readers" } else { "" };
    format!("{}, class {}{kept}", opening.topic.type_name, opening.class)
}
