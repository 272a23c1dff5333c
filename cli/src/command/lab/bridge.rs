//! `tokkyu lab bridge`: the link with and without ROS 2 bridges, one right after the other.

use clap::{Args, value_parser};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::drive::bridge::{Bridges, Plan, Programs};
use tokkyu_lab::drive::{self, IMAGES_MAX, Onlooker, Peer, Variant};
use tokkyu_lab::study::Share;
use tokkyu_link::sim::path::Profile;
use tokkyu_measure::report;

use super::super::words;
use super::drives::drives;
use super::options::{Options, refuse_repeated};
use super::peers::PeersFolder;
use super::run::Run;
use crate::exit::{CODES, Done, Failure};
use crate::machine;
use crate::output::say;

/// Repetitions of each case.
const RUNS: u32 = 1;

const EXAMPLES: &str = "\
Examples:
  tokkyu lab bridge                                                          (lan and wan-loss5, 1 and 4 cameras)
  tokkyu lab bridge --network lan --cameras 1 --samples 300 --runs 3 --json bridge.json
  tokkyu lab bridge --network wan-loss5 --cameras 4 --markdown --out results/bridge";

/// Measure what ROS 2 bridges cost: the same pictures and commands, published straight into the link and, right after,
/// between DDS programs with `tokkyu bridge` at both ends.
///
/// Cases are networks × cameras × runs, each in both ways with the same seed. Pictures (374 kB at 10 Hz) go from the
/// vehicle, commands (64 bytes at 50 Hz) from the operator. DDS stays on each end's loopback device; nothing but the link
/// crosses the network. Latency counts from the tick, so it has DDS at both ends in it. After every case the result file
/// holds all cases so far. The goals: on lan one picture gets older by at most 1.5 times the link's own latency; on
/// wan-loss5 with four cameras the 99th percentile of commands is at most 20 ms above the path's delay.
///
/// Needs the DDS program tokkyu-peer-cyclonedds, which bench/peers/build makes (./tokkyu calls it), and the real network.
///
/// Fails (1) if the figures of a case may not be believed. A goal that is missed is a result, not a failure.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct LabBridge {
    /// Networks, comma between them
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "lan,wan-loss5", value_parser = words::network)]
    network: Vec<Profile>,
    /// Cameras, comma between numbers
    #[arg(
        long = "cameras",
        alias = "images",
        value_name = "N",
        value_delimiter = ',',
        default_value = "1,4",
        value_parser = value_parser!(u32).range(1..=i64::from(IMAGES_MAX))
    )]
    images: Vec<u32>,
    /// Pictures of each camera that are measured
    #[arg(long, default_value_t = 100, value_parser = value_parser!(u32).range(1..=10_000))]
    samples: u32,
    /// Pictures of each camera before them, reported apart
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(0..=10_000))]
    warm_up: u32,
    #[command(flatten)]
    peers: PeersFolder,
    #[command(flatten)]
    options: Options,
}

impl LabBridge {
    pub fn run(self, stop: &StopFlag) -> Done {
        self.check_repeated()?;
        let programs = self.programs()?;
        self.network.first().map_or(Ok(()), drive::check_wire)?;
        let Some(run) = Run::begin::<report::Bridge>(&self.options, Share::Alone, stop)? else {
            return Ok(ExitCode::Interrupted);
        };
        drive::doubts(&run.environment).iter().for_each(|doubt| say(&format!("note: {doubt}")));
        let stage = Bridges::new(programs, Onlooker(say));
        drives::<report::Bridge, _>(&run, &stage, &self.plan().cases(), Vec::new())
    }

    fn check_repeated(&self) -> Result<(), Failure> {
        let networks = self.network.iter().map(|network| ("--network", network.name.clone()));
        let images = self.images.iter().map(|images| ("--cameras", images.to_string()));
        refuse_repeated(networks.chain(images))
    }

    /// LAB-21: without the DDS program nothing is begun.
    fn programs(&self) -> Result<Programs, Failure> {
        let (found, skipped) =
            drive::find_peers(&self.peers.find()?, &[Peer::CycloneDds], &[Variant::Default]);
        match (found.into_iter().next(), skipped.first()) {
            (Some(dds), _) => Ok(Programs { tokkyu: machine::own_program()?, dds: dds.program }),
            (None, why) => Err(Failure::new(
                ExitCode::NotPossible,
                format_args!(
                    "skipped: the DDS program is not here, or say with --peers-dir where it is: {}",
                    why.map(ToString::to_string).unwrap_or_default()
                ),
            )),
        }
    }

    fn plan(&self) -> Plan {
        Plan {
            networks: self.network.clone(),
            images: self.images.clone(),
            samples: self.samples,
            warm_up: self.warm_up,
            seed: self.options.seed,
            runs: self.options.runs.unwrap_or(RUNS),
        }
    }
}
