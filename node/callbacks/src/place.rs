//! Where a node is: what it listens on, what it tells others, where its master is (NODE-47, NODE-60).

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use tokkyu_ros1::names::Remappings;
use tokkyu_ros1::uri::{Host, Uri};

use crate::error::NodeError;
use crate::port::port;

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
        // Either argument stands in place of both variables, as in roscpp.
        let (hostname, ip) = match (remappings.hostname(), remappings.ip()) {
            (None, None) => (given(variables.hostname), given(variables.ip)),
            arguments => arguments,
        };
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
        if port().is_here(&master.0, master.1) {
            let listen = Ipv4Addr::LOCALHOST;
            return Place { listen: listen.into(), host: listen.to_string(), master, is_closed: true };
        }
        let host = port().machine_name();
        Place { listen: Ipv4Addr::UNSPECIFIED.into(), host, master, is_closed: false }
    }
}

/// A variable that is empty counts as not there.
fn given(variable: Option<&str>) -> Option<&str> {
    variable.filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    const HERE: &str = "http://127.0.0.1:11311";
    /// RFC 5737: nobody's.
    const ELSEWHERE: &str = "http://203.0.113.1:11311/";

    /// What is said: master, `ROS_HOSTNAME`, `ROS_IP`, arguments.
    type Said<'a> = (&'a str, &'a str, &'a str, &'a [&'a str]);

    fn find((master, hostname, ip, arguments): Said<'_>) -> Result<Place, NodeError> {
        let variables = Variables { master: Some(master), hostname: Some(hostname), ip: Some(ip) };
        let remappings = Remappings::parse(arguments.iter().copied()).expect("arguments");
        Place::find(&variables, &remappings)
    }

    /// NODE-47, NODE-60: where it listens, what it tells others, and whether that is because nobody said anything.
    #[test]
    fn what_is_said_decides_where_a_node_listens_and_what_it_is_reached_by() {
        let machine = port().machine_name();
        let v6 = |text: &str| text.parse::<IpAddr>().unwrap();
        let cases: &[(Said<'_>, (IpAddr, &str, bool))] = &[
            // Nobody says: the master does.
            ((HERE, "", "", &[]), (LOOPBACK, "127.0.0.1", true)),
            (("http://localhost:11311", "", "", &[]), (LOOPBACK, "127.0.0.1", true)),
            (("http://127.0.1.1:11311", "", "", &[]), (LOOPBACK, "127.0.0.1", true)),
            (("http://[::1]:11311", "", "", &[]), (LOOPBACK, "127.0.0.1", true)),
            ((&format!("http://{machine}:11311"), "", "", &[]), (LOOPBACK, "127.0.0.1", true)),
            ((ELSEWHERE, "", "", &[]), (ALL, &machine, false)),
            (("http://[2001:db8::1]:11311", "", "", &[]), (ALL, &machine, false)),
            ((HERE, "", "", &["__master:=http://203.0.113.1:1"]), (ALL, &machine, false)),
            ((ELSEWHERE, "", "", &["__master:=http://127.0.0.1:1"]), (LOOPBACK, "127.0.0.1", true)),
            // A variable says; where the master is is no matter.
            ((HERE, "", "192.0.2.7", &[]), (ALL, "192.0.2.7", false)),
            ((ELSEWHERE, "", "192.0.2.7", &[]), (ALL, "192.0.2.7", false)),
            ((ELSEWHERE, "", "127.0.0.1", &[]), (LOOPBACK, "127.0.0.1", false)),
            ((ELSEWHERE, "", "127.0.1.1", &[]), (v6("127.0.1.1"), "127.0.1.1", false)),
            ((ELSEWHERE, "", "::1", &[]), (v6("::1"), "[::1]", false)),
            ((ELSEWHERE, "", "2001:db8::7", &[]), (v6("::"), "[2001:db8::7]", false)),
            ((HERE, "robot", "", &[]), (ALL, "robot", false)),
            ((HERE, "robot", "192.0.2.7", &[]), (ALL, "robot", false)),
            ((ELSEWHERE, "localhost", "192.0.2.7", &[]), (LOOPBACK, "localhost", false)),
            ((ELSEWHERE, "127.0.0.1", "192.0.2.7", &[]), (LOOPBACK, "127.0.0.1", false)),
            // An argument says, whatever the variables are.
            ((HERE, "", "", &["__ip:=192.0.2.8"]), (ALL, "192.0.2.8", false)),
            ((HERE, "", "192.0.2.7", &["__ip:=127.0.0.1"]), (LOOPBACK, "127.0.0.1", false)),
            ((HERE, "robot", "192.0.2.7", &["__ip:=192.0.2.8"]), (ALL, "192.0.2.8", false)),
            ((ELSEWHERE, "", "192.0.2.7", &["__hostname:=other"]), (ALL, "other", false)),
            ((ELSEWHERE, "robot", "", &["__hostname:=localhost"]), (LOOPBACK, "localhost", false)),
            ((HERE, "", "", &["__ip:=192.0.2.8", "__hostname:=other"]), (ALL, "other", false)),
        ];
        for (said, (listen, host, is_closed)) in cases {
            let place = find(*said).unwrap_or_else(|error| panic!("{said:?}: {error}"));
            assert_eq!(
                (place.listen, &place.host[..], place.is_closed),
                (*listen, *host, *is_closed),
                "{said:?}"
            );
        }
    }

    #[test]
    fn the_master_is_the_argument_or_the_variable_or_the_usual_one() {
        let master = |variable, arguments: &[&str]| {
            let variables = Variables { master: variable, hostname: None, ip: Some("127.0.0.1") };
            let remappings = Remappings::parse(arguments.iter().copied()).expect("arguments");
            Place::find(&variables, &remappings).expect("a place").master
        };
        assert_eq!(master(None, &[]), ("localhost".to_owned(), 11311));
        assert_eq!(master(Some(""), &[]), ("localhost".to_owned(), 11311));
        assert_eq!(master(Some("http://base:1234/"), &[]), ("base".to_owned(), 1234));
        assert_eq!(master(Some("http://base:1234"), &["__master:=http://other:5"]), ("other".to_owned(), 5));
    }

    #[test]
    fn what_is_no_address_is_refused_by_its_name() {
        let cases: [(Said<'_>, &str); 4] = [
            (("base:1234", "", "", &[]), "ROS_MASTER_URI"),
            ((HERE, "a b", "192.0.2.7", &[]), "ROS_HOSTNAME"),
            ((HERE, "", "192.0.2", &[]), "ROS_IP"),
            ((HERE, "", "", &["__ip:=192.0.2"]), "ROS_IP"),
        ];
        for (said, variable) in cases {
            let error = find(said).expect_err("it is refused").to_string();
            assert!(error.contains(variable), "{said:?}: {error}");
        }
    }
}
