//! What a session tells its application.

use super::path::PathId;
use bytes::Bytes;
use std::time::Duration;
use tokkyu_contract::qos::Mismatches;
use tokkyu_contract::{FlowId, MonoTime, Outcome, PeerTime, TraceId};

/// A sample handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// The subscription it is for.
    pub subscription: FlowId,
    /// The publisher's flow and sequence number.
    pub id: TraceId,
    /// The payload.
    pub payload: Bytes,
    /// Publisher's clock at capture, but for turns of 2³² µs, in line with the offset told (LNK-4).
    pub capture: PeerTime,
    /// Age when it was complete, by the estimate of the peer's clock.
    pub age: Duration,
    /// Bound of the error of `age`; `Duration::MAX` before the clock is known.
    pub age_error: Duration,
    /// When it was complete.
    pub at: MonoTime,
}

/// One of our endpoints. Publications and subscriptions are both numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Endpoint {
    /// A flow this end sends.
    Publication(FlowId),
    /// A topic this end wants.
    Subscription(FlowId),
}

/// A direction of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From us to the peer.
    Out,
    /// From the peer to us.
    In,
}

/// Something happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A sample for a subscription.
    Delivered(Delivered),
    /// A sample of the peer that will not be delivered: late, expired or dropped.
    Missed {
        /// The publisher's flow and sequence number.
        id: TraceId,
        /// Why not.
        outcome: Outcome,
    },
    /// What became of a sample of ours.
    Settled {
        /// Our flow and sequence number.
        id: TraceId,
        /// How it ended.
        outcome: Outcome,
    },
    /// A subscription and a publication found each other.
    Matched {
        /// Our endpoint.
        endpoint: Endpoint,
    },
    /// The peer's endpoint went away.
    Unmatched {
        /// Our endpoint.
        endpoint: Endpoint,
    },
    /// The peer has the topic, but what is requested is more than is offered.
    Incompatible {
        /// Our endpoint.
        endpoint: Endpoint,
        /// The policies.
        mismatches: Mismatches,
    },
    /// The peer has the topic with another type.
    OtherType {
        /// Our endpoint.
        endpoint: Endpoint,
        /// The peer's type.
        peer_type: String,
    },
    /// We published nothing for the deadline.
    OfferedDeadlineMissed {
        /// Our publication.
        flow: FlowId,
    },
    /// Nothing was delivered for the deadline.
    RequestedDeadlineMissed {
        /// Our subscription.
        flow: FlowId,
    },
    /// Nothing was heard from the peer for the lease.
    PeerSilent,
    /// The peer is heard again.
    PeerAlive,
    /// Only short packets pass, long ones are lost: the path's MTU is smaller than our packets (LNK-70). Of the way in
    /// the peer tells.
    LongPacketsLost {
        /// Which way.
        way: Way,
    },
    /// Long packets pass again.
    LongPacketsPass {
        /// Which way.
        way: Way,
    },
    /// The path does not take packets as long as agreed: they are shorter now (LNK-86). Told again when the longest that
    /// pass is known. Of the way in the peer tells, once.
    PacketsCut {
        /// Which way.
        way: Way,
        /// Bytes of the longest IP packet, as `mtu` of a site counts them; not known of the way in.
        ip_bytes: Option<usize>,
    },
    /// Packets are as long as agreed again.
    PacketsWhole {
        /// Which way.
        way: Way,
    },
    /// Another path to the peer is there (LNK-90). Not told of a session's first.
    PathUp {
        /// Its number.
        path: PathId,
    },
    /// One of several paths went; the session goes on.
    PathDown {
        /// Its number.
        path: PathId,
    },
    /// One of several paths does not answer: what goes on it goes elsewhere (LNK-93).
    PathSilent {
        /// Its number.
        path: PathId,
    },
    /// It answers again.
    PathAnswers {
        /// Its number.
        path: PathId,
    },
    /// The bit rate a publication may use now.
    Grant {
        /// Our publication.
        flow: FlowId,
        /// Bits of payload a second.
        bps: u64,
    },
}
