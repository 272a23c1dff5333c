//! The bridge's main thread: carries facts to the graph and its orders out.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use tokkyu_bridge::deaths::Deaths;
use tokkyu_bridge::session::{Session, SessionError, instance};
use tokkyu_contract::Class;
use tokkyu_link::carrier::clock;
use tokkyu_link::core::{Endpoint, Event};
use tokkyu_link::runtime::site::fifo;
use tokkyu_link::runtime::{Link, LinkEvent, LinkState};

use super::figures::Counts;
use super::notice::{Notice, Notices};
use super::routes::{Means, Routes};
use super::start::{OWN, check};
use super::{BridgeError, BridgeOptions, Status, Watcher, place};
use crate::dds::{Discovery, Participant};
use crate::graph::{self, Graph, Identity, Order};
use crate::message::Message;

/// A bridge that runs.
pub(super) struct Bridge {
    graph: Graph,
    // Before the participant: readers and writers go first.
    routes: Routes,
    discovery: Discovery,
    notices: Receiver<Notice>,
    deaths: Deaths,
    counts: Counts,
    session: Session,
}

impl Bridge {
    /// Joins the domain.
    pub(super) fn start(
        options: BridgeOptions,
        link: Link,
        watcher: &mut dyn Watcher<Status>,
    ) -> Result<Bridge, BridgeError> {
        check(&options)?;
        let place = place::find(options.domain, &options.interfaces)?;
        let instance = instance();
        // What DDS hands over stands before a thread of ours for any class: none of them is served better than DDS is.
        let fifo_priority = fifo(&options.site, Class::Realtime, options.priority);
        let participant = Arc::new(Participant::join(&place, &graph::mark(instance), fifo_priority)?);
        let discovery = Discovery::new(&participant)?;
        let (notices, heard) = Notices::open();
        let (counts, deaths) = (Counts::default(), Deaths::default());
        let means = Means {
            participant,
            site: options.site,
            priority: options.priority,
            notices,
            deaths: deaths.clone(),
            counts: counts.clone(),
        };
        let identity = Identity { end: options.end, instance, namespace: options.namespace };
        let session = Session::open(link, OWN, options.end, options.linger)?;
        watcher.on_line(&format!(
            "DDS domain {} on {}{}",
            place.domain,
            place.interfaces.join(", "),
            if place.host_only { ", this host only" } else { "" }
        ));
        Ok(Bridge {
            graph: Graph::new(identity, options.robot),
            routes: Routes::new(means),
            discovery,
            notices: heard,
            deaths,
            counts,
            session,
        })
    }

    /// Runs until the watcher says so.
    pub(super) fn run(mut self, watcher: &mut dyn Watcher<Status>) -> Result<Status, BridgeError> {
        while !watcher.is_over() {
            while let Some(event) = self.session.event(watcher)? {
                self.on_link_event(event, watcher);
            }
            while let Some(message) = self.session.hear(Message::parse, watcher) {
                self.graph.on_message(message);
            }
            for change in self.discovery.changes()? {
                self.graph.on_change(change);
            }
            self.on_time();
            self.obey(watcher);
            self.deaths.check()?;
            self.session.speak()?;
            self.hear_threads(watcher)?;
            if self.session.is_to_show() {
                watcher.on_status(&self.status());
            }
        }
        Ok(self.status())
    }

    fn on_link_event(&mut self, event: LinkEvent, watcher: &mut dyn Watcher<Status>) {
        match event {
            LinkEvent::State(LinkState::Down(_)) => self.routes.on_down(),
            LinkEvent::Refused { flow, why, samples } => {
                let topic = self.routes.topic_of(flow);
                topic.iter().for_each(|topic| self.counts.source(topic).on_refused(samples));
                self.session.on_refused(topic, &why, watcher);
            }
            LinkEvent::Withdrawn { endpoint, .. } => self.routes.on_withdrawn(endpoint),
            LinkEvent::Session(Event::Missed { id, .. }) => self.routes.on_missed(id),
            LinkEvent::Session(Event::Matched { endpoint: Endpoint::Publication(flow) }) => {
                if let Err(error) = self.routes.on_matched(flow) {
                    self.session.tell(&error.to_string(), watcher);
                }
            }
            LinkEvent::Session(Event::Unmatched { endpoint: Endpoint::Publication(flow) }) => {
                self.routes.on_unmatched(flow);
            }
            _ => {}
        }
    }

    fn on_time(&mut self) {
        if self.session.has_gone() {
            self.graph.on_peer_gone();
        }
        // Topics without a writer of which the other end has all there was.
        for topic in self.routes.drained(clock::now()) {
            self.graph.on_drained(&topic);
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
            let topic = order.opens().map(str::to_owned);
            if let Err(error) = self.carry_out(order, watcher) {
                self.on_not_opened(topic, &error.to_string(), watcher);
            }
        }
        for report in self.graph.reports() {
            self.session.tell(&report.to_string(), watcher);
        }
    }

    fn on_not_opened(&mut self, topic: Option<String>, why: &str, watcher: &mut dyn Watcher<Status>) {
        let Some(topic) = topic else { return self.session.tell(why, watcher) };
        self.session.pause(&topic, why, watcher);
        self.graph.on_not_opened(&topic);
    }

    fn carry_out(&mut self, order: Order, watcher: &mut dyn Watcher<Status>) -> Result<(), BridgeError> {
        match order {
            Order::OpenSource(opening) => {
                watcher.on_line(&format!(
                    "topic /{} goes to the other end ({})",
                    opening.topic.name,
                    about(&opening)
                ));
                self.routes.open_source(self.session.link(), opening)
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
                self.routes.open_target(self.session.link(), opening)
            }
            Order::CloseTarget(topic) => {
                watcher.on_line(&format!("topic /{topic} is gone: it has no writer at the other end"));
                self.routes.close_target(&topic);
                Ok(())
            }
            Order::Tell(message) => {
                self.session.say(message.write());
                Ok(())
            }
        }
    }

    fn hear_threads(&mut self, watcher: &mut dyn Watcher<Status>) -> Result<(), BridgeError> {
        while let Ok(notice) = self.notices.try_recv() {
            match notice {
                Notice::Topic { topic, what } => {
                    self.session.tell(&format!("topic /{topic}: {what}"), watcher);
                }
                Notice::NotOpened { topic, why } => self.on_not_opened(Some(topic), &why, watcher),
                Notice::Failed(what) => return Err(SessionError::Failed(what).into()),
            }
        }
        Ok(())
    }

    fn status(&self) -> Status {
        self.session.status(self.counts.read(), self.graph.standing())
    }
}

fn about(opening: &graph::Opening) -> String {
    format!("{}, {}, class {}", opening.topic.type_name, crate::qos::Words(&opening.topic.qos), opening.class)
}
