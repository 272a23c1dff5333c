//! Why a session, or the attempt to get one, ended: in words, with the remedy.
//!
//! The translation from QUIC's and TLS's codes stands here alone. Text from the peer is cleaned before anyone prints
//! it: it comes from the network and may hold terminal escapes.

use std::net::SocketAddr;

use quinn_proto::{ConnectionError, VarInt};

use super::keys::PublicKey;

/// Longest text of the peer that is kept, in characters.
const PEER_TEXT_MAX: usize = 200;

/// Application codes of QUIC's CONNECTION_CLOSE (RFC 9000 §19.19) in protocol `tokkyu/5`.
pub(super) mod code {
    /// Closed on purpose; the reason is text.
    pub(in crate::carrier) const DONE: u32 = 0;
    /// Another peer holds the session.
    pub(in crate::carrier) const BUSY: u32 = 1;
    /// The same key came with a newer connection.
    pub(in crate::carrier) const REPLACED: u32 = 2;
    /// The handshake took too long.
    pub(in crate::carrier) const TOO_SLOW: u32 = 3;
    /// The same key holds the session, and is heard.
    pub(in crate::carrier) const TWICE: u32 = 4;
    /// A path was to join a session that is not there.
    pub(in crate::carrier) const NO_SESSION: u32 = 5;
}

/// TLS alerts (RFC 8446 §6) that mean something to us; QUIC carries them as 0x100 + alert (RFC 9001 §4.8).
const ALERT_ACCESS_DENIED: u64 = 0x100 + 49;
const ALERT_NO_APPLICATION_PROTOCOL: u64 = 0x100 + 120;

/// Why a session, or the attempt to get one, ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CloseReason {
    /// The peer's key is not in our trust store.
    #[error(
        "the peer's key {} is not trusted; if it is the right machine, copy its public key file here and run: tokkyu keys trust FILE --into DIR, then start again",
        fingerprint.as_deref().unwrap_or("(not an Ed25519 key)")
    )]
    PeerKeyUntrusted {
        /// Fingerprint of the key it showed.
        fingerprint: Option<String>,
    },
    /// The peer does not have our key in its trust store.
    #[error(
        "the peer does not trust our key {fingerprint}; copy our public key file there and run on it: tokkyu keys trust FILE --into DIR, then start again"
    )]
    OurKeyRefused {
        /// Fingerprint of our key.
        fingerprint: String,
    },
    /// The peer speaks another version of the protocol.
    #[error("the peer does not speak {ours}: bring both sides to the same version of tokkyu")]
    OtherProtocol {
        /// Our protocol's name.
        ours: String,
    },
    /// Another peer holds the session.
    #[error("the peer already serves another one; it takes one at a time")]
    Busy,
    /// A newer connection came with the same key.
    #[error("another process connected with the same key and took the session over")]
    Replaced,
    /// A session of the same key lives.
    #[error(
        "the peer serves another process with our key, which is alive: end it, or give each machine a key of its own (tokkyu keys new)"
    )]
    Twice,
    /// The session that another path was to join is over at the peer.
    #[error("the peer knows no such session: it is over there")]
    NoSession,
    /// The handshake had no answer.
    #[error(
        "no answer from {peer}: is tokkyu running there, does a firewall let UDP port {} through, does the path carry IP packets of 1280 bytes?",
        peer.port()
    )]
    NoAnswer {
        /// Whom we asked.
        peer: SocketAddr,
    },
    /// Nothing was heard from the peer for the idle time.
    #[error("nothing was heard from the peer for {} s", idle.as_secs())]
    IdleTimeout {
        /// The idle time.
        idle: core::time::Duration,
    },
    /// The peer was restarted and no longer knows the session.
    #[error("the peer was restarted and no longer knows this session")]
    PeerRestarted,
    /// The peer closed the session.
    #[error("closed by the peer: {text}")]
    ByPeer {
        /// What it gave as its reason.
        text: String,
    },
    /// We closed the session.
    #[error("closed here: {text}")]
    ByUs {
        /// The reason we gave.
        text: String,
    },
    /// QUIC or TLS failed otherwise.
    #[error("the connection failed: {text}")]
    Failed {
        /// What they say.
        text: String,
    },
}

/// What the translation needs to know besides the error.
pub(super) struct Circumstances {
    pub(super) ours: PublicKey,
    pub(super) refused: Option<PublicKey>,
    pub(super) protocol: String,
    pub(super) peer: SocketAddr,
    pub(super) established: bool,
    pub(super) idle: core::time::Duration,
}

impl CloseReason {
    /// Whether trying again cannot help until someone changes a file on one of the two machines.
    pub fn never_succeeds(&self) -> bool {
        matches!(
            self,
            CloseReason::PeerKeyUntrusted { .. }
                | CloseReason::OurKeyRefused { .. }
                | CloseReason::OtherProtocol { .. }
        )
    }

    /// The reason behind QUIC's `error`.
    pub(super) fn of(error: &ConnectionError, around: &Circumstances) -> CloseReason {
        match error {
            ConnectionError::TransportError(ours) => Self::of_our_alert(u64::from(ours.code), error, around),
            ConnectionError::ConnectionClosed(theirs) => {
                Self::of_their_alert(u64::from(theirs.error_code), error, around)
            }
            ConnectionError::ApplicationClosed(close) => Self::of_code(close.error_code, &close.reason),
            ConnectionError::Reset => CloseReason::PeerRestarted,
            ConnectionError::TimedOut if around.established => CloseReason::IdleTimeout { idle: around.idle },
            ConnectionError::TimedOut => CloseReason::NoAnswer { peer: around.peer },
            other => CloseReason::Failed { text: other.to_string() },
        }
    }

    fn of_our_alert(alert: u64, error: &ConnectionError, around: &Circumstances) -> CloseReason {
        match alert {
            ALERT_ACCESS_DENIED => {
                CloseReason::PeerKeyUntrusted { fingerprint: around.refused.map(|key| key.fingerprint()) }
            }
            ALERT_NO_APPLICATION_PROTOCOL => CloseReason::OtherProtocol { ours: around.protocol.clone() },
            _ => CloseReason::Failed { text: error.to_string() },
        }
    }

    fn of_their_alert(alert: u64, error: &ConnectionError, around: &Circumstances) -> CloseReason {
        match alert {
            ALERT_ACCESS_DENIED => CloseReason::OurKeyRefused { fingerprint: around.ours.fingerprint() },
            ALERT_NO_APPLICATION_PROTOCOL => CloseReason::OtherProtocol { ours: around.protocol.clone() },
            _ => CloseReason::Failed { text: printable(error.to_string().as_bytes()) },
        }
    }

    fn of_code(error_code: VarInt, reason: &[u8]) -> CloseReason {
        match u32::try_from(error_code.into_inner()) {
            Ok(code::BUSY) => CloseReason::Busy,
            Ok(code::REPLACED) => CloseReason::Replaced,
            Ok(code::TWICE) => CloseReason::Twice,
            Ok(code::NO_SESSION) => CloseReason::NoSession,
            _ => CloseReason::ByPeer { text: printable(reason) },
        }
    }
}

/// The peer's text, without what could drive a terminal, cut to a bearable length.
fn printable(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().filter(|c| !c.is_control()).take(PEER_TEXT_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_peer_cannot_drive_a_terminal_or_fill_a_log() {
        assert_eq!(printable(b"bye\x1b[2J\r\n\xff"), "bye[2J\u{fffd}");
        assert_eq!(printable(&[b'x'; 5_000]).len(), PEER_TEXT_MAX);
    }

    #[test]
    fn a_reason_names_the_key_and_the_remedy() {
        let text = CloseReason::PeerKeyUntrusted { fingerprint: Some("SHA256:abc".into()) }.to_string();
        assert!(
            text.contains("SHA256:abc")
                && text.contains("tokkyu keys trust FILE --into DIR, then start again"),
            "{text}"
        );
        let unknown = CloseReason::PeerKeyUntrusted { fingerprint: None }.to_string();
        assert!(unknown.contains("not an Ed25519 key"), "{unknown}");
    }

    #[test]
    fn a_handshake_without_an_answer_names_address_port_and_packet_size() {
        let peer = "192.0.2.7:7447".parse().unwrap();
        let text = CloseReason::NoAnswer { peer }.to_string();
        for part in ["192.0.2.7:7447", "UDP port 7447", "1280 bytes"] {
            assert!(text.contains(part), "{text}");
        }
    }
}
