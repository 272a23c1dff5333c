//! `tokkyu lab bridge`: the link with and without ROS 2 bridges, one right after the other.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, value_parser};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::drive::bridge::{self, Case, EXPERIMENT, Plan, Programs};
use tokkyu_lab::drive::{self, CaseFolder, IMAGES_MAX, Peer, Results, Variant};
use tokkyu_link::sim::path::Profile;

use super::experiment::{Experiment, Onlooker, refusals, refuse_repeated, write_copy};
use super::lab_peers::PeersFolder;
use super::words;
use crate::exit::{CODES, Done, Failure};
use crate::machine;
use crate::output::{self, JsonTo, say};

const EXAMPLES: &str = "\
Examples:
  tokkyu lab bridge                                                          (lan and wan-loss5, 1 and 4 cameras)
  tokkyu lab bridge --network lan --images 1 --samples 300 --runs 3 --json bridge.json
  tokkyu lab bridge --network wan-loss5 --images 4 --markdown --out results/bridge";

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
        long,
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
    /// Seed of the networks' chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Repetitions of each case
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u32).range(1..=1_000))]
    runs: u32,
    #[command(flatten)]
    peers: PeersFolder,
    /// Folder for records and the result; results/drive-DATE-bridge if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write the result to this file, replacing it, or to standard output for -
    #[arg(long, value_name = "FILE", value_parser = |word: &str| Ok::<_, String>(JsonTo::from(word)))]
    json: Option<JsonTo>,
    /// Print the table as Markdown
    #[arg(long)]
    markdown: bool,
}

impl LabBridge {
    pub fn run(self, stop: &StopFlag) -> Done {
        self.check_repeated()?;
        let programs = self.programs()?;
        self.network.first().map_or(Ok(()), drive::check_wire)?;
        let root = self.out.clone().unwrap_or_else(|| machine::fresh_folder("bridge", machine::wall_now()));
        let mut experiment = Experiment::begin(EXPERIMENT, &root, true)?;
        let cases = self.plan().cases();
        let run = experiment.run(cases.len(), stop, |number| {
            announce(&cases, number);
            let folder = CaseFolder::create(&root.join(cases[number].folder_name(number + 1)))?;
            Ok(Some(bridge::run(&cases[number], &folder, &programs, &mut Onlooker, &|| stop.is_set())?))
        });
        self.show(&experiment.results)?;
        run?;
        Ok(experiment.exit_code())
    }

    fn check_repeated(&self) -> Result<(), Failure> {
        let networks = self.network.iter().map(|network| ("--network", network.name.clone()));
        let images = self.images.iter().map(|images| ("--images", images.to_string()));
        refuse_repeated("--runs", networks.chain(images))
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
            seed: self.seed,
            runs: self.runs,
        }
    }

    fn show(&self, results: &Results) -> Result<(), Failure> {
        let cases = &results.file().cases;
        let shown = if self.markdown { bridge::markdown(cases) } else { bridge::text(cases) };
        output::tell(self.json.as_ref(), &shown)?;
        output::tell(self.json.as_ref(), &refusals(results))?;
        if results.path().exists() {
            output::tell(self.json.as_ref(), &format!("\nresult {}\n", results.path().display()))?;
        }
        self.json.as_ref().map_or(Ok(()), |json| write_copy(results, json))
    }
}

fn announce(cases: &[Case], number: usize) {
    let Case { spec, way } = &cases[number];
    let left: Duration = cases[number..].iter().map(Case::expected).sum();
    say(&format!(
        "case {} of {}: {}, images {}, {}, run {}, about {}:{:02} left",
        number + 1,
        cases.len(),
        spec.profile.name,
        spec.images,
        way.as_str(),
        spec.run,
        left.as_secs() / 60,
        left.as_secs() % 60
    ));
}
