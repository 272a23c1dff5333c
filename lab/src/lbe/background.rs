//! What uploads in the background.

use std::fmt;
use std::str::FromStr;

/// What uploads in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Background {
    /// Nothing.
    None,
    /// So many TCP flows.
    Tcp(u32),
    /// One UDP flow that sends as fast as its socket buffer lets it, as QUIC without pacing would.
    Udp,
}

impl fmt::Display for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Background::None => f.pad("none"),
            Background::Tcp(flows) => f.pad(&format!("tcp{flows}")),
            Background::Udp => f.pad("udp1"),
        }
    }
}

impl FromStr for Background {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "udp1" => Ok(Background::Udp),
            _ => word
                .strip_prefix("tcp")
                .and_then(|flows| flows.parse().ok())
                .filter(|flows| (1..=64).contains(flows))
                .map(Background::Tcp)
                .ok_or_else(|| "not a background: use tcp1 to tcp64 or udp1".to_owned()),
        }
    }
}
