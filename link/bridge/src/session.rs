//! The life of the session with the other bridge: who is there, what is said and heard, what is told of it.
//!
//! A part of the bridge's main thread, which waits for the link in [`Session::event`] alone, and no longer than
//! [`LOOK_EVERY`]. What follows for the middleware is the bridge's own: it hears each of the link's events after the
//! session has.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use tokkyu_contract::yaml::robot::Toward;
use tokkyu_contract::{Class, Durability, History, MonoTime, Qos};
use tokkyu_link::carrier::{CloseReason, clock};
use tokkyu_link::core::{EndpointError, Event, Publication, PublishError, Subscription, Way};
use tokkyu_link::runtime::{Link, LinkDied, LinkEvent, LinkState, Publisher, SendError, Subscriber};

use crate::again::{OPENED_AGAIN, Pace, Paused, Told};
use crate::flows::{OwnTopics, other};
use crate::frame::MessageError;
use crate::standing::Standing;
use crate::{Status, Watcher};

/// Longest wait for the link, and shortest time between two looks at what follows: the link tells of each sample that is
/// settled.
pub const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Events of the link that are looked at in one turn: the middleware has its turn too.
const EVENTS: usize = 1024;
/// Longest wait for the link's last event.
const LAST_WORD: Duration = Duration::from_secs(1);
/// Between two looks at the figures.
const STATUS_EVERY: Duration = Duration::from_secs(1);
/// Reports in the figures at most.
const REPORTS_MAX: usize = 256;

/// The session cannot begin, or is over for good.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The link takes no more topics, or a name of ours is too long for it.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The peer will not have us, or we will not have it, and waiting changes nothing.
    #[error("{0}")]
    Refused(CloseReason),
    /// The link's thread died.
    #[error(transparent)]
    LinkDied(#[from] LinkDied),
    /// A thread of ours ended by itself.
    #[error("{0}; this is a fault of tokkyu, please report it")]
    Failed(String),
}

/// The session with the other bridge, on a link of its own.
pub struct Session {
    end: Toward,
    link: Link,
    ours: Publisher,
    theirs: Subscriber,
    unsaid: Unsaid,
    standing: Standing,
    /// The other bridge has once accepted us: that a session is up says only that we accept it.
    is_proved: bool,
    told: Told,
    paused: Paused,
    obeying: Pace,
    showing: Pace,
    /// Events heard in this turn.
    heard: usize,
    messages_refused: u64,
}

impl Session {
    /// Opens the bridges' own topics; the other bridge counts as gone when it was away for `linger`.
    ///
    /// # Errors
    /// The link takes no more topics.
    pub fn open(link: Link, own: OwnTopics, end: Toward, linger: Duration) -> Result<Session, SessionError> {
        let (publication, subscription) = endpoints(own, end);
        Ok(Session {
            end,
            ours: link.publish(publication)?,
            theirs: link.subscribe(subscription)?,
            link,
            unsaid: Unsaid::default(),
            standing: Standing::new(linger),
            is_proved: false,
            told: Told::default(),
            paused: Paused::default(),
            obeying: Pace::new(LOOK_EVERY, MonoTime::ZERO),
            showing: Pace::new(STATUS_EVERY, clock::now()),
            heard: 0,
            messages_refused: 0,
        })
    }

    /// The link, for the topics that cross.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// The next event of the link in this turn, once the session has heard it: waits for the first of a turn. `None` ends
    /// the turn.
    ///
    /// # Errors
    /// The peer refuses us for good, or the link's thread died.
    pub fn event<S>(&mut self, watcher: &mut dyn Watcher<S>) -> Result<Option<LinkEvent>, SessionError> {
        let event = match self.heard {
            0 => self.link.event(LOOK_EVERY),
            1..EVENTS => self.link.event(Duration::ZERO),
            _ => None,
        };
        self.heard = if event.is_some() { self.heard + 1 } else { 0 };
        if let Some(event) = &event {
            self.on_event(event, watcher)?;
        }
        Ok(event)
    }

    fn on_event<S>(&mut self, event: &LinkEvent, watcher: &mut dyn Watcher<S>) -> Result<(), SessionError> {
        match event {
            LinkEvent::State(LinkState::Up { session }) => {
                self.standing.on_up();
                watcher.on_line(&format!("session {session} with the other bridge is up"));
            }
            LinkEvent::State(LinkState::Down(reason)) => self.on_down(reason, watcher)?,
            LinkEvent::State(LinkState::Died(died)) => return Err(SessionError::LinkDied(died.clone())),
            LinkEvent::Trouble(what) => self.tell(what, watcher),
            LinkEvent::Session(Event::Matched { .. }) => self.is_proved = true,
            LinkEvent::Session(Event::PeerSilent) => {
                watcher.on_line("nothing is heard from the other bridge");
            }
            LinkEvent::Session(Event::PeerAlive) => watcher.on_line("the other bridge is heard again"),
            LinkEvent::Session(Event::LongPacketsLost { way: Way::Out }) => watcher.on_line(
                "only short packets reach the other bridge: large samples are lost on the way; set link: {mtu: } in \
                 site.yaml at both ends to what the path carries",
            ),
            LinkEvent::Session(Event::LongPacketsLost { way: Way::In }) => watcher.on_line(
                "only short packets of the other bridge reach us: its large samples are lost on the way; set link: \
                 {mtu: } in site.yaml at both ends to what the path carries",
            ),
            LinkEvent::Session(Event::LongPacketsPass { .. }) => watcher.on_line("long packets pass again"),
            _ => {}
        }
        Ok(())
    }

    fn on_down<S>(&mut self, reason: &CloseReason, watcher: &mut dyn Watcher<S>) -> Result<(), SessionError> {
        // The operator listens: it may be another vehicle that is refused. And a refusal by one that has accepted us before may be a mistake that is
        // being mended there.
        if !self.is_proved && self.end == Toward::Vehicle && reason.never_succeeds() {
            return Err(SessionError::Refused(reason.clone()));
        }
        self.standing.on_down(clock::now());
        self.tell(&format!("no session with the other bridge: {reason}"), watcher);
        Ok(())
    }

    /// The link refused samples of a publication of ours: that of `topic`, or the bridges' own.
    pub fn on_refused<S>(&mut self, topic: Option<&str>, why: &PublishError, watcher: &mut dyn Watcher<S>) {
        let line = match topic {
            Some(topic) => format!("topic /{topic}: the link does not take its samples: {why}"),
            None => format!("the link does not take a message of ours: {why}"),
        };
        self.tell(&line, watcher);
    }

    /// The next message of the other bridge that `parse` understands; others are counted and told.
    pub fn hear<M, S>(
        &mut self,
        parse: impl Fn(&[u8]) -> Result<M, MessageError>,
        watcher: &mut dyn Watcher<S>,
    ) -> Option<M> {
        while let Some(sample) = self.theirs.receive(Duration::ZERO) {
            match parse(&sample.delivered.payload) {
                Ok(message) => return Some(message),
                Err(error) => {
                    self.messages_refused += 1;
                    self.tell(&format!("a message of the other bridge is passed over: {error}"), watcher);
                }
            }
        }
        None
    }

    /// The other bridge must know: a newer message takes the place of one that waits.
    pub fn say(&mut self, message: Vec<u8>) {
        self.unsaid.say(message.into());
    }

    /// Sends what waits to be said, as far as the link takes it.
    ///
    /// # Errors
    /// The link's thread died.
    pub fn speak(&mut self) -> Result<(), SessionError> {
        let said = self.unsaid.send(|message| self.ours.send(message));
        said.map_err(|error| self.death().map_or(error, SessionError::LinkDied))
    }

    /// Why the link takes nothing any more. Its last event comes a moment after that.
    fn death(&self) -> Option<LinkDied> {
        std::iter::from_fn(|| self.link.event(LAST_WORD)).find_map(|event| match event {
            LinkEvent::State(LinkState::Died(died)) => Some(died),
            _ => None,
        })
    }

    /// Whether the other bridge counts as gone from now on.
    pub fn has_gone(&mut self) -> bool {
        self.standing.on_time(clock::now())
    }

    /// A topic cannot be opened: that is told, and [`Session::pauses_over`] gives it when it may be tried again.
    pub fn pause<S>(&mut self, topic: &str, why: &str, watcher: &mut dyn Watcher<S>) {
        let after = OPENED_AGAIN.as_secs();
        self.tell(&format!("topic /{topic}: {why}; it is tried again after {after} s"), watcher);
        self.paused.on_not_opened(clock::now(), topic);
    }

    /// Topics that could not be opened a while ago.
    pub fn pauses_over(&mut self) -> Vec<String> {
        self.paused.on_time(clock::now())
    }

    /// Whether it is time to act on what changed.
    pub fn is_to_obey(&mut self) -> bool {
        self.obeying.is_due(clock::now())
    }

    /// Whether the status is to be shown.
    pub fn is_to_show(&mut self) -> bool {
        self.showing.is_due(clock::now())
    }

    /// The status, with the bridge's figures and reports.
    pub fn status<S, T>(
        &self,
        (sources, targets): (Vec<S>, Vec<T>),
        reports: impl Iterator<Item = impl ToString>,
    ) -> Status<S, T> {
        let stats = self.link.stats();
        Status {
            is_up: matches!(stats.state, LinkState::Up { .. }),
            rtt_ms: stats.session.rtt.as_secs_f64() * 1e3,
            loss: stats.session.loss,
            sources,
            targets,
            reports: reports.take(REPORTS_MAX).map(|report| report.to_string()).collect(),
            messages_refused: self.messages_refused,
        }
    }

    /// Tells a line, unless it was told a moment ago.
    pub fn tell<S>(&mut self, line: &str, watcher: &mut dyn Watcher<S>) {
        if self.told.is_due(clock::now(), line) {
            watcher.on_line(line);
        }
    }
}

/// The newest message that the link has not taken yet. Where its queue is full it waits for the next turn: a newer one takes
/// its place, but none is lost, as each says all there is and is said once.
#[derive(Debug, Default)]
struct Unsaid(Option<Bytes>);

impl Unsaid {
    fn say(&mut self, message: Bytes) {
        self.0 = Some(message);
    }

    fn send(&mut self, send: impl FnOnce(Bytes) -> Result<(), SendError>) -> Result<(), SessionError> {
        let Some(message) = self.0.take() else { return Ok(()) };
        match send(message.clone()) {
            Ok(()) => Ok(()),
            Err(SendError::Full) => {
                self.0 = Some(message);
                Ok(())
            }
            Err(SendError::Closed) => {
                Err(SessionError::Failed("the link's thread ended by itself".to_owned()))
            }
        }
    }
}

/// What carries what the bridges tell each other (ROS2-33, NODE-94).
fn endpoints(own: OwnTopics, end: Toward) -> (Publication, Subscription) {
    let type_name = own.type_name.to_owned();
    let qos = Qos {
        history: History::KeepLast { depth: 1 },
        durability: Durability::TransientLocal,
        ..Qos::default()
    };
    let subscription = Subscription { topic: own.of(other(end)), type_name: type_name.clone(), qos };
    let publication = Publication {
        topic: own.of(end),
        type_name,
        class: Class::Realtime,
        qos,
        period: None,
        size_bytes: 0,
    };
    (publication, subscription)
}

/// A number no other run has: the time of its start and the process.
pub fn instance() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanoseconds = u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
    nanoseconds ^ u64::from(std::process::id()) << 40
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_the_link_does_not_take_waits_until_it_does_or_a_newer_one_takes_its_place() {
        let mut unsaid = Unsaid::default();
        unsaid.say(Bytes::from_static(b"old"));
        unsaid.send(|_| Err(SendError::Full)).unwrap();
        unsaid.say(Bytes::from_static(b"new"));
        unsaid.send(|_| Err(SendError::Full)).unwrap();
        let mut sent = Vec::new();
        for _ in 0..2 {
            let take = |message| {
                sent.push(message);
                Ok(())
            };
            unsaid.send(take).unwrap();
        }
        assert_eq!(sent, [&b"new"[..]], "once");
    }

    #[test]
    fn a_link_that_is_closed_under_the_bridge_ends_it() {
        let mut unsaid = Unsaid::default();
        assert!(unsaid.send(|_| Err(SendError::Closed)).is_ok(), "there is nothing to say");
        unsaid.say(Bytes::from_static(b"word"));
        let error = unsaid.send(|_| Err(SendError::Closed)).unwrap_err().to_string();
        assert!(error.contains("ended by itself") && error.contains("report it"), "{error}");
    }
}
