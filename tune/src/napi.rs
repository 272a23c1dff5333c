//! How NAPI works for a device: what the whole device has (sysfs), and what a program gave one NAPI of it over netlink (family `netdev`,
//! Documentation/networking/napi.rst; Linux 6.13 and later, of threads 6.17).

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io;
use std::str::FromStr;

use netlink_packet_core::{NLM_F_ACK, NLM_F_DUMP};
use serde::{Deserialize, Serialize};
use tokkyu_netlink::{Attribute, generic, of_kind};

use crate::netlink::{index, to_io};

const FAMILY: &str = "netdev";
const NETDEV_CMD_NAPI_GET: u8 = 11;
const NETDEV_CMD_NAPI_SET: u8 = 14;
const NETDEV_A_NAPI_IFINDEX: u16 = 1;
const NETDEV_A_NAPI_ID: u16 = 2;

/// A value that NAPI works by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Knob {
    /// Whether it has threads: 0 no, 1 yes, 2 such that never sleep.
    Threaded,
    /// How often it looks for frames by its timer before the interrupt is switched on again.
    DeferHardIrqs,
    /// Of that timer, ns.
    GroFlushTimeout,
}

impl Knob {
    /// Those by which what has come waits.
    pub(crate) const DEFERRAL: [Knob; 2] = [Knob::DeferHardIrqs, Knob::GroFlushTimeout];

    /// The device's file in sysfs.
    fn file(self) -> &'static str {
        match self {
            Knob::Threaded => "threaded",
            Knob::DeferHardIrqs => "napi_defer_hard_irqs",
            Knob::GroFlushTimeout => "gro_flush_timeout",
        }
    }

    fn path(self, device: &str) -> String {
        format!("/sys/class/net/{device}/{}", self.file())
    }

    /// `NETDEV_A_NAPI_*`.
    fn attribute(self) -> u16 {
        match self {
            Knob::DeferHardIrqs => 5,
            Knob::GroFlushTimeout => 6,
            Knob::Threaded => 8,
        }
    }

    /// Its values now.
    pub(crate) fn read(self, device: &str) -> io::Result<Values> {
        let text = fs::read_to_string(self.path(device))?;
        let whole = text.trim().parse().map_err(io::Error::other)?;
        let own = self.of_each(device)?.into_iter().filter(|(_, value)| *value != whole);
        Ok(Values { device: whole, own: own.collect() })
    }

    /// The value of every NAPI, by its number; none where the kernel does not tell of them, or while the device is down.
    ///
    /// # Errors
    /// There is no such device, or the kernel is not understood.
    pub fn of_each(self, device: &str) -> io::Result<Vec<(u32, u64)>> {
        let interface = Attribute::new(NETDEV_A_NAPI_IFINDEX, &index(device)?.to_ne_bytes());
        let each = match generic::ask(FAMILY, NETDEV_CMD_NAPI_GET, vec![interface], NLM_F_DUMP) {
            // Kernels before 6.7 have no such family, and before 6.8 no such command.
            Err(error) if error.code() == Some(libc::EOPNOTSUPP) => return Ok(Vec::new()),
            other => other.map_err(to_io)?,
        };
        let one = |napi: &Vec<Attribute>| {
            let id = of_kind(napi, NETDEV_A_NAPI_ID)?.u32()?;
            Some((id, of_kind(napi, self.attribute())?.uint()?))
        };
        Ok(each.iter().filter_map(one).collect())
    }

    /// The device's first, which every NAPI of it gets, then those that some of them have of their own.
    pub(crate) fn write(self, device: &str, values: &Values) -> io::Result<()> {
        fs::write(self.path(device), values.device.to_string())?;
        values.own.iter().try_for_each(|(id, value)| self.write_one(*id, *value))
    }

    /// A NAPI that is no more, as after its driver was loaded anew, has nothing to be given back.
    fn write_one(self, id: u32, value: u64) -> io::Result<()> {
        let number = u32::try_from(value).map_err(io::Error::other)?;
        let attributes = vec![
            Attribute::new(NETDEV_A_NAPI_ID, &id.to_ne_bytes()),
            Attribute::new(self.attribute(), &number.to_ne_bytes()),
        ];
        match generic::ask(FAMILY, NETDEV_CMD_NAPI_SET, attributes, NLM_F_ACK) {
            Err(error) if error.code() == Some(libc::ENOENT) => Ok(()),
            other => other.map(drop).map_err(to_io),
        }
    }
}

impl fmt::Display for Knob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file())
    }
}

/// Of one knob.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Values {
    /// The whole device's.
    pub device: u64,
    /// Those of single NAPIs that differ, by the kernel's number of each.
    pub own: BTreeMap<u32, u64>,
}

impl Values {
    /// Whether all are 0.
    pub(crate) fn are_zero(&self) -> bool {
        self.device == 0 && self.own.is_empty()
    }
}

/// Such as `0`, or `0, napi 8193: 2`.
impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.device)?;
        self.own.iter().try_for_each(|(id, value)| write!(f, ", napi {id}: {value}"))
    }
}

impl FromStr for Values {
    type Err = String;

    fn from_str(text: &str) -> Result<Values, String> {
        let wrong = || format!("{text}: not a value, and values of NAPIs as in 0, napi 8193: 2");
        let mut parts = text.split(", ");
        let device = parts.next().and_then(|part| part.parse().ok()).ok_or_else(wrong)?;
        let one = |part: &str| {
            let (id, value) = part.strip_prefix("napi ")?.split_once(": ")?;
            Some((id.parse().ok()?, value.parse().ok()?))
        };
        let own = parts.map(|part| one(part).ok_or_else(wrong)).collect::<Result<_, String>>()?;
        Ok(Values { device, own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_written() {
        for text in ["0", "2", "0, napi 8193: 2, napi 8194: 200000"] {
            assert_eq!(text.parse::<Values>().unwrap().to_string(), text);
        }
        for wrong in ["", "x", "0,napi 1: 2", "0, napi 1", "0, napi : 2", "0, queue 1: 2"] {
            assert!(wrong.parse::<Values>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn one_napi_with_a_value_of_its_own_is_not_zero() {
        assert!("0".parse::<Values>().unwrap().are_zero());
        assert!(!"0, napi 1: 2".parse::<Values>().unwrap().are_zero());
        assert!(!"1".parse::<Values>().unwrap().are_zero());
    }

    /// Loopback has no NAPI; whatever the kernel of this machine knows of NAPIs, asking it is no error.
    #[test]
    fn a_device_without_napi_has_the_devices_values_alone() {
        for knob in Knob::DEFERRAL {
            let values = knob.read("lo").unwrap();
            assert!(values.own.is_empty(), "{knob}: {values}");
        }
    }
}
