//! Who the peers are: their names, programs, what brings them. One table; where a program is.
//!
//! Our own that goes between processes has its line here, and its goal is in `goals.rs`, once its program is in bench/local/tokkyu.

use std::fmt;
use std::path::{Path, PathBuf};

use tokkyu_measure::Skipped;
use tokkyu_measure::local::{Kind, kind_of};

/// Who carries the messages, or what else is measured of us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    facts: &'static Facts,
}

/// What is known of a peer.
#[derive(Debug, PartialEq, Eq)]
struct Facts {
    /// In a result's `peer`, and on the command line.
    name: &'static str,
    /// Its program is `tokkyu-local-` and this; what builds it knows it by this name, too.
    program: &'static str,
    needs_master: bool,
    /// What brings it.
    package: &'static str,
}

const COMPILER: &str = "Debian's make and g++, then bench/local/build";
const ROSCPP: &str = "Debian's libroscpp-dev, libstd-msgs-dev and pkg-config, then bench/local/build";
const NODELET: &str = "Debian's libnodeletlib-dev, libroscpp-dev and libstd-msgs-dev, then bench/local/build";
const ICEORYX: &str = "Debian's libiceoryx-posh-dev and libiceoryx-hoofs-dev, then bench/local/build";
const ICEORYX2: &str = "Rust 1.89 or newer, and gcc, then bench/local/build";
const CYCLONEDDS: &str = "Debian's cyclonedds-dev and cyclonedds-tools, then bench/local/build";
const FASTDDS: &str = "Debian's libfastrtps-dev and libfastcdr-dev, then bench/local/build";
const RUST: &str = "Rust and gcc, then bench/local/tokkyu/build";
const RUST_AND_COMPILER: &str = "Rust, and Debian's make and g++, then bench/local/tokkyu/build";
const RUST_AND_ROSCPP: &str =
    "Rust and Debian's libroscpp-dev, libstd-msgs-dev, make and g++, then bench/local/tokkyu/build";
/// What brings the master.
const ROSMASTER: &str = "Debian's python3-rosmaster";

#[rustfmt::skip]
static KNOWN: [Facts; 15] = [
    Facts { name: "floor-futex", program: "floor-futex", needs_master: false, package: COMPILER },
    Facts { name: "floor-eventfd", program: "floor-eventfd", needs_master: false, package: COMPILER },
    Facts { name: "floor-futex-process", program: "floor-futex-process", needs_master: false, package: COMPILER },
    Facts { name: "tokkyu-thread", program: "thread", needs_master: false, package: RUST },
    Facts { name: "tokkyu-process", program: "process", needs_master: true, package: RUST_AND_COMPILER },
    Facts { name: "roscpp-intra-ptr", program: "roscpp-intra-ptr", needs_master: true, package: ROSCPP },
    Facts { name: "nodelet-ptr", program: "nodelet-ptr", needs_master: true, package: NODELET },
    Facts { name: "iceoryx", program: "iceoryx", needs_master: false, package: ICEORYX },
    Facts { name: "iceoryx2", program: "iceoryx2", needs_master: false, package: ICEORYX2 },
    Facts { name: "fastdds", program: "fastdds", needs_master: false, package: FASTDDS },
    Facts { name: "cyclonedds", program: "cyclonedds", needs_master: false, package: CYCLONEDDS },
    Facts { name: "roscpp-tcp", program: "roscpp-tcp", needs_master: true, package: ROSCPP },
    Facts { name: "tokkyu-tcpros", program: "tcpros", needs_master: true, package: RUST_AND_ROSCPP },
    Facts { name: "tokkyu-tcpros-subscriber", program: "tcpros-subscriber", needs_master: true, package: RUST_AND_ROSCPP },
    Facts { name: "tokkyu-overload", program: "overload", needs_master: false, package: RUST },
];

/// The folder of the programs, where no flag names one.
pub const PEERS_ENVIRONMENT: &str = "TOKKYU_LOCAL_PEERS";

impl Peer {
    /// All of them, in the order of tables.
    pub fn all() -> impl Iterator<Item = Peer> {
        KNOWN.iter().map(|facts| Peer { facts })
    }

    /// By its name in results.
    pub fn named(name: &str) -> Option<Peer> {
        Peer::all().find(|peer| peer.as_str() == name)
    }

    /// Its name in results.
    pub fn as_str(self) -> &'static str {
        self.facts.name
    }

    /// What builds it knows it by this name.
    pub(super) fn build_name(self) -> &'static str {
        self.facts.program
    }

    /// Whether bench/local/tokkyu builds it.
    pub(super) fn is_ours(self) -> bool {
        matches!(self.kind(), Kind::Ours | Kind::Overload)
    }

    /// What it is for.
    pub(super) fn kind(self) -> Kind {
        kind_of(self.facts.name).expect("who is measured is known to results, as a test shows")
    }

    /// Whether it cannot do without a rosmaster.
    pub fn needs_master(self) -> bool {
        self.facts.needs_master
    }

    /// Its program's file.
    pub fn program_in(self, folder: &Path) -> PathBuf {
        folder.join(format!("tokkyu-local-{}", self.facts.program))
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The word is nobody's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownPeer;

impl fmt::Display for UnknownPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Peer::all().map(Peer::as_str).collect();
        write!(f, "not a peer: use all, or {}", names.join(", "))
    }
}

impl std::error::Error for UnknownPeer {}

/// One peer, or all of them.
///
/// # Errors
/// [`UnknownPeer`], which lists the names.
pub fn peers_named(word: &str) -> Result<Vec<Peer>, UnknownPeer> {
    match word {
        "all" => Ok(Peer::all().collect()),
        _ => Peer::named(word).map(|peer| vec![peer]).ok_or(UnknownPeer),
    }
}

/// A peer with its program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Who.
    pub peer: Peer,
    /// Its file.
    pub program: PathBuf,
}

/// Where the programs are: what is given, else `local-peers` beside the folder of the own program.
pub fn peers_folder(given: Option<PathBuf>, own_program: &Path) -> PathBuf {
    let beside = || own_program.parent().and_then(Path::parent).unwrap_or(Path::new("")).join("local-peers");
    given.unwrap_or_else(beside)
}

/// Who of `asked` has a program in `folder`, and who is left out (LOCAL-41). `has_master`: a rosmaster can be started.
pub fn find_peers(folder: &Path, asked: &[Peer], has_master: bool) -> (Vec<Found>, Vec<Skipped>) {
    let (mut found, mut skipped) = (Vec::new(), Vec::new());
    for peer in asked {
        let program = peer.program_in(folder);
        let skip = |because: String, package: &str| Skipped {
            peer: peer.as_str().to_owned(),
            because,
            package: package.to_owned(),
        };
        if !program.is_file() {
            skipped.push(skip(format!("{} is not there", program.display()), peer.facts.package));
        } else if peer.needs_master() && !has_master {
            skipped.push(skip("rosmaster is not there".to_owned(), ROSMASTER));
        } else {
            found.push(Found { peer: *peer, program });
        }
    }
    (found, skipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_know_everybody_in_the_same_order() {
        assert!(Peer::all().map(Peer::as_str).eq(tokkyu_measure::local::names()));
        assert!(Peer::all().all(|peer| kind_of(peer.as_str()).is_some()));
    }

    #[test]
    fn a_peer_is_named_once_and_by_its_own_name() {
        let names: std::collections::BTreeSet<&str> = Peer::all().map(Peer::as_str).collect();
        assert_eq!(names.len(), KNOWN.len());
        assert_eq!(peers_named("all").unwrap().len(), KNOWN.len());
        assert_eq!(peers_named("iceoryx2").unwrap()[0].as_str(), "iceoryx2");
        assert!(peers_named("iceoryx3").unwrap_err().to_string().contains("nodelet-ptr"));
    }

    #[test]
    fn who_is_not_there_is_left_out_with_what_brings_it() {
        let folder = tempfile::tempdir().unwrap();
        let [floor, tcp, dds] =
            ["floor-futex", "roscpp-tcp", "fastdds"].map(|name| Peer::named(name).unwrap());
        for peer in [floor, tcp] {
            std::fs::write(peer.program_in(folder.path()), "").unwrap();
        }
        let (found, skipped) = find_peers(folder.path(), &[floor, tcp, dds], false);
        assert_eq!(found.iter().map(|found| found.peer).collect::<Vec<_>>(), [floor]);
        let told: Vec<String> = skipped.iter().map(ToString::to_string).collect();
        assert!(told[0].contains("roscpp-tcp") && told[0].contains("python3-rosmaster"), "{told:?}");
        assert!(told[1].contains("libfastrtps-dev"), "{told:?}");
        let (found, _) = find_peers(folder.path(), &[floor, tcp, dds], true);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn programs_are_beside_the_folder_of_our_own() {
        let own = Path::new("/t/release/tokkyu");
        assert_eq!(peers_folder(None, own), Path::new("/t/local-peers"));
        assert_eq!(peers_folder(Some("/x".into()), own), Path::new("/x"));
    }
}
