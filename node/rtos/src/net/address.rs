//! Where a system is, and where others are (NRT-23).

use alloc::string::String;
use core::net::Ipv4Addr;

use smoltcp::wire::{IpCidr, Ipv4Cidr};

/// Where a system is on its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Its own.
    pub own: Ipv4Addr,
    /// Bits of it that are the network's, at most 32.
    pub prefix_bits: u8,
    /// Where everything else goes through.
    pub gateway: Option<Ipv4Addr>,
    /// What others mean by a loopback address, where that is not this system.
    pub loopback: Option<Ipv4Addr>,
}

impl Address {
    pub(super) fn cidr(&self) -> IpCidr {
        IpCidr::Ipv4(Ipv4Cidr::new(self.own, self.prefix_bits.min(32)))
    }

    /// Nothing: it is no number, nor `localhost`.
    pub(super) fn number(host: &str) -> Option<Ipv4Addr> {
        if host == "localhost" { Some(Ipv4Addr::LOCALHOST) } else { host.parse().ok() }
    }

    /// What others mean by an address.
    pub(super) fn seen_from_here(&self, address: Ipv4Addr) -> Ipv4Addr {
        self.loopback.filter(|_| address.is_loopback()).unwrap_or(address)
    }
}

/// Reads `ADDRESS/BITS[,GATEWAY[,LOOPBACK]]`.
impl core::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        let wrong = || {
            alloc::format!(
                "{text:?} is no ADDRESS/BITS[,GATEWAY[,LOOPBACK]], as 10.0.2.15/24,10.0.2.2,10.0.2.2 is"
            )
        };
        let mut parts = text.split(',');
        let (own, bits) = parts.next().and_then(|own| own.split_once('/')).ok_or_else(wrong)?;
        let mut next = || parts.next().map(|part| part.parse().map_err(|_| wrong())).transpose();
        let (gateway, loopback) = (next()?, next()?);
        let prefix_bits = bits.parse().ok().filter(|bits| *bits <= 32).ok_or_else(wrong)?;
        let own = own.parse().map_err(|_| wrong())?;
        match next()? {
            None => Ok(Address { own, prefix_bits, gateway, loopback }),
            Some(_) => Err(wrong()),
        }
    }
}
