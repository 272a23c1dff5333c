//! What a node may take, in one value (NODE-118).

/// Most of each thing that grows with what others ask for, or with what a program does not declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Connections at once (NODE-56).
    pub connections: usize,
    /// Bytes of an answer of the master.
    pub answer_bytes: usize,
    /// Bytes of requests that clients of services have under way at once, all together (NODE-56).
    pub request_bytes: usize,
    /// Bytes of a message, a request or an answer, unless a subscription says so itself.
    pub message_bytes: usize,
    /// Subscriptions of one topic in this node that can read from one publisher.
    pub readers: u32,
    /// Subscriptions of one publisher at once, where it does not say so itself.
    pub links: u32,
    /// The deepest queue, whatever is asked for; at most [`tokkyu_topic::MAX_DEPTH`].
    pub depth: u32,
    /// Slots that a topic has at least, beside those that its links need.
    pub slots: u32,
    /// Slots for what comes from one publisher at most, beyond what one subscription needs.
    pub received_slots: u32,
}

impl Profile {
    /// A computer.
    pub const FULL: Profile = Profile {
        connections: 1024,
        answer_bytes: 16 << 20,
        request_bytes: 1 << 30,
        message_bytes: 1 << 30,
        readers: 16,
        links: 64,
        depth: tokkyu_topic::MAX_DEPTH,
        slots: 256,
        received_slots: 2048,
    };

    /// A board whose memory is counted in hundreds of kilobytes.
    pub const SMALL: Profile = Profile {
        connections: 12,
        answer_bytes: 16 << 10,
        request_bytes: 16 << 10,
        message_bytes: 1 << 20,
        readers: 4,
        links: 4,
        depth: 8,
        slots: 0,
        received_slots: 16,
    };

    /// Publishers of one topic that the node connects to at once, and of all topics (NODE-102): who names them may be a stranger, and others want to be
    /// accepted, and the master to be called.
    pub(crate) const fn publishers(&self) -> (usize, usize) {
        (self.connections / 2, self.connections / 4 * 3)
    }
}
