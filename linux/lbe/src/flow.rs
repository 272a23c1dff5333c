//! A background flow, as it is named by people: the paper's triple.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// A flow whose packets are background, both ways (LBE-4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flow {
    /// Address of the other end; `None`: any, of both families.
    pub remote: Option<IpAddr>,
    /// Port of the other end; `None`: any.
    pub remote_port: Option<u16>,
    /// Port of this end; `None`: any.
    pub local_port: Option<u16>,
}

impl Flow {
    /// An IPv4 address that is written as an IPv6 one is the same address (RFC 4291 §2.5.5.2).
    pub fn canonical(self) -> Flow {
        let canonical = |address| match address {
            IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
            IpAddr::V4(_) => address,
        };
        Flow { remote: self.remote.map(canonical).filter(|address| !address.is_unspecified()), ..self }
    }

    /// Whether it names nothing, and so would be every packet.
    pub fn names_nothing(self) -> bool {
        self.canonical() == Flow { remote: None, remote_port: None, local_port: None }
    }
}

/// `REMOTE[:PORT][,LOCALPORT]`, an IPv6 address with a port in brackets, `*` for any address.
impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.remote, self.remote_port) {
            (Some(IpAddr::V6(address)), Some(_)) => write!(f, "[{address}]")?,
            (Some(address), _) => write!(f, "{address}")?,
            (None, _) => f.write_str("*")?,
        }
        self.remote_port.map_or(Ok(()), |port| write!(f, ":{port}"))?;
        self.local_port.map_or(Ok(()), |port| write!(f, ",{port}"))
    }
}

/// Not a flow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a flow: write ADDRESS, ADDRESS:PORT, [IPV6]:PORT or *:PORT for any address, and ,PORT behind it for this end's port (1 to 65535)"
)]
pub struct FlowError(String);

impl FromStr for Flow {
    type Err = FlowError;

    fn from_str(text: &str) -> Result<Flow, FlowError> {
        let wrong = || FlowError(text.to_owned());
        let (far, local_port) = match text.split_once(',') {
            Some((far, local)) => (far, Some(port(local).ok_or_else(wrong)?)),
            None => (text, None),
        };
        let (remote, remote_port) = far_end(far).ok_or_else(wrong)?;
        let flow = Flow { remote, remote_port, local_port }.canonical();
        if flow.names_nothing() { Err(wrong()) } else { Ok(flow) }
    }
}

fn port(text: &str) -> Option<u16> {
    text.parse().ok().filter(|port| *port != 0)
}

fn far_end(text: &str) -> Option<(Option<IpAddr>, Option<u16>)> {
    if text == "*" {
        return Some((None, None));
    }
    if let Ok(address) = text.parse() {
        return Some((Some(address), None));
    }
    let (address, port_text) = text.rsplit_once(':')?;
    let address = match address.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(six) => Some(IpAddr::V6(six.parse::<Ipv6Addr>().ok()?)),
        None if address == "*" => None,
        None => Some(IpAddr::V4(address.parse().ok()?)),
    };
    Some((address, Some(port(port_text)?)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_flow_is_read_as_it_is_written() {
        for text in [
            "10.0.0.2",
            "10.0.0.2:443",
            "10.0.0.2:443,5000",
            "10.0.0.2,5000",
            "fd00::1",
            "[fd00::1]:443,5000",
            "*:443",
            "*,5000",
        ] {
            assert_eq!(text.parse::<Flow>().unwrap().to_string(), text);
        }
        assert_eq!("::ffff:10.0.0.2".parse::<Flow>().unwrap().to_string(), "10.0.0.2");
    }

    #[test]
    fn what_is_no_flow_is_refused_with_a_remedy() {
        for text in [
            "",
            "host:80",
            "10.0.0.2:",
            "10.0.0.2:0",
            "10.0.0.2:65536",
            "fd00::1,0",
            "[fd00::1",
            "[10.0.0.2]:80",
            "*",
            "0.0.0.0",
            "[*]:80",
        ] {
            let error = text.parse::<Flow>().unwrap_err().to_string();
            assert!(error.contains("is not a flow: write"), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            if let Ok(flow) = text.parse::<Flow>() {
                prop_assert_eq!(flow.to_string().parse::<Flow>().unwrap(), flow);
            }
        }
    }
}
