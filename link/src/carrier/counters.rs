//! What a carrier counts. Plain numbers since the carrier was made, for the ledger, the console and alarms.

/// Everything a carrier counted since it was made, over all its sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CarrierCounters {
    /// Datagrams taken from the core.
    pub datagrams_sent: u64,
    /// Their bytes.
    pub datagram_bytes_sent: u64,
    /// Datagrams given to the core.
    pub datagrams_received: u64,
    /// Their bytes.
    pub datagram_bytes_received: u64,
    /// Datagrams refused by `send`. Other than zero is a fault of the caller.
    pub sends_refused: u64,
    /// UDP packets the kernel took, acknowledgements and handshakes included.
    pub packets_sent: u64,
    /// Their bytes of UDP payload.
    pub packet_bytes_sent: u64,
    /// UDP packets read, whatever they were.
    pub packets_received: u64,
    /// Their bytes of UDP payload.
    pub packet_bytes_received: u64,
    /// Calls that handed packets to the kernel.
    pub send_calls: u64,
    /// Of these, calls that handed over several packets at once (GSO).
    pub gso_calls: u64,
    /// Times the socket's send buffer was full.
    pub would_block: u64,
    /// Packets longer than the interface carries (`EMSGSIZE`). Other than zero: `ip_mtu` is set too large.
    pub too_big: u64,
    /// Packets the kernel refused for another reason: no route, a firewall, an interface that is down.
    pub unsendable: u64,
    /// Times the kernel refused the DSCP or the priority of a class.
    pub unmarked: u64,
    /// Packets that were thrown away.
    pub rejected: Rejected,
    /// Handshakes that did not become a session.
    pub failed_handshakes: FailedHandshakes,
    /// Handshakes asked to prove their address first (Retry, RFC 9000 §8.1.2).
    pub retries: u64,
    /// Changes of the peer's address (operator) or of our own (vehicle) that a session lived through.
    pub migrations: u64,
    /// Times QUIC believed the path's MTU had shrunk. Must stay 0: see `quic/config.rs`.
    pub black_holes: u64,
}

/// Received packets that were thrown away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rejected {
    /// No QUIC packet as we speak it: too short, another version, a first packet that cannot be opened.
    pub malformed: u64,
    /// For a connection that is not ours, or no longer.
    pub unknown_connection: u64,
    /// Addressed to the session, but not accepted by it: replayed, forged, damaged, or more than 128 packets late.
    pub unauthentic: u64,
    /// First packets of handshakes beyond what is let in.
    pub over_limit: u64,
}

/// Handshakes that did not become a session, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FailedHandshakes {
    /// The peer's key is not in our trust store.
    pub untrusted_key: u64,
    /// The peer speaks another version of the protocol (ALPN).
    pub other_protocol: u64,
    /// Another peer holds the session.
    pub busy: u64,
    /// A session of the same key lives.
    pub twice: u64,
    /// Not finished in time.
    pub timed_out: u64,
    /// Anything else.
    pub other: u64,
}

impl FailedHandshakes {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.untrusted_key + self.other_protocol + self.busy + self.twice + self.timed_out + self.other
    }
}
