//! What the network takes.

/// What sockets take; all of it is taken when the stack is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Connections at once, those that are waited for included: two at each port that a node listens on.
    pub sockets: usize,
    /// What has come and is not read yet, bytes of each.
    pub receive_bytes: usize,
    /// What is written and not acknowledged yet, bytes of each.
    pub send_bytes: usize,
}

impl Memory {
    /// Bytes of all buffers.
    pub const fn bytes(&self) -> usize {
        self.sockets * (self.receive_bytes + self.send_bytes)
    }
}
