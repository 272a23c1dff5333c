//! Links on loopback, with keys of their own.

use std::net::SocketAddr;
use std::time::Duration;

use tokkyu_link::carrier::{SecretKey, TrustStore};
use tokkyu_link::runtime::{Link, LinkConfig, Role};

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
