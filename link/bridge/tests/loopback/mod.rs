//! Links on loopback, with keys of their own.

use std::net::SocketAddr;
use std::time::Duration;

use tokkyu_link::carrier::{SecretKey, TrustStore};
use tokkyu_link::runtime::{Fault, Link, LinkConfig, Role};

/// Long enough for any machine; a test that waits this long has failed.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub fn key() -> SecretKey {
    SecretKey::generate().expect("the system has randomness")
}

pub fn link(role: Role, own: &SecretKey, trusted: &SecretKey) -> Link {
    let any: SocketAddr = "127.0.0.1:0".parse().expect("an address");
    let trusted = TrustStore::of([trusted.public()]);
    Link::start(LinkConfig::new(role, any, own.clone(), trusted)).expect("loopback")
}

/// A vehicle's and an operator's that trust each other.
pub fn both_ends() -> (Link, Link) {
    let (vehicle, operator) = (key(), key());
    let operators = link(Role::Operator, &operator, &vehicle);
    let role = Role::Vehicle { operator: operators.local_address() };
    (link(role, &vehicle, &operator), operators)
}

/// One that nobody will meet, whose thread dies when `fault` strikes.
#[allow(dead_code)] // each test program uses its own part of this
pub fn mortal_link(role: Role, fault: &Fault) -> Link {
    let any: SocketAddr = "127.0.0.1:0".parse().expect("an address");
    let mut config = LinkConfig::new(role, any, key(), TrustStore::of([]));
    config.fault = fault.clone();
    Link::start(config).expect("loopback")
}
