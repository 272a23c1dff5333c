//! Options of the qdisc (LBE-80), as they are given and as they come back.

use std::time::Duration;

use serde::Serialize;

use tokkyu_netlink::{Attribute, of_kind};

const MODE: u16 = 1;
const LIMIT: u16 = 2;
const MAX_HOLD: u16 = 3;
const DEVICE_QUEUE: u16 = 4;
const BUDGET: u16 = 5;
const SWITCHES: u16 = 6;

const SWITCH_RECEIVE: u32 = 1 << 4;
/// `LBE_AUTO`.
const AUTO: u32 = u32::MAX;

/// What is asked of the qdisc; `None` leaves the module's default, or in a change what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QdiscOptions {
    /// Longest time that the gate keeps a packet (LBE-30), up to 3600 s; 0 is for ever.
    pub max_hold: Option<Duration>,
    /// Bytes in the device's queue (LBE-40), up to 16 MiB; 0 leaves it alone.
    pub device_queue: Option<Auto<u32>>,
    /// Background packets in the device (LBE-41), up to 64; 0 is no bound.
    pub budget: Option<Auto<u32>>,
    /// Packets in the background band (LBE-12), 1 and more.
    pub limit: Option<u32>,
    /// Whether received packets wait (LBE-50).
    pub receive: Option<bool>,
}

/// A number, or what the module finds right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Auto<T> {
    /// By the link and the device.
    #[serde(serialize_with = "auto")]
    Auto,
    /// So much.
    Given(T),
}

fn auto<S: serde::Serializer>(to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str("auto")
}

impl std::str::FromStr for Auto<u32> {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "auto" => Ok(Auto::Auto),
            _ => word
                .parse()
                .map(Auto::Given)
                .map_err(|_| format!("{word:?} is neither a whole number nor auto")),
        }
    }
}

impl Auto<u32> {
    fn to_word(self) -> u32 {
        match self {
            Auto::Auto => AUTO,
            Auto::Given(number) => number,
        }
    }

    fn from_word(word: u32) -> Auto<u32> {
        if word == AUTO { Auto::Auto } else { Auto::Given(word) }
    }
}

impl QdiscOptions {
    pub(super) fn attributes(&self) -> Vec<Attribute> {
        let number = |kind: u16, value: u32| Attribute::new(kind, &value.to_ne_bytes());
        let micros = |hold: Duration| u32::try_from(hold.as_micros()).unwrap_or(u32::MAX);
        let parts = [
            self.limit.map(|limit| number(LIMIT, limit)),
            self.max_hold.map(|hold| number(MAX_HOLD, micros(hold))),
            self.device_queue.map(|bytes| number(DEVICE_QUEUE, bytes.to_word())),
            self.budget.map(|packets| number(BUDGET, packets.to_word())),
            self.receive.map(receive),
        ];
        parts.into_iter().flatten().collect()
    }

    /// As a qdisc of the kernel says them.
    pub(super) fn read(bytes: &[u8]) -> Option<QdiscOptions> {
        let all = Attribute::read_all(bytes).ok()?;
        let number = |kind: u16| of_kind(&all, kind).and_then(Attribute::u32);
        let switches = of_kind(&all, SWITCHES)?.value.get(..4)?.try_into().ok()?;
        // Of the modes only this one has a gate; the others are for studies (LBE-70).
        number(MODE)?;
        Some(QdiscOptions {
            max_hold: number(MAX_HOLD).map(|micros| Duration::from_micros(micros.into())),
            device_queue: number(DEVICE_QUEUE).map(Auto::from_word),
            budget: number(BUDGET).map(Auto::from_word),
            limit: number(LIMIT),
            receive: Some(u32::from_ne_bytes(switches) & SWITCH_RECEIVE != 0),
        })
    }
}

/// `struct nla_bitfield32`: value, and which bits are meant.
fn receive(on: bool) -> Attribute {
    let value = if on { SWITCH_RECEIVE } else { 0 };
    Attribute::new(SWITCHES, &[value.to_ne_bytes(), SWITCH_RECEIVE.to_ne_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_given_is_not_sent() {
        assert!(QdiscOptions::default().attributes().is_empty());
        let given = QdiscOptions { budget: Some(Auto::Given(0)), ..QdiscOptions::default() };
        assert_eq!(given.attributes(), [Attribute::new(BUDGET, &0_u32.to_ne_bytes())]);
    }

    #[test]
    fn options_come_back_from_the_bytes_of_a_qdisc() {
        let given = QdiscOptions {
            max_hold: Some(Duration::from_millis(20)),
            device_queue: Some(Auto::Auto),
            budget: Some(Auto::Given(2)),
            limit: Some(50),
            receive: Some(true),
        };
        let mut all = given.attributes();
        all.push(Attribute::new(MODE, &1_u32.to_ne_bytes()));
        assert_eq!(QdiscOptions::read(&Attribute::nested(2, &all).value), Some(given));
        assert_eq!(QdiscOptions::read(&[1, 2, 3]), None);
    }

    #[test]
    fn auto_is_a_word() {
        assert_eq!("auto".parse(), Ok(Auto::Auto));
        assert_eq!("1500".parse(), Ok(Auto::Given(1500)));
        assert!("-1".parse::<Auto<u32>>().unwrap_err().contains("nor auto"));
        assert_eq!(serde_json::to_string(&[Auto::Auto, Auto::Given(2)]).unwrap(), "[\"auto\",2]");
    }
}
