//! `tokkyu lab local`: how long a message takes from one node of a device to another, ours beside the rivals.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, value_parser};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::local::{
    self, Finding, Found, Judged, LocalError, Master, PEERS_ENVIRONMENT, Peer, Place, Size, Study, Watcher,
};
use tokkyu_measure::{Environment, Skipped, Sources};

use super::experiment::{free_result, refuse_repeated};
use crate::exit::{CODES, Done, Failure};
use crate::machine;
use crate::output::{self, JsonTo, say};

const EXAMPLES: &str = "\
Examples:
  tokkyu lab local                                     (everybody and all sizes; it tells how long it will take)
  tokkyu lab local --peers floor-futex,tokkyu-thread --samples 30 --rounds 100
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
    /// Rounds; a goal is met with at least 6, and the more there are the better ratios are told
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(1..=1_000))]
    rounds: u32,
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
    /// Folder for records and the result; results/drive-DATE-local if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write the result to this file, replacing it, or to standard output for -
    #[arg(long, value_name = "FILE", value_parser = |word: &str| Ok::<_, String>(JsonTo::from(word)))]
    json: Option<JsonTo>,
    /// Print the tables as Markdown
    #[arg(long)]
    markdown: bool,
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
        let root = self.out.clone().unwrap_or_else(|| machine::fresh_folder("local", machine::wall_now()));
        let path = free_result(&root)?;
        let peers_dir = self.peers_folder()?;
        let (found, skipped) = self.find(&peers_dir, stop)?;
        if stop.is_set() {
            return Ok(ExitCode::Interrupted);
        }
        let mut environment = machine::environment(machine::wall_now());
        let study = self.study(found, &mut environment);
        let awake = self.awake.then(keep_awake).transpose()?;
        announce(&study, &skipped, &local::doubts(&environment, awake.as_ref()));
        let folder = |source| failure(LocalError::Folder { path: root.clone(), source });
        std::fs::create_dir_all(&root).map_err(folder)?;
        let Some(master) = start_master(&study, &root, stop)? else { return Ok(ExitCode::Interrupted) };
        let place = Place { root: &root, peers: &peers_dir, master: master.as_ref() };
        let mut progress = Progress { begun: Instant::now(), failed: 0 };
        let (findings, rounds) =
            local::run(&study, &place, &mut progress, &|| stop.is_set()).map_err(failure)?;
        drop(master);
        Sources::default().complete(&mut environment);
        let notes = local::doubts(&environment, awake.as_ref());
        let command = machine::command_line();
        let judged = Judged::of(&command, environment, &findings, &rounds, skipped, &notes);
        self.show(&judged, &notes, &path, findings.is_empty())?;
        Ok(progress.exit_code(stop))
    }

    fn check_repeated(&self) -> Result<(), Failure> {
        let sizes = self.sizes.iter().map(|size| ("--sizes", size.to_string()));
        refuse_repeated("--rounds", sizes)
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
            rounds: self.rounds,
            period: Duration::from_micros(self.period_us),
            priority: if granted == Some(true) { self.priority } else { 0 },
        }
    }

    fn show(&self, judged: &Judged, notes: &[String], path: &Path, is_empty: bool) -> Result<(), Failure> {
        if is_empty {
            return Ok(());
        }
        judged.write(path)?;
        let Judged { cases, overload, .. } = judged;
        let shown =
            if self.markdown { local::markdown(cases, overload) } else { local::text(cases, overload) };
        output::tell(self.json.as_ref(), &shown)?;
        let notes: String = notes.iter().map(|note| format!("note: {note}\n")).collect();
        output::tell(self.json.as_ref(), &format!("\n{notes}"))?;
        output::tell(self.json.as_ref(), &format!("result {}\n", path.display()))?;
        self.json.as_ref().map_or(Ok(()), |json| json.write(judged.value()))
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

fn minutes(time: Duration) -> String {
    format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
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
        LocalError::Busy { .. } => ExitCode::NotPossible,
        LocalError::Start { .. } | LocalError::Master(_) => ExitCode::Failed,
    };
    Failure::new(code, error)
}

/// What is told of each cell, and how many of them failed.
struct Progress {
    begun: Instant,
    failed: u32,
}

impl Progress {
    fn exit_code(&self, stop: &StopFlag) -> ExitCode {
        match (stop.is_set(), self.failed) {
            (true, _) => ExitCode::Interrupted,
            (false, 0) => ExitCode::Ok,
            (false, _) => ExitCode::Failed,
        }
    }
}

impl Watcher for Progress {
    fn on_over(&mut self, number: usize, of: usize, finding: &Finding) {
        let left = self.begun.elapsed().mul_f64((of - number) as f64 / number as f64);
        let cell = &finding.cell;
        let outcome = match &finding.measured {
            Ok(measured) => {
                let p50_us = measured.figures().percentile_ms(500).map(|ms| ms * 1e3);
                p50_us.map_or("nothing arrived".to_owned(), |us| format!("p50 {us:.1} µs"))
            }
            Err(fault) => {
                self.failed += 1;
                format!("INVALID: {fault}")
            }
        };
        let (peer, size, round) = (cell.peer(), cell.size, cell.round + 1);
        say(&format!(
            "{number} of {of}: round {round}, {peer}, {size}: {outcome}, about {} left",
            minutes(left)
        ));
    }
}
