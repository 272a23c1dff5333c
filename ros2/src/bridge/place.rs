//! Where DDS may be: ROS2-30.

use std::collections::BTreeSet;
use std::net::IpAddr;

use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;

use super::BridgeError;
use crate::dds::Place;

/// The place that `--domain` and `--interface` ask for.
pub(crate) fn find(domain: u32, asked: &[String]) -> Result<Place, BridgeError> {
    let present = interfaces()?;
    if let Some(name) = asked.iter().find(|name| !present.iter().any(|here| here.name == **name)) {
        let known = present.iter().map(|here| here.name.as_str()).collect::<BTreeSet<_>>();
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(BridgeError::Interface { name: name.clone(), known });
    }
    let host_only = asked.is_empty();
    let usual =
        present.iter().filter(|here| here.is_loopback || here.has_multicast).map(|here| here.name.clone());
    let interfaces =
        if host_only { usual.collect::<BTreeSet<_>>().into_iter().collect() } else { asked.to_vec() };
    Ok(Place { domain, interfaces, host_only })
}

struct Interface {
    name: String,
    is_loopback: bool,
    has_multicast: bool,
}

/// Interfaces that are up and have an IPv4 address, which is what ROS 2 uses unless told otherwise.
fn interfaces() -> Result<Vec<Interface>, BridgeError> {
    let all = getifaddrs().map_err(|error| BridgeError::Interfaces(error.into()))?;
    let with_address = all.filter(|entry| {
        let address = entry.address.as_ref().and_then(|address| address.as_sockaddr_in());
        address.is_some_and(|address| !IpAddr::V4(address.ip()).is_unspecified())
    });
    let up = with_address.filter(|entry| entry.flags.contains(InterfaceFlags::IFF_UP));
    let interface = |entry: nix::ifaddrs::InterfaceAddress| Interface {
        is_loopback: entry.flags.contains(InterfaceFlags::IFF_LOOPBACK),
        has_multicast: entry.flags.contains(InterfaceFlags::IFF_MULTICAST),
        name: entry.interface_name,
    };
    Ok(up.map(interface).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_choice_dds_stays_on_this_host_and_has_loopback() {
        let place = find(7, &[]).unwrap();
        assert!(place.host_only && place.interfaces.contains(&"lo".to_owned()), "{place:?}");
        assert_eq!(place.domain, 7);
    }

    #[test]
    fn an_interface_that_is_not_there_is_refused_with_those_that_are() {
        let error = find(0, &["nowhere0".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("nowhere0") && error.contains("lo"), "{error}");
    }
}
