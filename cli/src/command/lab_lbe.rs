//! `tokkyu lab lbe`: what a foreground feels of an upload beside it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use clap::{Args, value_parser};
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lab::board::{BoardError, KERNELS, Kernel, Outcome, boards_folder};
use tokkyu_lab::lbe::{self, Background, Cell, EXPERIMENT, Scheme, Study};
use tokkyu_measure::lbe::{Judged, LbeCase, compare, markdown, text};
use tokkyu_measure::{ResultFile, Sources};

use super::boards::{Countdown, failure};
use super::experiment::{free_result, refuse_repeated};
use super::report;
use crate::exit::{CODES, Done, Failure};
use crate::machine;
use crate::output::{self, JsonTo, say};

const EXAMPLES: &str = "\
Examples:
  tokkyu lab lbe                                                 (every scheme; it tells how long it will take)
  tokkyu lab lbe --schemes none,pfifo,lbe --backgrounds tcp8 --sizes 20,100 --repeats 5
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
    /// Rounds of everything
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(1..=1_000))]
    repeats: u32,
    /// Kernel of the boards
    #[arg(long, value_name = "VERSION", default_value = KERNELS[0], value_parser = KERNELS)]
    kernel: String,
    /// Seed of the pauses between requests
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the boards' consoles and the result; results/drive-DATE-lbe if not given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write the result to this file, replacing it, or to standard output for -
    #[arg(long, value_name = "FILE", value_parser = |word: &str| Ok::<_, String>(JsonTo::from(word)))]
    json: Option<JsonTo>,
    /// Print the tables as Markdown
    #[arg(long)]
    markdown: bool,
}

impl LabLbe {
    pub fn run(self, stop: &StopFlag) -> Done {
        self.check_repeated()?;
        let kernel = Kernel::find(&boards_folder(), &self.kernel).map_err(failure)?;
        let root = self.out.clone().unwrap_or_else(|| machine::fresh_folder("lbe", machine::wall_now()));
        let path = free_result(&root)?;
        let environment = machine::environment(machine::wall_now());
        let mut file = ResultFile::new(EXPERIMENT, &machine::command_line(), environment, Vec::new());
        let cells = self.study().cells();
        say(&format!("{} boards with Linux {kernel}, some at a time", cells.len()));
        let mut progress = Progress::new(cells.len());
        let mut found: Vec<Vec<LbeCase>> = vec![Vec::new(); cells.len()];
        let broken = AtomicBool::new(false);
        let mut on_over = |cell: &Cell, outcome: Result<Outcome, BoardError>| {
            let number = cells.iter().position(|known| known == cell).unwrap_or_default();
            found[number] = progress.on_over(cell, outcome, &kernel);
            broken.fetch_or(progress.ended.is_some(), Ordering::Relaxed);
        };
        let at_once = available_parallelism().map_or(1, usize::from);
        lbe::run(&cells, &kernel, &root, at_once, &mut on_over, &|| {
            stop.is_set() || broken.load(Ordering::Relaxed)
        });
        if let Some(error) = progress.ended.take() {
            return Err(failure(error));
        }
        file.cases = found.concat();
        compare(&mut file.cases);
        Sources::default().complete(&mut file.environment);
        self.show(&file, &path)?;
        Ok(progress.exit_code(stop))
    }

    fn check_repeated(&self) -> Result<(), Failure> {
        let schemes = self.schemes.iter().map(|scheme| ("--schemes", scheme.to_string()));
        let backgrounds = self.backgrounds.iter().map(|background| ("--backgrounds", background.to_string()));
        let sizes = self.sizes.iter().map(|kilobytes| ("--sizes", kilobytes.to_string()));
        refuse_repeated("--repeats", schemes.chain(backgrounds).chain(sizes))
    }

    fn study(&self) -> Study {
        Study {
            schemes: if self.schemes.is_empty() { Scheme::all().collect() } else { self.schemes.clone() },
            backgrounds: self.backgrounds.clone(),
            sizes: self.sizes.iter().map(|kilobytes| kilobytes * 1_000).collect(),
            repeats: self.repeats,
            seed: self.seed,
        }
    }

    fn show(&self, file: &ResultFile<LbeCase>, path: &Path) -> Result<(), Failure> {
        if file.cases.is_empty() {
            return Ok(());
        }
        let judged = Judged::of(file);
        judged.write(path)?;
        let page = path.with_file_name("report.html");
        report::write_lbe(&page, file)?;
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

/// How far it is, and what of it is to be doubted.
struct Progress {
    countdown: Countdown,
    doubtful: usize,
    /// What no board can do without is missing.
    ended: Option<BoardError>,
}

impl Progress {
    fn new(of: usize) -> Progress {
        Progress { countdown: Countdown::new(of), doubtful: 0, ended: None }
    }

    /// The cases of a board that is over, if they may be believed.
    fn on_over(
        &mut self,
        cell: &Cell,
        outcome: Result<Outcome, BoardError>,
        kernel: &Kernel,
    ) -> Vec<LbeCase> {
        let cases = match outcome {
            Err(error) => {
                self.ended = Some(error);
                Vec::new()
            }
            Ok(outcome) => self.believed(cell, &outcome, kernel),
        };
        self.countdown.tell(&cell.to_string());
        cases
    }

    fn believed(&mut self, cell: &Cell, outcome: &Outcome, kernel: &Kernel) -> Vec<LbeCase> {
        match &outcome.fault {
            Some(fault) => {
                self.doubtful += 1;
                say(&format!("INVALID: {cell}: {fault}"));
                Vec::new()
            }
            None if outcome.stopped => Vec::new(),
            None => lbe::cases(cell, &kernel.release, outcome),
        }
    }

    fn exit_code(&self, stop: &StopFlag) -> ExitCode {
        match (stop.is_set(), self.doubtful) {
            (true, _) => ExitCode::Interrupted,
            (false, 0) => ExitCode::Ok,
            (false, _) => ExitCode::Failed,
        }
    }
}
