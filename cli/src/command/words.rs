//! Values of the command line that are more than a word: networks, spans, QoS. Each says what would be right.

use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_contract::units::parse_duration;
use tokkyu_lab::drive::{Algorithm, NoAlgorithm, Peer, Quality, UnknownPeer, Variant, peers_named};
use tokkyu_link::sim::path::Profile;

/// A network by its name.
pub fn network(name: &str) -> Result<Profile, String> {
    let profile = Profile::named(name).map_err(|error| error.to_string())?;
    profile.check().map_err(|error| error.to_string())?;
    Ok(profile)
}

/// A span such as `90 s`.
pub fn span(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

/// A QoS of the drive experiment.
pub fn quality(word: &str) -> Result<Quality, String> {
    word.parse().map_err(|error: tokkyu_lab::drive::UnknownQuality| error.to_string())
}

/// One or several peers of the drive experiment.
#[derive(Clone, Debug)]
pub struct PeersNamed(pub Vec<Peer>);

/// Peers by the word for them.
pub fn peers(word: &str) -> Result<PeersNamed, String> {
    peers_named(word).map(PeersNamed).map_err(|error| error.to_string())
}

/// A way to set a peer.
pub fn variant(word: &str) -> Result<Variant, String> {
    word.parse().map_err(|error: UnknownPeer| error.to_string())
}

/// A TCP congestion control.
pub fn algorithm(word: &str) -> Result<Algorithm, String> {
    word.parse().map_err(|error: NoAlgorithm| error.to_string())
}

/// A time on this machine's monotonic clock, nanoseconds.
pub fn mono_time(text: &str) -> Result<MonoTime, String> {
    let nanos = text.parse::<u64>();
    nanos.map(MonoTime::from_nanos).map_err(|_| "give whole nanoseconds of CLOCK_MONOTONIC".to_owned())
}
