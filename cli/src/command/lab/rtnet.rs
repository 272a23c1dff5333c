//! `tokkyu lab rtnet`: how regularly a board sends, and how soon it has an answer, beside bulk traffic.

use clap::{Args, value_parser};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::board::{Kernel, REALTIME_KERNELS, boards_folder};
use tokkyu_lab::rtnet::{self, Boards, Cell, Finding, Part, Study};
use tokkyu_lab::study::Share;
use tokkyu_measure::report::Rtnet;
use tokkyu_measure::rtnet::Load;

use super::options::{Options, refuse_repeated};
use super::run::{Run, Went, board_failure};
use super::tell::{Teller, Told};
use crate::exit::{CODES, Done, Failure};
use crate::output::say;

/// Repetitions; a worst needs 10 000 frames of all together.
const RUNS: u32 = 3;
/// Each seed begins with another phase of its traffic; so many there are.
const FIRST_RUNS: u32 = 1_000_000;

const EXAMPLES: &str = "\
Examples:
  tokkyu lab rtnet                                     (it tells how long it will take)
  tokkyu lab rtnet --parts tuned --loads send --samples 500 --runs 1
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
    #[arg(
        long = "samples",
        alias = "count",
        value_name = "N",
        default_value_t = 3_400,
        value_parser = value_parser!(u32).range(100..=1_000_000)
    )]
    count: u32,
    #[command(flatten)]
    options: Options,
}

impl LabRtnet {
    pub fn run(self, stop: &StopFlag) -> Done {
        self.check_repeated()?;
        let cells = self.cells()?;
        let Some(run) = Run::begin::<Rtnet>(&self.options, Share::Virtual, stop)? else {
            return Ok(ExitCode::Interrupted);
        };
        say(&format!("{} boards, some at a time", cells.len()));
        let mut teller = Teller::new(&Boards, true, |found: &Finding| match &found.run {
            Ok(_) => Told::Done,
            Err(fault) => Told::Failed(vec![fault.clone()]),
        });
        let findings = run.cells(&Boards, &cells, &mut teller).map_err(board_failure)?;
        let mut file = run.file::<Rtnet>();
        (file.cases, file.faults) = (rtnet::cases(&findings), rtnet::faults(&findings));
        let went = Went { failed: teller.failed, ..Went::default() };
        run.finish::<Rtnet>(file, went, |_| None)
    }

    fn check_repeated(&self) -> Result<(), Failure> {
        let kernels = self.kernels.iter().map(|kernel| ("--kernels", kernel.clone()));
        let loads = self.loads.iter().map(|load| ("--loads", load.to_string()));
        let parts = self.parts.iter().map(|part| ("--parts", part.to_string()));
        refuse_repeated(kernels.chain(loads).chain(parts))
    }

    /// All of one kernel before the next.
    fn cells(&self) -> Result<Vec<(Kernel, Cell)>, Failure> {
        let study = Study {
            parts: self.parts.clone(),
            loads: self.loads.clone(),
            runs: self.options.runs.unwrap_or(RUNS),
            first_run: u32::try_from(self.options.seed.wrapping_sub(1)).unwrap_or(u32::MAX) % FIRST_RUNS,
            count: self.count,
        };
        let mut all = Vec::new();
        for name in &self.kernels {
            let kernel = Kernel::find(&boards_folder(), name).map_err(board_failure)?;
            all.extend(study.cells().into_iter().map(|cell| (kernel.clone(), cell)));
        }
        Ok(all)
    }
}
