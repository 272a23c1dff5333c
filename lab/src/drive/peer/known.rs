//! Who the peers are: their names, programs and modes, and which QoS of the experiment each of them has.
//!
//! Pure, and one table. What a peer does not have is left out of a plan, never bent into something else (LAB-10).

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::drive::quality::Quality;

/// Somebody who carries the images in place of our link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// Eclipse Cyclone DDS.
    CycloneDds,
    /// eProsima Fast DDS.
    FastDds,
    /// Eclipse Zenoh.
    Zenoh,
    /// SRT as live video uses it.
    SrtLive,
    /// SRT as a carrier of messages.
    SrtMessage,
    /// TCP with CUBIC, which most kernels use.
    TcpCubic,
    /// TCP with BBR.
    TcpBbr,
}

/// How a peer is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// As it comes.
    Default,
    /// As somebody would set it who knows the network.
    Tuned,
}

/// A peer with its setting and its program: what takes the place of ours in a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerRun {
    /// Who.
    pub peer: Peer,
    /// How it is set.
    pub variant: Variant,
    /// Its program.
    pub program: PathBuf,
}

/// What is known of a peer.
struct Facts {
    peer: Peer,
    /// In a result's `peer`.
    name: &'static str,
    /// For all peers of one program, on the command line and in the program's name.
    program: &'static str,
    /// Its `--mode`.
    mode: &'static str,
    /// The paper's conditions it has (PEER-2).
    qualities: &'static [Quality],
    /// What brings it.
    package: &'static str,
}

const ALL_FOUR: &[Quality] =
    &[Quality::KeepLast10, Quality::KeepLast1, Quality::KeepAll, Quality::BestEffort];
const OF_ZENOH: &[Quality] = &[Quality::KeepAll, Quality::KeepLast1, Quality::BestEffort];
const OF_TCP: &[Quality] = &[Quality::KeepAll, Quality::KeepLast1];
const OF_SRT: &[Quality] = &[Quality::KeepAll];
const CYCLONE_DDS: &str = "Debian's cyclonedds-dev and cyclonedds-tools, then bench/peers/build cyclonedds";
const FAST_DDS: &str = "Debian's libfastrtps-dev, libfastcdr-dev and g++, then bench/peers/build fastdds";
const ZENOH: &str = "Rust and its crate zenoh: bench/peers/build zenoh";
const SRT: &str = "Debian's libsrt-openssl-dev, then bench/peers/build srt";
const COMPILER: &str = "Debian's gcc, then bench/peers/build tcp";

#[rustfmt::skip]
static KNOWN: [Facts; 7] = [
    Facts { peer: Peer::CycloneDds, name: "cyclonedds", program: "cyclonedds", mode: "dds", qualities: ALL_FOUR, package: CYCLONE_DDS },
    Facts { peer: Peer::FastDds, name: "fastdds", program: "fastdds", mode: "dds", qualities: ALL_FOUR, package: FAST_DDS },
    Facts { peer: Peer::Zenoh, name: "zenoh", program: "zenoh", mode: "tcp", qualities: OF_ZENOH, package: ZENOH },
    Facts { peer: Peer::SrtLive, name: "srt-live", program: "srt", mode: "live", qualities: OF_SRT, package: SRT },
    Facts { peer: Peer::SrtMessage, name: "srt-message", program: "srt", mode: "message", qualities: OF_SRT, package: SRT },
    Facts { peer: Peer::TcpCubic, name: "tcp-cubic", program: "tcp", mode: "cubic", qualities: OF_TCP, package: COMPILER },
    Facts { peer: Peer::TcpBbr, name: "tcp-bbr", program: "tcp", mode: "bbr", qualities: OF_TCP, package: COMPILER },
];

impl Peer {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Peer> {
        KNOWN.iter().map(|facts| facts.peer)
    }

    fn facts(self) -> &'static Facts {
        KNOWN
            .iter()
            .find(|facts| facts.peer == self)
            .expect("the table has every peer, which a test looks after")
    }

    /// The name in a result.
    pub fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// File name of its program.
    pub fn program(self) -> String {
        format!("tokkyu-peer-{}", self.facts().program)
    }

    /// Its `--mode`.
    pub(super) fn mode(self) -> &'static str {
        self.facts().mode
    }

    /// What brings it.
    pub(super) fn package(self) -> &'static str {
        self.facts().package
    }

    /// LAB-10: the QoS it runs where `asked` is asked for; `None` if it has none such. Our link's is answered by the same
    /// history where there is one, and else by what queues every image. Live video has one way alone, whatever is asked.
    pub(in crate::drive) fn quality_for(self, asked: Quality) -> Option<Quality> {
        let has = self.facts().qualities;
        match asked {
            _ if self == Peer::SrtLive => Some(Quality::KeepAll),
            Quality::Link => has.first().copied(),
            condition => has.contains(&condition).then_some(condition),
        }
    }

    /// The QoS in words, as it stands in a result.
    pub fn qos(self, quality: Quality) -> String {
        match self {
            // It drops what is late by a latency of its own and has no history that could be named.
            Peer::SrtLive => "live".to_owned(),
            _ => quality.to_string(),
        }
    }

    /// The paper's condition that it answers.
    pub(in crate::drive) fn condition(self, quality: Quality) -> Option<u8> {
        (self != Peer::SrtLive).then_some(quality.condition())
    }
}

impl Variant {
    /// In a result, and as `--variant`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Variant::Default => "default",
            Variant::Tuned => "tuned",
        }
    }
}

/// Peer and variant.
impl fmt::Display for PeerRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.peer.as_str(), self.variant.as_str())
    }
}

/// The word names no peer, or no way to set one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownPeer {
    /// No peer.
    #[error(
        "not a peer: use all, or some of cyclonedds, fastdds, zenoh, srt (srt-live and srt-message), tcp (tcp-cubic and \
         tcp-bbr), comma between them"
    )]
    Peer,
    /// No variant.
    #[error("not a way to set a peer: use default, tuned, or both with a comma between them")]
    Variant,
}

/// The peers that a word of the command line means: one, all of one program, or `all`.
///
/// # Errors
/// It means none.
pub fn peers_named(word: &str) -> Result<Vec<Peer>, UnknownPeer> {
    let meant = |facts: &&Facts| word == "all" || word == facts.name || word == facts.program;
    let peers: Vec<Peer> = KNOWN.iter().filter(meant).map(|facts| facts.peer).collect();
    if peers.is_empty() { Err(UnknownPeer::Peer) } else { Ok(peers) }
}

impl FromStr for Variant {
    type Err = UnknownPeer;

    fn from_str(word: &str) -> Result<Self, UnknownPeer> {
        let all = [Variant::Default, Variant::Tuned];
        all.into_iter().find(|variant| variant.as_str() == word).ok_or(UnknownPeer::Variant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_is_known_by_its_own_name_its_programs_and_all() {
        for peer in [
            Peer::CycloneDds,
            Peer::FastDds,
            Peer::Zenoh,
            Peer::SrtLive,
            Peer::SrtMessage,
            Peer::TcpCubic,
            Peer::TcpBbr,
        ] {
            assert_eq!(peers_named(peer.as_str()), Ok(vec![peer]));
            assert!(peer.package().contains("bench/peers/build"), "{peer:?}");
        }
        assert_eq!(peers_named("tcp"), Ok(vec![Peer::TcpCubic, Peer::TcpBbr]));
        assert_eq!(peers_named("srt"), Ok(vec![Peer::SrtLive, Peer::SrtMessage]));
        assert_eq!(peers_named("all").map(|peers| peers.len()), Ok(7));
        assert_eq!([peers_named("ros2"), peers_named("")], [Err(UnknownPeer::Peer), Err(UnknownPeer::Peer)]);
    }

    #[test]
    fn an_asked_qos_becomes_the_same_one_or_none_and_the_links_what_comes_nearest() {
        // LAB-10, PEER-2
        let run = |peer: Peer| Quality::ALL.map(|asked| peer.quality_for(asked).map_or("-", Quality::as_str));
        assert_eq!(run(Peer::CycloneDds), ["1", "2", "3", "4", "1"]);
        assert_eq!(run(Peer::FastDds), ["1", "2", "3", "4", "1"]);
        assert_eq!(run(Peer::Zenoh), ["-", "2", "3", "4", "3"]);
        assert_eq!(run(Peer::SrtMessage), ["-", "-", "3", "-", "3"]);
        assert_eq!(run(Peer::SrtLive), ["3"; 5]);
        assert_eq!([run(Peer::TcpCubic), run(Peer::TcpBbr)], [["-", "2", "3", "-", "3"]; 2]);
    }

    #[test]
    fn live_video_has_no_history_and_answers_no_condition() {
        let told = |peer: Peer| (peer.qos(Quality::KeepAll), peer.condition(Quality::KeepAll));
        assert_eq!(told(Peer::SrtLive), ("live".to_owned(), None));
        assert_eq!(told(Peer::TcpBbr), ("reliable keep_all".to_owned(), Some(3)));
    }
}
