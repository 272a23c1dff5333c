//! `tokkyu lab drive`: many cases of remote driving, one after the other.

use clap::{Args, value_parser};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::drive::{
    self, Algorithm, BESIDE_MAX, Drives, IMAGES_MAX, Onlooker, PeerRun, Pictures, Plan, Programs, Quality,
};
use tokkyu_lab::study::Share;
use tokkyu_link::sim::path::Profile;
use tokkyu_measure::report;

use super::super::words;
use super::drives::drives;
use super::options::{Options, refuse_repeated};
use super::peers::Peers;
use super::run::Run;
use crate::exit::{CODES, Done, Failure};
use crate::machine;
use crate::output::say;

/// Repetitions of each case.
const RUNS: u32 = 1;

const EXAMPLES: &str = "\
Examples:
  tokkyu lab drive --network lan,lan-loss5 --cameras 4 --qos 1,2,3,4,link --samples 300
  tokkyu lab drive --network wan-loss5 --qos link --runs 3 --json result.json --markdown
  tokkyu lab drive --network wan-burst5 --qos link --sim        (virtual time: no root, no processor time)
  tokkyu lab drive --network wan-loss1 --beside cubic,bbr --samples 100     (beside two bulk TCP flows)
  tokkyu lab drive --network lan,lan-loss5,wan,wan-loss1,wan-loss5 --peers all --runs 3     (others in our place)
  tokkyu lab drive --network wan-loss5 --peers tcp,srt --variants tuned --samples 100
  tokkyu lab drive --network trace:city.up --cameras 2";

/// Run cases of the paper's workload (374 kB pictures at 10 Hz, commands at 50 Hz) and print their figures.
///
/// Cases are networks × QoS × runs. QoS 1 to 4 are the paper's conditions: 1 reliable keep_last 10, 2 reliable
/// keep_last 1, 3 reliable keep_all, 4 best effort keep_last 1; `link` is reliable keep_last 10 with a lifespan of
/// 500 ms. A real run starts `tokkyu vehicle` and `tokkyu operator` in two network namespaces; each run has the next
/// seed. After every case the result file holds all cases so far.
///
/// With --peers the same drive is run with the programs of others in place of ours, on the same networks with the same
/// seeds and ticks, each network with us first, and without our commands: they send pictures alone. A peer runs the QoS that is asked for; one that it has not is left out and
/// told. For `link` it runs the same history (DDS: 1), or queues every picture (Zenoh, SRT messages, TCP: 3); live SRT has
/// one way alone. Peers are built by bench/peers/build, which ./tokkyu calls; one that is not there is skipped and listed.
/// The result has one table for each network, goals, report.html and comparison.md.
///
/// Fails (1) if the figures of a case may not be believed: a ledger does not close, the wire has a flaw, a program
/// failed. A requirement that is missed is a result, not a failure.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct LabDrive {
    /// Networks, comma between them
    #[arg(long, value_name = "NAME", value_delimiter = ',', required = true, value_parser = words::network)]
    network: Vec<Profile>,
    /// Cameras
    #[arg(
        long = "cameras",
        alias = "images",
        value_name = "N",
        default_value_t = IMAGES_MAX,
        value_parser = value_parser!(u32).range(1..=i64::from(IMAGES_MAX))
    )]
    images: u32,
    /// QoS of the cameras, comma between them: 1, 2, 3, 4, link
    #[arg(long, value_name = "QOS", value_delimiter = ',', default_value = "link", value_parser = words::quality)]
    qos: Vec<Quality>,
    /// Bulk TCP flows that send as much as they can over the same network, in the images' direction: congestion
    /// controls of this kernel such as cubic, bbr, reno, comma between them; a name given twice is two flows.
    /// They start a second after the first picture, at the latest with the first one that is measured.
    /// Needs the real network, not --sim
    #[arg(long, value_name = "ALGORITHM", value_delimiter = ',', value_parser = words::algorithm)]
    beside: Vec<Algorithm>,
    #[command(flatten)]
    peers: Peers,
    /// Pictures of each camera that are measured
    #[arg(long, default_value_t = 300, value_parser = value_parser!(u32).range(1..=1_000_000))]
    samples: u32,
    /// Pictures of each camera before them, reported apart
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(0..=1_000_000))]
    warm_up: u32,
    /// Simulate in virtual time in place of real programs
    #[arg(long)]
    sim: bool,
    #[command(flatten)]
    options: Options,
}

impl LabDrive {
    /// Whether cases are run over the real wire.
    pub fn needs_wire(&self) -> bool {
        !self.sim
    }

    pub fn run(self, stop: &StopFlag) -> Done {
        self.peers.check_company(self.sim, !self.beside.is_empty())?;
        self.peers.check_pictures(self.samples, self.warm_up)?;
        self.check_beside()?;
        self.check_repeated()?;
        let (peers, skipped) = self.peers.find(self.network.first())?;
        let plan = self.plan(peers);
        skipped.iter().for_each(|peer| say(&format!("skipped: {peer}")));
        plan.left_out().iter().for_each(|line| say(line));
        let share = if self.sim { Share::Virtual } else { Share::Alone };
        let Some(run) = Run::begin::<report::Drive>(&self.options, share, stop)? else {
            return Ok(ExitCode::Interrupted);
        };
        if !self.sim {
            drive::doubts(&run.environment).iter().for_each(|doubt| say(&format!("note: {doubt}")));
        }
        let programs = Programs { tokkyu: machine::own_program()?, save: None };
        let stage = Drives::new(programs, self.sim, Onlooker(say));
        drives::<report::Drive, _>(&run, &stage, &plan.cases(), skipped)
    }

    /// Whether the flows beside can be had: asked before anything is begun.
    fn check_beside(&self) -> Result<(), Failure> {
        let count = self.beside.len();
        if self.sim && count > 0 {
            return Err(Failure::usage(
                "--beside with --sim: there is no TCP in the simulation; leave one of them out",
            ));
        }
        if count > BESIDE_MAX {
            return Err(Failure::usage(format_args!("--beside: {count} flows; give {BESIDE_MAX} at most")));
        }
        self.network.first().map_or(Ok(()), |network| Ok(drive::check_algorithms(&self.beside, network)?))
    }

    fn check_repeated(&self) -> Result<(), Failure> {
        let networks = self.network.iter().map(|network| ("--network", network.name.clone()));
        let qualities = self.qos.iter().map(|quality| ("--qos", quality.as_str().to_owned()));
        refuse_repeated(networks.chain(qualities).chain(self.peers.variants()))
    }

    fn plan(&self, peers: Vec<PeerRun>) -> Plan {
        Plan {
            networks: self.network.clone(),
            qualities: self.qos.clone(),
            images: self.images,
            pictures: Pictures::Dummy,
            beside: self.beside.clone(),
            peers,
            samples: self.samples,
            warm_up: self.warm_up,
            seed: self.options.seed,
            runs: self.options.runs.unwrap_or(RUNS),
        }
    }
}
