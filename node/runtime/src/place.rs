//! Where a node is: what it listens on, what it tells others, where its master is (NODE-47, NODE-60).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};

use tokkyu_ros1::names::Remappings;
use tokkyu_ros1::uri::{Host, Uri};

use crate::error::NodeError;
use crate::posix;

/// What a node needs to know of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) listen: IpAddr,
    /// What others reach this machine by.
    pub(crate) host: String,
    pub(crate) master: (String, u16),
    /// Nobody said how others reach it: only this machine can.
    pub(crate) is_closed: bool,
}

/// Variables of the environment, as they are.
pub(crate) struct Variables<'v> {
    pub(crate) master: Option<&'v str>,
    pub(crate) hostname: Option<&'v str>,
    pub(crate) ip: Option<&'v str>,
}

/// Where ROS 1 has its master if nobody says something else.
const MASTER: &str = "http://localhost:11311";

impl Place {
    pub(crate) fn find(variables: &Variables<'_>, remappings: &Remappings) -> Result<Place, NodeError> {
        let master_text = remappings.master().or(given(variables.master)).unwrap_or(MASTER);
        let wrong = |variable, value: &str| {
            let value = value.to_owned();
            move |error| NodeError::Address { variable, value, error }
        };
        let master = Uri::parse(master_text).map_err(wrong("ROS_MASTER_URI", master_text))?;
        let master = (master.host.to_string(), master.port);
        let hostname = remappings.hostname().or(given(variables.hostname));
        let ip = remappings.ip().or(given(variables.ip));
        let Some(text) = hostname.or(ip) else { return Ok(Place::unsaid(master)) };
        let variable = if hostname.is_some() { "ROS_HOSTNAME" } else { "ROS_IP" };
        let host = Host::parse(text).map_err(wrong(variable, text))?;
        let listen = match host {
            Host::Name("localhost") => Ipv4Addr::LOCALHOST.into(),
            Host::V4(ip) if ip.is_loopback() => ip.into(),
            Host::V6(ip) if ip.is_loopback() => ip.into(),
            Host::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
            Host::Name(_) | Host::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        };
        Ok(Place { listen, host: host.to_string(), master, is_closed: false })
    }

    /// Nobody said: with a master on this machine only this machine reaches the node; with one elsewhere all do, by the machine's name.
    fn unsaid(master: (String, u16)) -> Place {
        if is_here(&master.0, master.1) {
            let listen = Ipv4Addr::LOCALHOST;
            return Place { listen: listen.into(), host: listen.to_string(), master, is_closed: true };
        }
        let host = posix::machine_name();
        Place { listen: Ipv4Addr::UNSPECIFIED.into(), host, master, is_closed: false }
    }
}

/// A variable that is empty counts as not there.
fn given(variable: Option<&str>) -> Option<&str> {
    variable.filter(|text| !text.is_empty())
}

/// Whether that host is this machine, by a loopback address.
fn is_here(host: &str, port: u16) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let addresses = (bare, port).to_socket_addrs();
    bare == posix::machine_name()
        || addresses.is_ok_and(|mut addresses| addresses.any(|address| address.ip().is_loopback()))
}
