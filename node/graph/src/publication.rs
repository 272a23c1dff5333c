//! A topic of ours.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_contract::Class;
use tokkyu_topic::Channel;

use crate::command::Kind;
use crate::host::{Audience, Done, Lending, Subscriber};
use crate::payload::Payload;

/// A topic of ours.
pub(crate) struct Publication {
    pub(crate) kind: Kind,
    pub(crate) depth: u32,
    pub(crate) class: Class,
    pub(crate) channel: Arc<Channel<Payload>>,
    pub(crate) audience: Option<Arc<dyn Audience>>,
    pub(crate) lending: Option<Arc<dyn Lending>>,
    pub(crate) is_registered: bool,
    pub(crate) done: Vec<Done<()>>,
    /// Subscriptions of this node, with the number of the link to each.
    pub(crate) local: Vec<(u32, Arc<dyn Subscriber>)>,
}
