//! `tokkyu lab lbe`: what a foreground feels of an upload beside it.

use clap::{Args, value_parser};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::board::{KERNELS, Kernel, boards_folder};
use tokkyu_lab::lbe::{Background, Boards, Found, Scheme, Study};
use tokkyu_lab::study::Share;
use tokkyu_measure::lbe::compare;
use tokkyu_measure::report::Lbe;

use super::options::{Options, refuse_repeated};
use super::run::{Run, Went, board_failure};
use super::tell::{Teller, Told};
use crate::exit::{CODES, Done, Failure};
use crate::output::say;

/// Rounds of everything.
const RUNS: u32 = 20;

const EXAMPLES: &str = "\
Examples:
  tokkyu lab lbe                                                 (every scheme; it tells how long it will take)
  tokkyu lab lbe --schemes none,pfifo,lbe --backgrounds tcp8 --sizes 20,100 --runs 5
  tokkyu lab lbe --kernel 6.12 --json lbe.json --markdown";

/// Measure what a foreground feels of an upload beside it: HTTP requests, computation and single packets over a slow
/// uplink, under lbe, under what it is compared to, and alone.
///
/// Each scheme runs on a virtual board with a real Debian kernel, beside each background. Time is virtual: it moves with the
/// instructions executed, so what else this machine does changes no figure. Near and far end are one board, joined by a pair
/// of devices with 384 kbit/s up, 1 Mbit/s down and 50 ms each way, for the W-CDMA of the paper it follows; computation is over 20
/// Mbit/s, where packets cost something. Every request has a random phase.
///
/// The folder gets the result and report.html: goals, what the paper says beside what was measured, a plot for each of its
/// figures, and all tables. Goals are judged by 20 rounds or more.
///
/// Kernels and modules come from linux/build, which ./tokkyu calls; QEMU is needed, rights are not.
///
/// Fails (1) if a board's figures may not be believed. A goal that is missed is a result, not a failure.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct LabLbe {
    /// Schemes, comma between them; all if not given
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = |word: &str| word.parse::<Scheme>())]
    schemes: Vec<Scheme>,
    /// Backgrounds, comma between them: tcp1 to tcp64 (flows), udp1
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "tcp1,tcp8,udp1",
        value_parser = |word: &str| word.parse::<Background>()
    )]
    backgrounds: Vec<Background>,
    /// Sizes of the requests in KB, comma between them
    #[arg(
        long,
        value_name = "KB",
        value_delimiter = ',',
        default_value = "1,20,100",
        value_parser = value_parser!(u64).range(1..=10_000)
    )]
    sizes: Vec<u64>,
    /// Kernel of the boards
    #[arg(long, value_name = "VERSION", default_value = KERNELS[0], value_parser = KERNELS)]
    kernel: String,
    #[command(flatten)]
    options: Options,
}

impl LabLbe {
    pub fn run(self, stop: &StopFlag) -> Done {
        self.check_repeated()?;
        let kernel = Kernel::find(&boards_folder(), &self.kernel).map_err(board_failure)?;
        let cells = self.study().cells();
        // A few cells are in the machine's time, and run alone; all others do not mind.
        let Some(run) = Run::begin::<Lbe>(&self.options, Share::Virtual, stop)? else {
            return Ok(ExitCode::Interrupted);
        };
        say(&format!("{} boards with Linux {kernel}, some at a time", cells.len()));
        let stage = Boards { kernel };
        let mut teller = Teller::new(&stage, true, |found: &Found| match &found.cases {
            Ok(_) => Told::Done,
            Err(fault) => Told::Failed(vec![fault.clone()]),
        });
        let found = run.cells(&stage, &cells, &mut teller).map_err(board_failure)?;
        let mut file = run.file::<Lbe>();
        file.faults = found.iter().filter_map(Found::fault).collect();
        file.cases = found.into_iter().filter_map(|found| found.cases.ok()).flatten().collect();
        compare(&mut file.cases);
        let went = Went { failed: teller.failed, ..Went::default() };
        run.finish::<Lbe>(file, went, |_| None)
    }

    fn check_repeated(&self) -> Result<(), Failure> {
        let schemes = self.schemes.iter().map(|scheme| ("--schemes", scheme.to_string()));
        let backgrounds = self.backgrounds.iter().map(|background| ("--backgrounds", background.to_string()));
        let sizes = self.sizes.iter().map(|kilobytes| ("--sizes", kilobytes.to_string()));
        refuse_repeated(schemes.chain(backgrounds).chain(sizes))
    }

    fn study(&self) -> Study {
        Study {
            schemes: if self.schemes.is_empty() { Scheme::all().collect() } else { self.schemes.clone() },
            backgrounds: self.backgrounds.clone(),
            sizes: self.sizes.iter().map(|kilobytes| kilobytes * 1_000).collect(),
            repeats: self.options.runs.unwrap_or(RUNS),
            seed: self.options.seed,
        }
    }
}
