//! `tokkyu lab rtnet`: how regularly a board sends, and how soon it has an answer, beside bulk traffic.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use clap::{Args, value_parser};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::board::{BoardError, Kernel, REALTIME_KERNELS, boards_folder};
use tokkyu_lab::rtnet::{self, Cell, EXPERIMENT, Finding, Part, Study};
use tokkyu_measure::rtnet::{Judged, Load, RtnetCase, markdown, text};
use tokkyu_measure::{ResultFile, Sources};

use super::boards::{Countdown, failure};
use super::experiment::{free_result, refuse_repeated};
use super::report;
use crate::exit::{CODES, Done, Failure};
use crate::machine;
use crate::output::{self, JsonTo, say};

const EXAMPLES: &str = "\
Examples:
  tokkyu lab rtnet                                     (it tells how long it will take)
  tokkyu lab rtnet --parts tuned --loads send --count 500 --runs 1
  tokkyu lab rtnet --kernels 6.12-rt,backports-rt --parts matrix,softirq --json rtnet.json --markdown
  tokkyu lab rtnet --out rtnet                         (interrupted after an hour; then, to go on:)
  tokkyu lab rtnet --out rtnet --resume";

/// Measure how regularly a board sends and how soon it has an answer, beside bulk TCP: the experiment of the paper on
/// ksoftirqd's priority, on kernels of today.
///
/// Board and peer are one virtual machine with a real Debian kernel with PREEMPT_RT, joined by a pair of devices with 100 Mbit/s. Time
/// is virtual: it moves with the instructions executed, 1 to 4 ns each, so what else this machine does changes no figure. A thread of
/// SCHED_FIFO 10 sends 122 bytes every 10 ms, then answers what the peer asks, as in the paper.
///
/// The folder gets the result, report.html, and each board's console and samples.
///
/// Kernels and modules come from linux/build, which ./tokkyu calls; QEMU is needed, rights are not.
///
/// Fails (1) if a board's figures may not be believed. A goal that is missed is a result, not a failure.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct LabRtnet {
    /// Kernels, comma between them
    #[arg(long, value_name = "VERSION", value_delimiter = ',', default_value = REALTIME_KERNELS[0], value_parser = REALTIME_KERNELS)]
    kernels: Vec<String>,
    /// Bulk traffic, comma between them: none, send, receive
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "none,send,receive",
        value_parser = |word: &str| word.parse::<Load>()
    )]
    loads: Vec<Load>,
    /// Parts, comma between them: matrix (the paper's), softirq (the same with the driver's work in ksoftirqd), trace (the kernel's, of a
    /// few frames of those), tuned (the plan of tokkyu tune), ladder (what each step of it buys), cores (two cores, one port and two)
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "matrix,softirq,trace,tuned,ladder,cores",
        value_parser = |word: &str| word.parse::<Part>()
    )]
    parts: Vec<Part>,
    /// Frames, and round trips, of each run
    #[arg(long, default_value_t = 3_400, value_parser = value_parser!(u32).range(100..=1_000_000))]
    count: u32,
    /// Repetitions; a worst needs 10000 of all together
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(1..=100))]
    runs: u32,
    /// Folder for the result and what each board kept; results/drive-DATE-rtnet if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on in the folder of an earlier run: boards that it finished are not started again, unless a file or an option of theirs has
    /// changed since
    #[arg(long, requires = "out")]
    resume: bool,
    /// Also write the result to this file, replacing it, or to standard output for -
    #[arg(long, value_name = "FILE", value_parser = |word: &str| Ok::<_, String>(JsonTo::from(word)))]
    json: Option<JsonTo>,
    /// Print the tables as Markdown
    #[arg(long)]
    markdown: bool,
}

impl LabRtnet {
    pub fn run(self, stop: &StopFlag) -> Done {
        self.check_repeated()?;
        let cells = self.cells()?;
        let root = self.out.clone().unwrap_or_else(|| machine::fresh_folder("rtnet", machine::wall_now()));
        let path = if self.resume { root.join("result.json") } else { free_result(&root)? };
        let environment = machine::environment(machine::wall_now());
        let mut file = ResultFile::new(EXPERIMENT, &machine::command_line(), environment, Vec::new());
        say(&format!("{} boards, some at a time", cells.len()));
        let mut progress = Progress::new(cells.len());
        let broken = AtomicBool::new(false);
        let mut on_over = |cell: &Cell, finding: Result<Option<Finding>, BoardError>| {
            progress.on_over(cell, finding);
            broken.fetch_or(progress.ended.is_some(), Ordering::Relaxed);
        };
        let at_once = available_parallelism().map_or(1, usize::from);
        rtnet::run(&cells, &root, at_once, &mut on_over, &|| stop.is_set() || broken.load(Ordering::Relaxed));
        if let Some(error) = progress.ended.take() {
            return Err(failure(error));
        }
        file.cases = rtnet::cases(&progress.findings);
        Sources::default().complete(&mut file.environment);
        self.show(&file, &path)?;
        Ok(progress.exit_code(stop))
    }

    fn check_repeated(&self) -> Result<(), Failure> {
        let kernels = self.kernels.iter().map(|kernel| ("--kernels", kernel.clone()));
        let loads = self.loads.iter().map(|load| ("--loads", load.to_string()));
        let parts = self.parts.iter().map(|part| ("--parts", part.to_string()));
        refuse_repeated("--runs", kernels.chain(loads).chain(parts))
    }

    /// All of one kernel before the next.
    fn cells(&self) -> Result<Vec<(Kernel, Cell)>, Failure> {
        let study = Study {
            parts: self.parts.clone(),
            loads: self.loads.clone(),
            runs: self.runs,
            count: self.count,
        };
        let mut all = Vec::new();
        for name in &self.kernels {
            let kernel = Kernel::find(&boards_folder(), name).map_err(failure)?;
            all.extend(study.cells().into_iter().map(|cell| (kernel.clone(), cell)));
        }
        Ok(all)
    }

    fn show(&self, file: &ResultFile<RtnetCase>, path: &Path) -> Result<(), Failure> {
        if file.cases.is_empty() {
            return Ok(());
        }
        let judged = Judged::of(file);
        judged.write(path)?;
        let page = path.with_file_name("report.html");
        report::write_rtnet(&page, file)?;
        let shown = if self.markdown { markdown(&file.cases) } else { text(&file.cases) };
        output::tell(self.json.as_ref(), &shown)?;
        output::tell(self.json.as_ref(), &format!("\nresult {}\n", path.display()))?;
        output::tell(self.json.as_ref(), &format!("       {}\n", page.display()))?;
        let Some(json) = &self.json else { return Ok(()) };
        let value = serde_json::to_value(judged).map_err(|error| {
            Failure::new(ExitCode::NotWritten, format_args!("the result is no JSON: {error}"))
        })?;
        json.write(&value)
    }
}

/// What was found so far, and what of it is to be doubted.
struct Progress {
    countdown: Countdown,
    findings: Vec<Finding>,
    doubtful: usize,
    /// What no board can do without is missing.
    ended: Option<BoardError>,
}

impl Progress {
    fn new(of: usize) -> Progress {
        Progress { countdown: Countdown::new(of), findings: Vec::new(), doubtful: 0, ended: None }
    }

    fn on_over(&mut self, cell: &Cell, finding: Result<Option<Finding>, BoardError>) {
        match finding {
            Err(error) => self.ended = Some(error),
            Ok(None) => {}
            Ok(Some(finding)) => {
                if let Err(fault) = &finding.run {
                    self.doubtful += 1;
                    say(&format!("INVALID: {cell}: {fault}"));
                }
                self.findings.push(finding);
            }
        }
        self.countdown.tell(&cell.to_string());
    }

    fn exit_code(&self, stop: &StopFlag) -> ExitCode {
        match (stop.is_set(), self.doubtful) {
            (true, _) => ExitCode::Interrupted,
            (false, 0) => ExitCode::Ok,
            (false, _) => ExitCode::Failed,
        }
    }
}
