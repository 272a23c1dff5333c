//! The name a sample keeps on its whole path, from the sensor to the operator.

use core::fmt;

/// Number of a flow within one robot's contract. Zero is the session's own signalling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u16);

impl FlowId {
    /// The session's own flow: endpoint announcements.
    pub const SESSION: FlowId = FlowId(0);
}

impl fmt::Display for FlowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "flow {}", self.0)
    }
}

/// One sample: its flow and its sequence number in that flow, counted from 0 by the publisher.
///
/// Every probe writes this pair, so records of different hops and machines can be joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId {
    /// Flow of the sample.
    pub flow: FlowId,
    /// Sequence number in the flow; wraps after 2³² samples (13 years at 10 Hz).
    pub sequence: u32,
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.flow.0, self.sequence)
    }
}
