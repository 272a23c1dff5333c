//! Where the master is, and whether that is this host (NODE-127).

use std::net::{SocketAddr, TcpListener, ToSocketAddrs};

use tokkyu_node::port::port;
use tokkyu_ros1::uri::Uri;

/// Where ROS 1 has its master if nobody says something else.
const USUAL: &str = "http://localhost:11311";

/// The master that is given, or that of the environment.
pub(crate) fn master_uri(given: Option<&str>) -> String {
    let said = || std::env::var("ROS_MASTER_URI").ok().filter(|uri| !uri.is_empty());
    given.map(str::to_owned).or_else(said).unwrap_or_else(|| USUAL.to_owned())
}

/// Whether a master is on another host: `uri` has no loopback address, not the machine's name, and no address that this host
/// has. Waits for the resolver, where it is a name. What is no URI is nowhere.
pub(crate) fn is_elsewhere(uri: &str) -> bool {
    let Ok(uri) = Uri::parse(uri) else { return false };
    let host = uri.host.to_string();
    if port().is_here(&host, uri.port) {
        return false;
    }
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    // Nobody can listen on an address that another host has.
    let is_own = |address: SocketAddr| TcpListener::bind((address.ip(), 0)).is_ok();
    !(bare, uri.port).to_socket_addrs().is_ok_and(|mut addresses| addresses.any(is_own))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NODE-127.
    #[test]
    fn a_master_on_another_host_is_told_from_one_on_this() {
        for here in ["http://localhost:11311", "http://127.0.1.1:11311/", "http://[::1]:11311/", "nonsense"] {
            assert!(!is_elsewhere(here), "{here}");
        }
        // RFC 5737, RFC 3849, RFC 6761: nobody's.
        for elsewhere in ["http://203.0.113.1:11311/", "http://[2001:db8::1]:1/", "http://a.invalid:1/"] {
            assert!(is_elsewhere(elsewhere), "{elsewhere}");
        }
    }
}
