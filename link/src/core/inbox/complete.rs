//! A sample all of whose bytes are here.

use crate::core::memory::whole_cost;
use bytes::Bytes;
use tokkyu_contract::{MonoTime, PeerTime, TraceId};

/// A sample all of whose bytes are here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete {
    /// Flow and sequence number.
    pub id: TraceId,
    /// Publisher's clock at capture.
    pub capture: PeerTime,
    /// When its first packet came.
    pub first_packet: MonoTime,
    /// The payload.
    pub payload: Bytes,
}

impl Complete {
    /// What it counts while it is held.
    pub fn cost(&self) -> usize {
        whole_cost(self.payload.len())
    }
}
