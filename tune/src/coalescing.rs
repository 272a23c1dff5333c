//! How long a device's interrupts wait for more frames (`ethtool -c`): the family `ethtool` of generic netlink
//! (Documentation/networking/ethtool-netlink.rst).

use std::fmt;
use std::io;
use std::str::FromStr;

use netlink_packet_core::NLM_F_ACK;
use serde::{Deserialize, Serialize};
use tokkyu_netlink::{Attribute, generic, of_kind};

use crate::netlink::{index, to_io};

const FAMILY: &str = "ethtool";
const ETHTOOL_MSG_COALESCE_GET: u8 = 19;
const ETHTOOL_MSG_COALESCE_SET: u8 = 20;
const ETHTOOL_A_HEADER_DEV_INDEX: u16 = 1;
const ETHTOOL_A_COALESCE_HEADER: u16 = 1;
const ETHTOOL_A_COALESCE_RX_USECS: u16 = 2;
const ETHTOOL_A_COALESCE_TX_USECS: u16 = 6;
const ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX: u16 = 11;
const ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX: u16 = 12;

/// Of what a driver has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coalescing {
    /// Whether the driver chooses for what comes, by what comes.
    pub adaptive_rx: Option<bool>,
    /// The same for what is sent.
    pub adaptive_tx: Option<bool>,
    /// How long the interrupt of what comes waits, us.
    pub rx_usecs: Option<u32>,
    /// How long the interrupt of what was sent waits, us.
    pub tx_usecs: Option<u32>,
}

impl Coalescing {
    /// The same parameters, and no waiting.
    pub(crate) fn at_once(&self) -> Coalescing {
        let Coalescing { adaptive_rx, adaptive_tx, rx_usecs, tx_usecs } = self;
        Coalescing {
            adaptive_rx: adaptive_rx.and(Some(false)),
            adaptive_tx: adaptive_tx.and(Some(false)),
            rx_usecs: rx_usecs.and(Some(0)),
            tx_usecs: tx_usecs.and(Some(0)),
        }
    }

    /// What the driver of a device has.
    pub(crate) fn read(device: &str) -> io::Result<Coalescing> {
        let all = ask(device, ETHTOOL_MSG_COALESCE_GET, Vec::new())?;
        let number = |kind| of_kind(&all, kind).and_then(Attribute::u32);
        let switch = |kind| of_kind(&all, kind).and_then(|found| Some(*found.value.first()? != 0));
        Ok(Coalescing {
            adaptive_rx: switch(ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX),
            adaptive_tx: switch(ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX),
            rx_usecs: number(ETHTOOL_A_COALESCE_RX_USECS),
            tx_usecs: number(ETHTOOL_A_COALESCE_TX_USECS),
        })
    }

    pub(crate) fn write(&self, device: &str) -> io::Result<()> {
        let number = |kind, value: Option<u32>| Some(Attribute::new(kind, &value?.to_ne_bytes()));
        let switch = |kind, value: Option<bool>| Some(Attribute::new(kind, &[u8::from(value?)]));
        let all = [
            number(ETHTOOL_A_COALESCE_RX_USECS, self.rx_usecs),
            number(ETHTOOL_A_COALESCE_TX_USECS, self.tx_usecs),
            switch(ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, self.adaptive_rx),
            switch(ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX, self.adaptive_tx),
        ];
        ask(device, ETHTOOL_MSG_COALESCE_SET, all.into_iter().flatten().collect()).map(drop)
    }
}

/// All attributes of the answer.
fn ask(device: &str, command: u8, more: Vec<Attribute>) -> io::Result<Vec<Attribute>> {
    let of_device = Attribute::new(ETHTOOL_A_HEADER_DEV_INDEX, &index(device)?.to_ne_bytes());
    let header = Attribute::nested(ETHTOOL_A_COALESCE_HEADER, &[of_device]);
    let answers = generic::ask(FAMILY, command, [vec![header], more].concat(), NLM_F_ACK).map_err(to_io)?;
    Ok(answers.into_iter().flatten().collect())
}

/// As words of `ethtool -C`.
impl fmt::Display for Coalescing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let switch =
            |name: &str, on: Option<bool>| Some(format!("{name} {}", if on? { "on" } else { "off" }));
        let number = |name: &str, value: Option<u32>| Some(format!("{name} {}", value?));
        let words = [
            switch("adaptive-rx", self.adaptive_rx),
            switch("adaptive-tx", self.adaptive_tx),
            number("rx-usecs", self.rx_usecs),
            number("tx-usecs", self.tx_usecs),
        ];
        f.write_str(&words.into_iter().flatten().collect::<Vec<_>>().join(" "))
    }
}

impl FromStr for Coalescing {
    type Err = String;

    fn from_str(text: &str) -> Result<Coalescing, String> {
        let wrong = || format!("{text}: not words of ethtool -C");
        let mut read = Coalescing::default();
        let words: Vec<&str> = text.split_whitespace().collect();
        for pair in words.chunks(2) {
            match pair {
                ["adaptive-rx", on @ ("on" | "off")] => read.adaptive_rx = Some(*on == "on"),
                ["adaptive-tx", on @ ("on" | "off")] => read.adaptive_tx = Some(*on == "on"),
                ["rx-usecs", us] => read.rx_usecs = Some(us.parse().map_err(|_| wrong())?),
                ["tx-usecs", us] => read.tx_usecs = Some(us.parse().map_err(|_| wrong())?),
                _ => return Err(wrong()),
            }
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_is_written() {
        let all = Coalescing { adaptive_rx: Some(true), tx_usecs: Some(250), ..Coalescing::default() };
        assert_eq!(all.to_string(), "adaptive-rx on tx-usecs 250");
        assert_eq!(all.to_string().parse(), Ok(all.clone()));
        assert_eq!(all.at_once().to_string(), "adaptive-rx off tx-usecs 0");
        for wrong in ["rx-usecs", "rx-usecs x", "adaptive-rx 1", "frames 3"] {
            assert!(wrong.parse::<Coalescing>().is_err(), "{wrong}");
        }
    }

    /// Loopback's driver has nothing of the kind; the kernel says so.
    #[test]
    fn a_driver_without_it_says_so() {
        assert_eq!(Coalescing::read("lo").unwrap_err().raw_os_error(), Some(libc::EOPNOTSUPP));
    }
}
