//! One QUIC connection and what we keep beside it.
//!
//! ```text
//!   Handshake ──established──▶ Session ──lost, closed──▶ Leaving ──drained──▶ gone
//!       └──────────failed, too slow, busy──────────────────▲
//! ```
//!
//! A connection that leaves stays for three probe time-outs (RFC 9000 §10.2), to answer late packets with its close.

use std::time::Instant;

use quinn_proto::{Connection, ConnectionError, ConnectionEvent, ConnectionHandle, Endpoint, Event, VarInt};
use rustls::pki_types::CertificateDer;
use tokkyu_contract::MonoTime;

use crate::carrier::keys::PublicKey;

/// How far a connection has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The peer is not known yet.
    Handshake,
    /// The one session of this end.
    Session,
    /// Over; waits until late packets have died out.
    Leaving,
}

/// What a turn of the connection brought.
#[derive(Debug)]
pub(super) enum Turn {
    /// Nothing more.
    Quiet,
    /// The handshake is complete: the peer proved a trusted key.
    Established,
    /// The connection ended by itself.
    Lost(ConnectionError),
    /// Nothing remains of it.
    Gone,
}

/// One connection.
pub(super) struct Association {
    pub(super) handle: ConnectionHandle,
    pub(super) connection: Connection,
    pub(super) phase: Phase,
    pub(super) since: MonoTime,
    /// Its packets are shorter than this end's could be, from the start (LNK-89).
    pub(super) is_short: bool,
    /// Frames received as of the last packet.
    frames: u64,
}

impl Association {
    pub(super) fn new(
        handle: ConnectionHandle,
        connection: Connection,
        since: MonoTime,
        is_short: bool,
    ) -> Association {
        Association { handle, connection, phase: Phase::Handshake, since, is_short, frames: 0 }
    }

    /// Exchanges events with the endpoint and returns what the connection has to say, one thing at a time.
    pub(super) fn turn(&mut self, endpoint: &mut Endpoint) -> Turn {
        while let Some(event) = self.connection.poll_endpoint_events() {
            if let Some(answer) = endpoint.handle_event(self.handle, event) {
                self.connection.handle_event(answer);
            }
        }
        while let Some(event) = self.connection.poll() {
            match event {
                Event::Connected => return Turn::Established,
                Event::ConnectionLost { reason } => return Turn::Lost(reason),
                // Handshake data, datagrams (taken out after each packet), streams (none are allowed).
                _ => {}
            }
        }
        // Drained: the endpoint was told above and has forgotten it.
        if self.connection.is_drained() { Turn::Gone } else { Turn::Quiet }
    }

    /// Feeds one packet in. Returns whether the connection accepted it.
    ///
    /// `quinn-proto` drops replayed and forged packets without a word. Every packet that is accepted holds at least
    /// one frame (RFC 9000 §12.4), so a count of frames that stood still gives the others away.
    pub(super) fn feed(&mut self, event: ConnectionEvent) -> bool {
        let before = self.frames;
        self.connection.handle_event(event);
        self.frames = self.frames_received();
        self.frames != before
    }

    /// Whether the peer's part of the handshake has begun to come, or its refusal. Acknowledgements are not it: they are
    /// not padded to the size of the session, and may pass where that does not.
    pub(super) fn is_answered(&self) -> bool {
        let frames = self.connection.stats().frame_rx;
        frames.crypto + frames.connection_close > 0
    }

    /// Ends the connection with an application code and a text for the peer.
    pub(super) fn leave(&mut self, now: Instant, code: u32, text: &str) {
        self.connection.close(now, VarInt::from_u32(code), text.to_owned().into());
        self.phase = Phase::Leaving;
    }

    /// The key the peer proved. Known once established.
    pub(super) fn peer_key(&self) -> Option<PublicKey> {
        let identity = self.connection.crypto_session().peer_identity()?;
        let shown = identity.downcast::<Vec<CertificateDer<'static>>>().ok()?;
        PublicKey::from_spki(shown.first()?)
    }

    pub(super) fn black_holes(&self) -> u64 {
        self.connection.stats().path.black_holes_detected
    }

    fn frames_received(&self) -> u64 {
        let f = self.connection.stats().frame_rx;
        f.datagram
            + f.acks
            + f.ack_frequency
            + f.crypto
            + f.connection_close
            + f.data_blocked
            + u64::from(f.handshake_done)
            + f.immediate_ack
            + f.max_data
            + f.max_stream_data
            + f.max_streams_bidi
            + f.max_streams_uni
            + f.new_connection_id
            + f.new_token
            + f.path_challenge
            + f.path_response
            + f.ping
            + f.reset_stream
            + f.retire_connection_id
            + f.stream_data_blocked
            + f.streams_blocked_bidi
            + f.streams_blocked_uni
            + f.stop_sending
            + f.stream
    }
}
