//! A call, "dial me", and its answer (FLT-20 to FLT-24).
//!
//! Pure. A call is a wish and proves nothing: the vehicle looks the key up in its own trust list, and the link proves
//! that whoever answers at the address has it.

use std::net::{IpAddr, SocketAddr};

use serde::{Deserialize, Serialize};
use tokkyu_contract::yaml::is_label;
use tokkyu_link::carrier::PublicKey;

use super::state::{Fault, MAX_TEXT, VERSION, need, read};

/// An operator asks a vehicle to dial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// [`VERSION`].
    pub version: u32,
    /// The operator's name in the fleet.
    pub operator: String,
    /// Public key of the operator's link, as a line of its file.
    pub key: String,
    /// Where the operator's link listens.
    pub address: SocketAddr,
}

impl Call {
    /// A call by `operator`, who listens at `address` with `key`.
    pub fn new(operator: &str, key: PublicKey, address: SocketAddr) -> Call {
        Call { version: VERSION, operator: operator.to_owned(), key: key.to_line(""), address }
    }

    /// Reads a call.
    ///
    /// # Errors
    /// As [`State::parse`](super::state::State::parse).
    pub fn parse(bytes: &[u8]) -> Result<Call, Fault> {
        let call: Call = read(bytes)?;
        need("operator", is_label(&call.operator))?;
        need("key", call.public_key().is_some())?;
        need("address", can_be_dialled(call.address))?;
        Ok(call)
    }

    /// The call as it is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a call has only strings as keys")
    }

    /// The link key the caller claims.
    pub fn public_key(&self) -> Option<PublicKey> {
        PublicKey::from_line(&self.key).map(|(key, _)| key)
    }
}

/// One host's address with a port: no wildcard, no group.
pub fn can_be_dialled(address: SocketAddr) -> bool {
    // An IPv4 address may come dressed as one of IPv6.
    let is_host = match address.ip().to_canonical() {
        IpAddr::V4(ip) => !ip.is_unspecified() && !ip.is_multicast() && !ip.is_broadcast(),
        IpAddr::V6(ip) => !ip.is_unspecified() && !ip.is_multicast(),
    };
    is_host && address.port() != 0
}

/// What the vehicle answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// [`VERSION`].
    pub version: u32,
    /// `None`: it dials.
    pub refusal: Option<Refusal>,
    /// More of the reason, for people.
    pub words: String,
}

/// Why a vehicle does not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Another drives it.
    Busy,
    /// The caller's link key is not in its trust list.
    Untrusted,
    /// The call cannot be read.
    Unreadable,
    /// Its program cannot be started.
    Failed,
    /// A reason this program does not know yet.
    #[serde(other)]
    Other,
}

impl Answer {
    /// It comes.
    pub fn accepted() -> Answer {
        Answer { version: VERSION, refusal: None, words: String::new() }
    }

    /// It does not come, and why.
    pub fn refused(refusal: Refusal, words: &str) -> Answer {
        Answer { version: VERSION, refusal: Some(refusal), words: super::state::brief(words) }
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// As [`State::parse`](super::state::State::parse).
    pub fn parse(bytes: &[u8]) -> Result<Answer, Fault> {
        let answer: Answer = read(bytes)?;
        need("words", answer.words.chars().nth(MAX_TEXT).is_none())?;
        Ok(answer)
    }

    /// The answer as it is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("an answer has only strings as keys")
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::KEY;
    use super::*;

    #[test]
    fn a_call_and_its_answers_are_read_back() {
        let key = PublicKey::from_line(KEY).unwrap().0;
        let call = Call::new("desk-1", key, "10.1.2.3:7447".parse().unwrap());
        assert_eq!(Call::parse(&call.to_bytes()), Ok(call.clone()));
        assert_eq!(call.public_key(), Some(key));
        for answer in [Answer::accepted(), Answer::refused(Refusal::Busy, "desk-2 drives\u{7}")] {
            assert_eq!(Answer::parse(&answer.to_bytes()), Ok(answer.clone()));
            assert!(!answer.words.contains('\u{7}'));
        }
        let newer = br#"{"version":1,"refusal":"on_strike","words":""}"#;
        assert_eq!(Answer::parse(newer).unwrap().refusal, Some(Refusal::Other));
    }

    #[test]
    fn a_call_that_names_no_operator_key_or_host_is_refused() {
        let good =
            Call { version: 1, operator: "o".into(), key: KEY.into(), address: ([10, 0, 0, 1], 1).into() };
        let wrong = |call: Call| Call::parse(&call.to_bytes()).unwrap_err();
        assert_eq!(wrong(Call { operator: String::new(), ..good.clone() }), Fault::Field("operator"));
        assert_eq!(wrong(Call { key: "tokkyu-ed25519 AAAA".into(), ..good.clone() }), Fault::Field("key"));
        for address in [
            "0.0.0.0:7",
            "10.0.0.1:0",
            "224.0.0.1:7",
            "255.255.255.255:7",
            "[::]:7",
            "[ff02::1]:7",
            "[::ffff:0.0.0.0]:7",
            "[::ffff:224.0.0.1]:7",
            "[::ffff:255.255.255.255]:7",
        ] {
            let call = Call { address: address.parse().unwrap(), ..good.clone() };
            assert_eq!(wrong(call), Fault::Field("address"), "{address}");
        }
        let dressed = Call { address: "[::ffff:10.0.0.1]:7".parse().unwrap(), ..good };
        assert!(Call::parse(&dressed.to_bytes()).is_ok());
    }
}
