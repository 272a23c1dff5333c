//! What a carrier counts. Plain numbers since the carrier was made, for the ledger, the console and alarms.

use core::iter::Sum;
use core::ops::Add;

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
    /// For a session that is not there.
    pub no_session: u64,
    /// Not finished in time.
    pub timed_out: u64,
    /// Anything else.
    pub other: u64,
}

impl FailedHandshakes {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.untrusted_key
            + self.other_protocol
            + self.busy
            + self.twice
            + self.no_session
            + self.timed_out
            + self.other
    }
}

impl Sum for CarrierCounters {
    /// Of several carriers.
    fn sum<I: Iterator<Item = CarrierCounters>>(all: I) -> CarrierCounters {
        all.fold(CarrierCounters::default(), |sum, one| CarrierCounters {
            datagrams_sent: sum.datagrams_sent + one.datagrams_sent,
            datagram_bytes_sent: sum.datagram_bytes_sent + one.datagram_bytes_sent,
            datagrams_received: sum.datagrams_received + one.datagrams_received,
            datagram_bytes_received: sum.datagram_bytes_received + one.datagram_bytes_received,
            sends_refused: sum.sends_refused + one.sends_refused,
            packets_sent: sum.packets_sent + one.packets_sent,
            packet_bytes_sent: sum.packet_bytes_sent + one.packet_bytes_sent,
            packets_received: sum.packets_received + one.packets_received,
            packet_bytes_received: sum.packet_bytes_received + one.packet_bytes_received,
            send_calls: sum.send_calls + one.send_calls,
            gso_calls: sum.gso_calls + one.gso_calls,
            would_block: sum.would_block + one.would_block,
            too_big: sum.too_big + one.too_big,
            unsendable: sum.unsendable + one.unsendable,
            unmarked: sum.unmarked + one.unmarked,
            rejected: sum.rejected + one.rejected,
            failed_handshakes: sum.failed_handshakes + one.failed_handshakes,
            retries: sum.retries + one.retries,
            migrations: sum.migrations + one.migrations,
            black_holes: sum.black_holes + one.black_holes,
        })
    }
}

impl Add for Rejected {
    type Output = Rejected;

    fn add(self, other: Rejected) -> Rejected {
        Rejected {
            malformed: self.malformed + other.malformed,
            unknown_connection: self.unknown_connection + other.unknown_connection,
            unauthentic: self.unauthentic + other.unauthentic,
            over_limit: self.over_limit + other.over_limit,
        }
    }
}

impl Add for FailedHandshakes {
    type Output = FailedHandshakes;

    fn add(self, other: FailedHandshakes) -> FailedHandshakes {
        FailedHandshakes {
            untrusted_key: self.untrusted_key + other.untrusted_key,
            other_protocol: self.other_protocol + other.other_protocol,
            busy: self.busy + other.busy,
            twice: self.twice + other.twice,
            no_session: self.no_session + other.no_session,
            timed_out: self.timed_out + other.timed_out,
            other: self.other + other.other,
        }
    }
}
