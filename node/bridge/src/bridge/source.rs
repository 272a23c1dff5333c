//! The source's side of a topic: its publishers give, the link takes. NODE-91 to NODE-93, NODE-98.
//!
//! A callback runs in the thread of its class and waits for nothing: the link's publisher never blocks, the lock of a lane
//! is held by the main thread for a few steps at a time. Invariant: each sample is counted once.

use std::collections::VecDeque;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokkyu_contract::{FlowId, MonoTime};
use tokkyu_link::carrier::clock;
use tokkyu_link::runtime::Publisher as LinkPublisher;
use tokkyu_node::{Delivery, Origin};

use super::figures::{Counted, Fate, SourceFigures};
use super::ros::Notice;
use crate::graph::{Opening, Publisher};
use crate::names;

/// Publishers whose last samples wait for the topic to be opened, at most: one each.
const KEPT_MAX: usize = 16;
/// Links whose publisher was told of, remembered: as many as a node has connections (NODE-56).
const TOLD_MAX: usize = 1024;

/// The way of one topic from its publishers to the link.
pub(super) struct Lane {
    topic: String,
    /// Whether the flow declares that late readers get the last samples.
    is_kept: bool,
    notices: Sender<Notice>,
    figures: Arc<Counted<SourceFigures>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    outlet: Option<Outlet>,
    /// Last samples of publishers that keep them, until it is known whether the topic is theirs.
    kept: VecDeque<Kept>,
    /// Links whose publisher was told of.
    told: VecDeque<u32>,
}

/// The link's publication, while the topic is sent.
struct Outlet {
    publisher: LinkPublisher,
    opening: Opening,
    /// Whether the other end's subscription was found: what is sent before goes to nobody, unless the link keeps it.
    is_matched: bool,
}

struct Kept {
    origin: Arc<Origin>,
    at: MonoTime,
    payload: Bytes,
}

impl Lane {
    pub(super) fn new(
        topic: &str,
        is_kept: bool,
        figures: Arc<Counted<SourceFigures>>,
        notices: Sender<Notice>,
    ) -> Lane {
        Lane { topic: topic.to_owned(), is_kept, notices, figures, state: Mutex::default() }
    }

    /// The topic, without leading slash.
    pub(super) fn topic(&self) -> &str {
        &self.topic
    }

    pub(super) fn figures(&self) -> &Counted<SourceFigures> {
        &self.figures
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A sample came. Its lifespan counts from now.
    pub(super) fn on_delivery(&self, delivery: &mut Delivery<'_>) {
        let at = clock::now();
        let origin = Arc::clone(delivery.origin());
        let mut state = self.state();
        if state.is_new(origin.link) {
            self.tell_of(&origin);
        }
        if names::is_bridge(&origin.callerid) {
            return self.figures.count(Fate::Refused);
        }
        if let Some(outlet) = &state.outlet {
            self.figures.count(match fits(&outlet.opening, &origin) {
                true if outlet.is_matched => {
                    send(&outlet.publisher, at, Bytes::copy_from_slice(delivery.wire()))
                }
                true => Fate::Unwanted,
                false => Fate::Refused,
            });
        } else if origin.is_latched || self.is_kept {
            let payload = Bytes::copy_from_slice(delivery.wire());
            self.keep(&mut state, Kept { origin, at, payload });
        } else {
            self.figures.count(Fate::Unwanted);
        }
    }

    /// A publisher that is gone before the main thread looks is known by its sample.
    fn tell_of(&self, origin: &Origin) {
        let _ = self.notices.send(Notice::Heard { topic: self.topic.clone(), publisher: publisher(origin) });
    }

    /// Of each publisher the last one.
    fn keep(&self, state: &mut State, kept: Kept) {
        let is_former = |former: &Kept| former.origin.link == kept.origin.link;
        let former = state.kept.iter().position(is_former).or((state.kept.len() == KEPT_MAX).then_some(0));
        if let Some(at) = former {
            state.kept.remove(at);
            self.figures.count(Fate::Unwanted);
        }
        state.kept.push_back(kept);
    }

    /// The topic is sent from now on, with what was kept for it.
    pub(super) fn open(&self, publisher: LinkPublisher, opening: Opening) {
        let mut state = self.state();
        for kept in std::mem::take(&mut state.kept) {
            self.figures.count(match fits(&opening, &kept.origin) {
                true if opening.is_kept() => send(&publisher, kept.at, kept.payload),
                true => Fate::Unwanted,
                false => Fate::Refused,
            });
        }
        state.outlet = Some(Outlet { is_matched: opening.is_kept(), publisher, opening });
    }

    /// The other end's subscription to that publication was found; gives what is sent from now on.
    pub(super) fn on_matched(&self, flow: FlowId) -> Option<Opening> {
        let mut state = self.state();
        let is_new = |outlet: &&mut Outlet| outlet.publisher.flow() == flow && !outlet.is_matched;
        let outlet = state.outlet.as_mut().filter(is_new)?;
        outlet.is_matched = true;
        Some(outlet.opening.clone())
    }

    /// It is not sent any more; the link settles what it has.
    pub(super) fn close(&self) {
        let closed = self.state().outlet.take();
        drop(closed);
    }
}

impl Drop for Lane {
    /// What nobody asked for until the end.
    fn drop(&mut self) {
        self.state().kept.iter().for_each(|_| self.figures.count(Fate::Unwanted));
    }
}

impl State {
    /// Whether nothing came by this link yet.
    fn is_new(&mut self, link: u32) -> bool {
        if self.told.contains(&link) {
            return false;
        }
        if self.told.len() == TOLD_MAX {
            self.told.pop_front();
        }
        self.told.push_back(link);
        true
    }
}

/// What a connection header says.
pub(super) fn publisher(origin: &Origin) -> Publisher {
    Publisher {
        node: origin.callerid.clone(),
        type_name: origin.datatype.clone(),
        md5sum: origin.md5sum.clone(),
        definition: origin.definition.clone(),
        is_latched: origin.is_latched,
    }
}

fn fits(opening: &Opening, origin: &Origin) -> bool {
    opening.topic.type_name == origin.datatype && opening.topic.md5sum == origin.md5sum
}

fn send(publisher: &LinkPublisher, at: MonoTime, payload: Bytes) -> Fate {
    let size = payload.len();
    match publisher.send_captured(at, payload) {
        Ok(()) => Fate::Sent(size),
        Err(_) => Fate::Refused,
    }
}
