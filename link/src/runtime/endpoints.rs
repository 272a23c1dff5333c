//! The application's endpoints as the link's thread keeps them: what outlives a session, and what is left of those that
//! were withdrawn.

use super::channel::{Feed, Outgoing};
use super::{Closing, LinkEvent, Sample};
use crate::core::kept::Kept;
use crate::core::{Delivered, Endpoint, Publication, PublishError, Session, Subscription};
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;
use tokkyu_contract::{Durability, FlowId, Ledger, MonoTime, Outcome};

/// Refusals of one publication are told at most this often: a camera would fill the queue of events with them.
const REFUSALS_INTERVAL: Duration = Duration::from_secs(1);
/// Ledgers of withdrawn endpoints kept for the end of the link, of each kind.
const PAST: usize = 1024;

/// A publication with what outlives a session.
struct Published {
    /// Counts the announcements.
    nth: u64,
    publication: Publication,
    /// What a `transient_local` publication keeps from one session to the next.
    kept: Kept,
    /// The newest of it that no session has booked: published while there was none.
    unsettled: usize,
    ledger: Ledger,
    refusals: Refusals,
}

impl Published {
    /// Keeps a sample for sessions to come; what must go for it and was part of none ends as dropped.
    fn keep(&mut self, now: MonoTime, sample: (MonoTime, Bytes), limit_bytes: usize, is_booked: bool) {
        self.kept.push(now, sample.0, sample.1, &self.publication.qos, limit_bytes);
        self.unsettled = if is_booked { 0 } else { self.unsettled + 1 };
        let left = self.unsettled.min(self.kept.len());
        self.drop_samples(self.unsettled - left);
        self.unsettled = left;
    }

    fn drop_samples(&mut self, count: usize) {
        for _ in 0..count {
            self.ledger.offer();
            self.ledger.settle(Outcome::Dropped);
        }
    }
}

/// Samples the session refused that the application was not told of yet.
#[derive(Default)]
struct Refusals {
    samples: u64,
    why: Option<PublishError>,
    tell_at: MonoTime,
}

impl Refusals {
    fn add(&mut self, why: PublishError) {
        self.samples += 1;
        self.why = Some(why);
    }

    /// What is left to tell.
    fn rest(self, flow: FlowId) -> Option<LinkEvent> {
        let samples = self.samples;
        self.why.map(|why| LinkEvent::Refused { flow, why, samples })
    }

    /// The event to tell now.
    fn take(&mut self, now: MonoTime, flow: FlowId) -> Option<LinkEvent> {
        let why = self.why.take_if(|_| now >= self.tell_at)?;
        self.tell_at = now + REFUSALS_INTERVAL;
        Some(LinkEvent::Refused { flow, why, samples: std::mem::take(&mut self.samples) })
    }
}

/// What became of a sample that the application handed over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    BySession,
    /// There is no session: it is kept for the next.
    ForLater,
    ByNobody,
}

/// A subscription with what outlives a session.
struct Subscribed {
    /// Counts the announcements.
    nth: u64,
    subscription: Subscription,
    feed: Feed,
    ledger: Ledger,
}

/// Topics and ledgers of endpoints that were withdrawn, each with the number of its announcement.
#[derive(Default)]
struct Past(VecDeque<(u64, String, Ledger)>);

impl Past {
    fn push(&mut self, nth: u64, topic: String, ledger: Ledger) {
        if self.0.len() == PAST {
            self.0.pop_front();
        }
        self.0.push_back((nth, topic, ledger));
    }

    /// Those, and the ones that are there, in order of announcement.
    fn with(self, there: impl Iterator<Item = (u64, String, Ledger)>) -> Vec<(String, Ledger)> {
        let mut all: Vec<_> = self.0.into_iter().chain(there).collect();
        all.sort_by_key(|(nth, ..)| *nth);
        all.into_iter().map(|(_, topic, ledger)| (topic, ledger)).collect()
    }
}

/// Every endpoint of the application.
#[derive(Default)]
pub(super) struct Endpoints {
    published: BTreeMap<FlowId, Published>,
    subscribed: BTreeMap<FlowId, Subscribed>,
    /// Publications to be withdrawn once they are drained.
    draining: BTreeSet<FlowId>,
    past_published: Past,
    past_subscribed: Past,
    announced: u64,
}

impl Endpoints {
    pub(super) fn advertise(
        &mut self,
        session: Option<&mut Session>,
        flow: FlowId,
        publication: Publication,
    ) {
        let announced = session.map_or(Ok(()), |session| session.advertise_as(flow, publication.clone()));
        debug_assert!(announced.is_ok(), "checked when the application asked: {announced:?}");
        let (kept, unsettled, ledger, refusals) = Default::default();
        self.announced += 1;
        let published = Published { nth: self.announced, publication, kept, unsettled, ledger, refusals };
        self.published.insert(flow, published);
    }

    pub(super) fn subscribe(
        &mut self,
        session: Option<&mut Session>,
        id: FlowId,
        (subscription, feed): (Subscription, Feed),
    ) {
        let announced = session.map_or(Ok(()), |session| session.subscribe_as(id, subscription.clone()));
        debug_assert!(announced.is_ok(), "checked when the application asked: {announced:?}");
        self.announced += 1;
        let subscribed = Subscribed { nth: self.announced, subscription, feed, ledger: Ledger::default() };
        self.subscribed.insert(id, subscribed);
    }

    /// Publishes a sample. Gives what is to be told of refusals; a `transient_local` publication keeps `limit_bytes`.
    pub(super) fn send(
        &mut self,
        session: Option<&mut Session>,
        now: MonoTime,
        sample: Outgoing,
        limit_bytes: usize,
    ) -> Option<LinkEvent> {
        let Outgoing { flow, capture, payload } = sample;
        let published = self.published.get_mut(&flow)?;
        let is_kept = published.publication.qos.durability == Durability::TransientLocal;
        let taken = match session {
            Some(session) => {
                session.publish_shared(now, flow, capture, payload.clone()).map(|_| Taken::BySession)
            }
            None if is_kept => Ok(Taken::ForLater),
            None => Ok(Taken::ByNobody),
        };
        match taken {
            Ok(Taken::ByNobody) => published.drop_samples(1),
            Err(why) => {
                published.drop_samples(1);
                published.refusals.add(why);
            }
            Ok(taken) if is_kept => {
                published.keep(now, (capture, payload), limit_bytes, taken == Taken::BySession);
            }
            Ok(_) => {}
        }
        published.refusals.take(now, flow)
    }

    /// Refusals that were too soon after others, and are due now.
    pub(super) fn refusals(&mut self, now: MonoTime) -> Vec<LinkEvent> {
        let due = |(flow, published): (&FlowId, &mut Published)| published.refusals.take(now, *flow);
        self.published.iter_mut().filter_map(due).collect()
    }

    pub(super) fn deliver(&self, session: u64, delivered: Delivered) {
        // One that was withdrawn a moment ago has nobody to take it.
        if let Some(subscribed) = self.subscribed.get(&delivered.subscription) {
            subscribed.feed.put(Sample { session, delivered });
        }
    }

    /// A session begins: everything is announced to it, in the order of its first announcement.
    pub(super) fn join(&mut self, now: MonoTime, session: &mut Session) {
        for (id, subscribed) in in_turn(&mut self.subscribed, |subscribed| subscribed.nth) {
            let announced = session.subscribe_as(id, subscribed.subscription.clone());
            debug_assert!(announced.is_ok(), "checked when the application asked: {announced:?}");
        }
        for (flow, published) in in_turn(&mut self.published, |published| published.nth) {
            let announced = session.advertise_as(flow, published.publication.clone());
            debug_assert!(announced.is_ok(), "checked when the application asked: {announced:?}");
            let kept = published.kept.alive(now, &published.publication.qos);
            let unsettled = std::mem::take(&mut published.unsettled);
            session.restore(now, flow, kept, unsettled);
        }
    }

    /// A session ended.
    pub(super) fn leave(&mut self, session: &Session) {
        for (flow, published) in &mut self.published {
            published.ledger += session.sent_ledger(*flow);
        }
        for (id, subscribed) in &mut self.subscribed {
            subscribed.ledger += session.received_ledger(*id);
        }
    }

    /// The application let go of a publication: it goes once it is drained.
    pub(super) fn drain(&mut self, flow: FlowId) {
        self.draining.insert(flow);
    }

    /// Publications that can go: nothing of them is under way.
    pub(super) fn drained(&self, session: Option<&Session>) -> Vec<FlowId> {
        let is_drained = |flow: &FlowId| session.is_none_or(|session| session.is_drained(*flow));
        self.draining.iter().copied().filter(is_drained).collect()
    }

    /// Takes an endpoint down. Gives what is to be told of it; nothing when it is not there.
    pub(super) fn withdraw(&mut self, session: Option<&mut Session>, endpoint: Endpoint) -> Vec<LinkEvent> {
        match endpoint {
            Endpoint::Publication(flow) => self.withdraw_publication(session, flow),
            Endpoint::Subscription(id) => self.withdraw_subscription(session, id),
        }
    }

    fn withdraw_publication(&mut self, session: Option<&mut Session>, flow: FlowId) -> Vec<LinkEvent> {
        self.draining.remove(&flow);
        let Some(mut published) = self.published.remove(&flow) else { return Vec::new() };
        published.drop_samples(published.unsettled);
        let of_session = session.and_then(|session| session.withdraw_publication(flow));
        published.ledger += of_session.unwrap_or_default();
        let Published { nth, publication: Publication { topic, .. }, ledger, refusals, .. } = published;
        self.past_published.push(nth, topic.clone(), ledger);
        let endpoint = Endpoint::Publication(flow);
        let gone = LinkEvent::Withdrawn { endpoint, topic, ledger };
        refusals.rest(flow).into_iter().chain([gone]).collect()
    }

    fn withdraw_subscription(&mut self, session: Option<&mut Session>, id: FlowId) -> Vec<LinkEvent> {
        let Some(Subscribed { nth, subscription, mut ledger, .. }) = self.subscribed.remove(&id) else {
            return Vec::new();
        };
        ledger += session.and_then(|session| session.withdraw_subscription(id)).unwrap_or_default();
        let topic = subscription.topic;
        self.past_subscribed.push(nth, topic.clone(), ledger);
        vec![LinkEvent::Withdrawn { endpoint: Endpoint::Subscription(id), topic, ledger }]
    }

    /// The link is closed: the final ledgers.
    pub(super) fn close(mut self) -> Closing {
        for published in self.published.values_mut() {
            published.drop_samples(published.unsettled);
        }
        let sent = self.published.into_values().map(|p| (p.nth, p.publication.topic, p.ledger));
        let received = self.subscribed.into_values().map(|s| (s.nth, s.subscription.topic, s.ledger));
        Closing { sent: self.past_published.with(sent), received: self.past_subscribed.with(received) }
    }
}

/// Endpoints in the order of their announcement: numbers come round.
fn in_turn<T>(endpoints: &mut BTreeMap<FlowId, T>, nth: impl Fn(&T) -> u64) -> Vec<(FlowId, &mut T)> {
    let mut all: Vec<(FlowId, &mut T)> = endpoints.iter_mut().map(|(id, one)| (*id, one)).collect();
    all.sort_by_key(|(_, one)| nth(one));
    all
}
