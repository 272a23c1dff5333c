//! Which session of which process a connection belongs to (LNK-96).
//!
//! The vehicle tells it in the server name of TLS's first packet (RFC 6066 §3), which both ends' proofs of their keys
//! cover: nobody but the owner of the vehicle's key can make a connection part of its session. It is not secret; who
//! listens on the way learns that two connections belong together.

use quinn_proto::Connection;
use quinn_proto::crypto::rustls::HandshakeData;
use ring::rand::{SecureRandom, SystemRandom};

/// A session as the vehicle names it: its process, and the session's number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    process: u64,
    session: u32,
}

impl Call {
    /// The first call of this process: no other has its number, but by a chance of 1 in 2⁶⁴. Where the system gives no
    /// chance, keys cannot be used either.
    pub fn first() -> Call {
        let mut process = [0; 8];
        let drawn = SystemRandom::new().fill(&mut process);
        drawn.map_or_else(
            |_| Call { process: u64::from(std::process::id()), session: 0 },
            |()| Call { process: u64::from_le_bytes(process), session: 0 },
        )
    }

    /// The call after this one.
    #[must_use]
    pub fn next(self) -> Call {
        Call { session: self.session.wrapping_add(1), ..self }
    }
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Purpose {
    pub(super) call: Call,
    /// Another path of a session that is there, and nothing else.
    pub(super) joins: bool,
}

impl Purpose {
    /// As a server name.
    pub(super) fn name(self) -> String {
        let Purpose { call: Call { process, session }, joins } = self;
        format!("{}-{session:x}-{process:016x}", if joins { 'j' } else { 'b' })
    }

    /// What the peer told; None where it told nothing that we know.
    pub(super) fn of(connection: &Connection) -> Option<Purpose> {
        let told = connection.crypto_session().handshake_data()?.downcast::<HandshakeData>().ok()?;
        Purpose::parse(told.server_name.as_deref()?)
    }

    fn parse(name: &str) -> Option<Purpose> {
        let mut parts = name.split('-');
        let joins = match parts.next()? {
            "b" => false,
            "j" => true,
            _ => return None,
        };
        let session = u32::from_str_radix(parts.next()?, 16).ok()?;
        let process = u64::from_str_radix(parts.next()?, 16).ok()?;
        parts.next().is_none().then_some(Purpose { call: Call { process, session }, joins })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_goes_through_a_server_name_and_other_names_tell_nothing() {
        let call = Call { process: u64::MAX - 5, session: 0x12ab };
        for joins in [false, true] {
            let purpose = Purpose { call, joins };
            assert_eq!(Purpose::parse(&purpose.name()), Some(purpose));
            assert!(rustls::pki_types::DnsName::try_from(purpose.name()).is_ok(), "{}", purpose.name());
        }
        for name in ["", "tokkyu", "b-1", "b-1-2-3", "x-1-2", "b--2", "b-1-10000000000000000", "b-g-1"] {
            assert_eq!(Purpose::parse(name), None, "{name}");
        }
        assert_ne!(Call::first(), Call::first());
        assert_ne!(call.next(), call);
    }
}
