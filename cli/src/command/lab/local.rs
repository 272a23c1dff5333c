//! `tokkyu lab local`: how long a message takes from one node of a device to another, ours beside the rivals.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, value_parser};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::local::{self, Finding, Found, LocalError, Master, PEERS_ENVIRONMENT, Peer, Programs, Study};
use tokkyu_lab::study::Share;
use tokkyu_measure::local::Size;
use tokkyu_measure::report::Local;
use tokkyu_measure::{Environment, Skipped};

use super::options::{Options, refuse_repeated};
use super::run::{Run, Went};
use super::tell::{Teller, Told, minutes};
use crate::exit::{CODES, Done, Failure};
use crate::machine;
use crate::output::say;

/// Rounds: the more there are the better ratios are told.
const RUNS: u32 = 20;

const EXAMPLES: &str = "\
Examples:
  tokkyu lab local                                     (everybody and all sizes; it tells how long it will take)
  tokkyu lab local --peers floor-futex,tokkyu-thread --samples 30 --runs 100
  tokkyu lab local --peers tokkyu-tcpros,tokkyu-tcpros-subscriber,roscpp-tcp --sizes 64,3M --json local.json --markdown
  tokkyu lab local --awake                             (without what idle processors take to wake up)
  tokkyu lab local --peers tokkyu-overload --samples 2000 --out results/overload";

/// Measure the one-way latency of messages between nodes of one device: tokkyu beside roscpp, nodelets, iceoryx, iceoryx2, Cyclone
/// DDS, Fast DDS, and the floors that no middleware can be below.
///
/// Each round runs every peer with every size once, in an order of its own. A peer is a program of bench/local; what is not built is
/// built where the source tree is at hand, and who cannot be is listed as skipped, with its package. Both ends of all have
/// SCHED_FIFO where it is permitted. The p50 is the median of the rounds' medians; all samples are kept. Ratios are medians of the rounds'
/// ratios, with bounds in which they are with 95 chances of 100; a goal whose limit is between them is undecided, and more rounds tell it.
///
/// Fails (1) if a run of a peer failed or its figures may not be believed. A goal that is missed is a result, not a failure.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct LabLocal {
    /// Who is measured, comma between them; a wrong name lists them
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "all", value_parser = peers_named)]
    peers: Vec<PeersNamed>,
    /// Bytes of a message, comma between them; K and M are multiples of 1024
    #[arg(
        long,
        value_name = "BYTES",
        value_delimiter = ',',
        default_value = "64,4K,64K,256K,3M",
        value_parser = |word: &str| word.parse::<Size>()
    )]
    sizes: Vec<Size>,
    /// Samples of each peer and size in each round
    #[arg(long, default_value_t = 50, value_parser = value_parser!(u32).range(1..=100_000))]
    samples: u32,
    /// Samples before them, which are not recorded
    #[arg(long, default_value_t = 100, value_parser = value_parser!(u32).range(0..=10_000))]
    warm_up: u32,
    /// Microseconds from one sample to the next
    #[arg(long, default_value_t = 5_000, value_parser = value_parser!(u64).range(100..=10_000_000))]
    period_us: u64,
    /// SCHED_FIFO of both ends where it is permitted; 0: none
    #[arg(long, default_value_t = 10, value_parser = value_parser!(u8).range(0..=99))]
    priority: u8,
    /// Keep idle processors awake (/dev/cpu_dma_latency as cyclictest does, or busy threads; root): what is left is the way of the message itself
    #[arg(long)]
    awake: bool,
    /// Folder of the peers' programs; $TOKKYU_LOCAL_PEERS if not given, else local-peers beside the folder of this program
    #[arg(long, value_name = "DIR")]
    peers_dir: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

/// One or all of them.
#[derive(Clone, Debug)]
struct PeersNamed(Vec<Peer>);

fn peers_named(word: &str) -> Result<PeersNamed, local::UnknownPeer> {
    local::peers_named(word).map(PeersNamed)
}

impl LabLocal {
    pub fn run(self, stop: &StopFlag) -> Done {
        self.check_repeated()?;
        let peers_dir = self.peers_folder()?;
        let (found, skipped) = self.find(&peers_dir, stop)?;
        let Some(mut run) = Run::begin::<Local>(&self.options, Share::Alone, stop)? else {
            return Ok(ExitCode::Interrupted);
        };
        let study = self.study(found, &mut run.environment);
        let awake = self.awake.then(keep_awake).transpose()?;
        announce(&study, &skipped, &local::doubts(&run.environment, awake.as_ref()));
        let folder = |source| failure(LocalError::Folder { path: run.root.clone(), source });
        std::fs::create_dir_all(&run.root).map_err(folder)?;
        let Some(master) = start_master(&study, &run.root, stop)? else { return Ok(ExitCode::Interrupted) };
        let programs = Programs::new(&run.root, master.as_ref());
        let mut teller = Teller::new(&programs, false, told);
        let findings = run.cells(&programs, &study.all_cells(), &mut teller).map_err(failure)?;
        let went = Went { failed: teller.failed, ..Went::default() };
        drop(teller);
        drop(master);
        let mut file = run.file::<Local>().with_more(local::more(&findings));
        (file.cases, file.faults, file.skipped) =
            (local::cases(&findings), local::faults(&findings), skipped);
        file.notes = local::doubts(&run.environment_now(), awake.as_ref());
        run.finish::<Local>(file, went, |_| None)
    }

    fn check_repeated(&self) -> Result<(), Failure> {
        let sizes = self.sizes.iter().map(|size| ("--sizes", size.to_string()));
        refuse_repeated(sizes)
    }

    fn peers_folder(&self) -> Result<PathBuf, Failure> {
        let from_environment = || std::env::var_os(PEERS_ENVIRONMENT).map(PathBuf::from);
        let given = self.peers_dir.clone().or_else(from_environment);
        Ok(local::peers_folder(given, &machine::own_program()?))
    }

    /// Each once: `all,iceoryx` is all.
    fn asked(&self) -> Vec<Peer> {
        let mut asked: Vec<Peer> = Vec::new();
        for peer in self.peers.iter().flat_map(|PeersNamed(peers)| peers) {
            if !asked.contains(peer) {
                asked.push(*peer);
            }
        }
        asked
    }

    /// Who is there, once what can be built has been.
    fn find(&self, folder: &Path, stop: &StopFlag) -> Result<(Vec<Found>, Vec<Skipped>), Failure> {
        let asked = self.asked();
        let is_missing = |peer: &&Peer| !peer.program_in(folder).is_file();
        let missing: Vec<Peer> = asked.iter().filter(is_missing).copied().collect();
        if !missing.is_empty() {
            build(folder, &missing, stop)?;
        }
        let (found, skipped) = local::find_peers(folder, &asked, Master::find().is_some());
        match found.is_empty() && !stop.is_set() {
            true => Err(nobody(&skipped)),
            false => Ok((found, skipped)),
        }
    }

    /// With no priority where it would be refused: then all have none.
    fn study(&self, found: Vec<Found>, environment: &mut Environment) -> Study {
        let granted = (self.priority > 0).then(|| local::fifo_is_granted(self.priority));
        environment.sched_fifo = granted;
        Study {
            peers: found,
            sizes: self.sizes.clone(),
            samples: self.samples,
            warm_up: self.warm_up,
            rounds: self.options.runs.unwrap_or(RUNS),
            seed: self.options.seed,
            period: Duration::from_micros(self.period_us),
            priority: if granted == Some(true) { self.priority } else { 0 },
        }
    }
}

/// Where there is a source tree: that of this program, or the one that it was started in.
fn build(folder: &Path, missing: &[Peer], stop: &StopFlag) -> Result<(), Failure> {
    let here = std::env::current_dir().unwrap_or_default();
    let Some(sources) = local::find_sources([machine::own_program()?.as_path(), &here]) else {
        return Ok(());
    };
    let names: Vec<&str> = missing.iter().map(|peer| peer.as_str()).collect();
    say(&format!("building {} ...", names.join(", ")));
    local::build(&sources, folder, missing, &|| stop.is_set())
        .map_err(|error| Failure::new(ExitCode::Failed, format_args!("the peers' build: {error}")))
}

fn nobody(skipped: &[Skipped]) -> Failure {
    let absent: String = skipped.iter().map(|peer| format!("\n  {peer}")).collect();
    let remedy = "build them with bench/local/build, or say with --peers-dir where they are";
    Failure::new(ExitCode::NotPossible, format_args!("--peers: none of them is here; {remedy}{absent}"))
}

fn keep_awake() -> Result<local::Awake, Failure> {
    let told = |error| {
        format!(
            "--awake: {}: {error}; run it as root, or leave the processors as they are",
            local::DMA_LATENCY
        )
    };
    local::Awake::keep().map_err(|error| Failure::new(ExitCode::NotPossible, told(error)))
}

fn announce(study: &Study, skipped: &[Skipped], doubts: &[String]) {
    skipped.iter().for_each(|peer| say(&format!("skipped: {peer}")));
    doubts.iter().for_each(|doubt| say(&format!("note: {doubt}")));
    let (peers, sizes, rounds) = (study.peers.len(), study.sizes.len(), study.rounds);
    let time = minutes(study.expected());
    say(&format!("{peers} peers, {sizes} sizes, {rounds} rounds: about {time}"));
}

/// One, where somebody needs it. Nothing: it was interrupted.
fn start_master(study: &Study, root: &Path, stop: &StopFlag) -> Result<Option<Option<Master>>, Failure> {
    if !study.peers.iter().any(|found| found.peer.needs_master()) {
        return Ok(Some(None));
    }
    let master = Master::start(&local::ros_logs(root), &|| stop.is_set()).map_err(failure)?;
    Ok(master.map(Some))
}

fn failure(error: LocalError) -> Failure {
    let code = match error {
        LocalError::Folder { .. } => ExitCode::NotWritten,
        LocalError::Start { .. } | LocalError::Master(_) => ExitCode::Failed,
    };
    Failure::new(code, error)
}

fn told(finding: &Finding) -> Told {
    match &finding.measured {
        Ok(measured) => {
            let p50_us = measured.figures().percentile_ms(500).map(|ms| ms * 1e3);
            Told::Figure(p50_us.map_or("nothing arrived".to_owned(), |us| format!("p50 {us:.1} µs")))
        }
        Err(fault) => Told::Failed(vec![fault.clone()]),
    }
}
