//! The congestion control that TCP sockets of a namespace begin with, for a peer that cannot choose its own.
//!
//! Runs in threads of the two namespaces: `/proc/sys/net` shows each thread the settings of the namespace it is in. They
//! vanish with the namespace, so nothing has to be put back.

use std::fs;
use std::io;

use crate::wire::{End, Wire};

use super::known::{Peer, PeerRun, Variant};

const DEFAULT_OF_NAMESPACE: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

/// LAB-13: Zenoh's sockets are out of reach, so its namespaces get what TCP's two variants choose for themselves. `None` for
/// all who choose by themselves.
pub(super) fn wanted(peer: &PeerRun) -> Option<&'static str> {
    match (peer.peer, peer.variant) {
        (Peer::Zenoh, Variant::Default) => Some("cubic"),
        (Peer::Zenoh, Variant::Tuned) => Some("bbr"),
        _ => None,
    }
}

/// Sets it at both ends, and says in words what came of that, for the case's notes.
pub(super) fn set(wire: &Wire, algorithm: &'static str) -> String {
    let ends = [End::Vehicle, End::Operator];
    let outcome = ends.into_iter().try_for_each(|end| set_at(wire, end, algorithm));
    match outcome {
        Ok(()) => format!("TCP of both namespaces begins with {algorithm}"),
        Err(error) => format!(
            "TCP does not begin with {algorithm}, but with the kernel's own choice: {error}; if {algorithm} is a module: \
             sudo modprobe tcp_{algorithm}"
        ),
    }
}

fn set_at(wire: &Wire, end: End, algorithm: &'static str) -> io::Result<()> {
    wire.run_in(end, move || fs::write(DEFAULT_OF_NAMESPACE, algorithm)).map_err(io::Error::other)?
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
    }
}
