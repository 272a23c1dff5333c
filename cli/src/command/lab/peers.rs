//! `tokkyu lab drive --peers`: the flags that bring others into the experiment.

use std::path::PathBuf;

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_lab::drive::{self, Peer, PeerRun, Variant};
use tokkyu_link::sim::path::Profile;
use tokkyu_measure::Skipped;

use super::super::words;
use crate::exit::Failure;
use crate::machine;

/// Others in our place.
#[derive(Debug, Args)]
pub struct Peers {
    /// Who runs in our place, after our own runs: cyclonedds, fastdds, zenoh, srt (srt-live and srt-message), tcp
    /// (tcp-cubic and tcp-bbr), or all, comma between them. Needs the real network, not --sim
    #[arg(long, value_name = "PEER", value_delimiter = ',', value_parser = words::peers)]
    peers: Vec<words::PeersNamed>,
    /// How peers are set: default (the library as it comes), tuned (for the network), comma between them
    #[arg(
        long,
        value_name = "VARIANT",
        value_delimiter = ',',
        default_value = "default,tuned",
        requires = "peers",
        value_parser = words::variant
    )]
    variants: Vec<Variant>,
    #[command(flatten)]
    folder: PeersFolder,
}

/// Where the peers' programs are.
#[derive(Debug, Args)]
pub struct PeersFolder {
    /// Folder of the peers' programs; $TOKKYU_PEERS if not given, else peers beside the folder of this program
    #[arg(long, value_name = "DIR")]
    peers_dir: Option<PathBuf>,
}

impl PeersFolder {
    /// The folder.
    ///
    /// # Errors
    /// This program's own file cannot be found.
    pub fn find(&self) -> Result<PathBuf, Failure> {
        let from_environment = || std::env::var_os(drive::PEERS_ENVIRONMENT).map(PathBuf::from);
        let given = self.peers_dir.clone().or_else(from_environment);
        Ok(drive::peers_folder(given, &machine::own_program()?))
    }
}

impl Peers {
    /// LAB-12: asked before anything that opens a network.
    ///
    /// # Errors
    /// Something else asked for excludes peers.
    pub fn check_company(&self, simulated: bool, beside: bool) -> Result<(), Failure> {
        let what = match (simulated, beside) {
            _ if self.peers.is_empty() => return Ok(()),
            (true, _) => {
                "--peers with --sim: the programs of others cannot be simulated; leave one of them out"
            }
            (_, true) => {
                "--peers with --beside: nothing runs beside a peer; leave one of them out, or give TCP as --peers tcp"
            }
            (false, false) => return Ok(()),
        };
        Err(Failure::usage(what))
    }

    /// PEER-4: asked before any case runs, as each of theirs would fail.
    ///
    /// # Errors
    /// More pictures than a peer takes.
    pub fn check_pictures(&self, samples: u32, warm_up: u32) -> Result<(), Failure> {
        let most = drive::PEER_SAMPLES_MAX;
        if self.peers.is_empty() || samples.saturating_add(warm_up) <= most {
            return Ok(());
        }
        Err(Failure::usage(format_args!(
            "--samples {samples} and --warm-up {warm_up} with --peers: a peer takes {most} pictures in all; give fewer"
        )))
    }

    /// Who of those asked for is here, and who is not: asked before anything is begun.
    ///
    /// # Errors
    /// None of them is here, or there is no network for them.
    pub fn find(&self, network: Option<&Profile>) -> Result<(Vec<PeerRun>, Vec<Skipped>), Failure> {
        let Some(network) = network.filter(|_| !self.peers.is_empty()) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let (found, skipped) = drive::find_peers(&self.folder.find()?, &self.asked(), &self.variants);
        if found.is_empty() {
            return Err(nobody(&skipped));
        }
        drive::check_wire(network)?;
        Ok((found, skipped))
    }

    /// The variants as flag and word.
    pub fn variants(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.variants.iter().map(|variant| ("--variants", variant.as_str().to_owned()))
    }

    /// Each once: `all,tcp` is all.
    fn asked(&self) -> Vec<Peer> {
        let mut asked: Vec<Peer> = Vec::new();
        for peer in self.peers.iter().flat_map(|words::PeersNamed(peers)| peers) {
            if !asked.contains(peer) {
                asked.push(*peer);
            }
        }
        asked
    }
}

fn nobody(skipped: &[Skipped]) -> Failure {
    let absent: String = skipped.iter().map(|peer| format!("\n  {peer}")).collect();
    let remedy = "build them with bench/peers/build, or say with --peers-dir where they are";
    Failure::new(ExitCode::NotPossible, format_args!("--peers: none of them is here; {remedy}{absent}"))
}
