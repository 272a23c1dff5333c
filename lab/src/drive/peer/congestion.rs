//! What of TCP is set for a whole namespace, because a peer's program cannot set it for its sockets: the congestion control
//! they begin with (Zenoh), and whether they begin anew after a pause (tuned TCP).
//!
//! Runs in threads of the two namespaces: `/proc/sys/net` shows each thread the settings of the namespace it is in. They
//! vanish with the namespace, so nothing has to be put back.

use std::fs;
use std::io;

use crate::drive::error::DriveError;
use crate::drive::network::Network;
use crate::wire::{End, Wire};

use super::known::{Peer, PeerRun, Variant};

const AFTER_IDLE: &str = "/proc/sys/net/ipv4/tcp_slow_start_after_idle";
const DEFAULT_OF_NAMESPACE: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

/// LAB-13: sets what `peer` needs, and says in words what came of it, for the case's notes.
///
/// # Errors
/// There is no wire, which alone carries TCP.
pub(super) fn prepare(network: &Network, peer: &PeerRun) -> Result<Option<String>, DriveError> {
    if let Some(algorithm) = wanted(peer) {
        return Ok(Some(set(network.for_tcp()?, algorithm)));
    }
    match keeps_window(peer) {
        true => Ok(Some(keep_window(network.for_tcp()?))),
        false => Ok(None),
    }
}

/// Between two pictures a connection is idle for longer than its shortened timeout, which by default takes it back to its
/// first window: every picture would begin with ten packets.
fn keeps_window(peer: &PeerRun) -> bool {
    matches!((peer.peer, peer.variant), (Peer::TcpCubic | Peer::TcpBbr, Variant::Tuned))
}

fn keep_window(wire: &Wire) -> String {
    match at_both(wire, AFTER_IDLE, "0") {
        Ok(()) => {
            "TCP of both namespaces keeps its window when idle (tcp_slow_start_after_idle 0)".to_owned()
        }
        Err(error) => {
            format!("TCP begins anew after each pause, as tcp_slow_start_after_idle cannot be set: {error}")
        }
    }
}

/// LAB-13: Zenoh's sockets are out of reach, so its namespaces get what TCP's two variants choose for themselves. `None` for
/// all who choose by themselves.
fn wanted(peer: &PeerRun) -> Option<&'static str> {
    match (peer.peer, peer.variant) {
        (Peer::Zenoh, Variant::Default) => Some("cubic"),
        (Peer::Zenoh, Variant::Tuned) => Some("bbr"),
        _ => None,
    }
}

/// Sets it at both ends, and says in words what came of that, for the case's notes.
fn set(wire: &Wire, algorithm: &'static str) -> String {
    match at_both(wire, DEFAULT_OF_NAMESPACE, algorithm) {
        Ok(()) => format!("TCP of both namespaces begins with {algorithm}"),
        Err(error) => format!(
            "TCP does not begin with {algorithm}, but with the kernel's own choice: {error}; if {algorithm} is a module: \
             sudo modprobe tcp_{algorithm}"
        ),
    }
}

fn at_both(wire: &Wire, setting: &'static str, value: &'static str) -> io::Result<()> {
    let at = |end| wire.run_in(end, move || fs::write(setting, value)).map_err(io::Error::other)?;
    [End::Vehicle, End::Operator].into_iter().try_for_each(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::WireError;
    use tokkyu_link::sim::path::Profile;

    #[test]
    fn a_namespace_gets_its_own_congestion_control_and_this_process_keeps_its_own() {
        // LAB-13. Reno, which every kernel has and allows everybody.
        let wire = match Wire::new(&Profile::named("lan").unwrap(), 1) {
            Ok(wire) => wire,
            Err(error @ WireError::NotPermitted { .. }) => {
                eprintln!("skipped: {error}");
                return;
            }
            Err(error) => panic!("{error}"),
        };
        let outside = || fs::read_to_string(DEFAULT_OF_NAMESPACE).unwrap();
        let before = outside();
        assert_eq!(set(&wire, "reno"), "TCP of both namespaces begins with reno");
        for end in [End::Vehicle, End::Operator] {
            assert_eq!(wire.run_in(end, outside).unwrap().trim(), "reno");
        }
        assert_eq!(outside(), before);
        assert!(keep_window(&wire).starts_with("TCP of both namespaces keeps its window"));
        let after_idle = || fs::read_to_string(AFTER_IDLE).unwrap();
        for end in [End::Vehicle, End::Operator] {
            assert_eq!(wire.run_in(end, after_idle).unwrap().trim(), "0");
        }
        assert!(set(&wire, "nosuchthing").contains("modprobe tcp_nosuchthing"));
    }

    #[test]
    fn only_who_cannot_choose_is_chosen_for() {
        let of = |peer, variant| wanted(&PeerRun { peer, variant, program: "p".into() });
        assert_eq!(
            [of(Peer::Zenoh, Variant::Default), of(Peer::Zenoh, Variant::Tuned)],
            [Some("cubic"), Some("bbr")]
        );
        assert!(
            Peer::all().filter(|peer| *peer != Peer::Zenoh).all(|peer| of(peer, Variant::Tuned).is_none())
        );
        let keeps = |variant| -> Vec<Peer> {
            let keeps = |peer: &Peer| keeps_window(&PeerRun { peer: *peer, variant, program: "p".into() });
            Peer::all().filter(keeps).collect()
        };
        assert_eq!(keeps(Variant::Tuned), [Peer::TcpCubic, Peer::TcpBbr]);
        assert_eq!(keeps(Variant::Default), []);
    }
}
