//! `tokkyu board top`: what a board's processors are used for, while it runs.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use tokkyu_drive::program::{ExitCode, StopFlag};

use super::beside::{Beside, is_for_secure};
use super::both::Both;
use super::shares::Shares;
use super::watched::Which;
use crate::exit::{Done, Failure};
use crate::output::Json;

const LOOK: Duration = Duration::from_millis(50);
/// Until the RTOS of two systems has begun, as a rule: the first table is of what comes then.
const BEGUN: Duration = Duration::from_secs(1);

/// Run an image on a board and show, every few seconds, what each task has of its processor.
///
/// It is of the time that the newest 4096 records of each processor cover. Ctrl-C ends the board.
///
/// An image for secure EL1 (feature `secure` of tokkyu-rtos-aarch64) is started with a Linux beside it, as `board run` does, without a
/// terminal. A table has for each processor, of the time since the one before: the RTOS's share; Linux's in user mode, in the kernel, and
/// idle; of the RTOS's tasks that are at home there, activations, those begun elsewhere, those missed, how late they began (mean), the latest
/// since the start, and how often the processor's budget was used up. "-" is not known: for its shares Linux has to tell what it counts
/// (`companion count`).
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tokkyu board top examples/rtos-camera\n  \
    tokkyu board top rover --every 1 --times 5 --json\n  \
    tokkyu board top examples/dualos --processors 2 --quiet\n  \
    tokkyu board top examples/dualos --kernel Image --initrd initrd --every 5 2>words.log")]
pub struct Top {
    #[command(flatten)]
    which: Which,
    /// Seconds between two tables
    #[arg(long, value_name = "S", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// So many tables; without, until Ctrl-C
    #[arg(long, value_name = "N")]
    times: Option<u64>,
    #[command(flatten)]
    json: Json,
    /// With Linux beside the image: its words and the RTOS's go nowhere, in place of standard error
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    beside: Beside,
}

impl Top {
    pub fn run(&self, stop: &StopFlag) -> Done {
        let image = self.which.build()?;
        match is_for_secure(&image)? {
            true => self.show_systems(&image, stop),
            false => self.show_tasks(&image, stop),
        }
    }

    /// Of an image that has the machine to itself.
    fn show_tasks(&self, image: &Path, stop: &StopFlag) -> Done {
        self.beside.refuse_for(image)?;
        if self.quiet {
            let image = image.display();
            return Err(Failure::usage(format_args!(
                "{image}: has the machine to itself: --quiet is for an image beside Linux"
            )));
        }
        let mut board = self.which.start(image)?;
        let mut shown = 0;
        while self.is_wanted(shown) {
            if let Some(ended) = wait(self.every(), stop, || board.has_ended()) {
                return Ok(ended);
            }
            if let Some(timeline) = board.look()? {
                self.json.show(&timeline.table(), &timeline.to_json())?;
                shown += 1;
            }
        }
        Ok(ExitCode::Ok)
    }

    /// Of an image with Linux beside it.
    fn show_systems(&self, image: &Path, stop: &StopFlag) -> Done {
        if !self.which.set.is_empty() {
            return Err(Failure::usage("--set is for robot nodes, which an image beside Linux has none of"));
        }
        let processors = self.which.processors;
        let mut machine = Both::start(&self.beside, image, processors, self.quiet)?;
        if let Some(ended) = wait(BEGUN, stop, || machine.has_ended()) {
            return Ok(ended);
        }
        let mut before = machine.look()?;
        let mut shown = 0;
        while self.is_wanted(shown) {
            if let Some(ended) = wait(self.every(), stop, || machine.has_ended()) {
                return Ok(ended);
            }
            let now = machine.look()?;
            let shares = Shares::between(&before, &now, processors as usize);
            self.json.show(&shares.table(), &shares.to_json())?;
            before = now;
            shown += 1;
        }
        Ok(ExitCode::Ok)
    }

    fn every(&self) -> Duration {
        Duration::from_secs(self.every)
    }

    fn is_wanted(&self, shown: u64) -> bool {
        self.times.is_none_or(|times| shown < times)
    }
}

/// Until the next table is due, or what ends it all.
fn wait(for_so_long: Duration, stop: &StopFlag, mut has_ended: impl FnMut() -> bool) -> Option<ExitCode> {
    let until = Instant::now() + for_so_long;
    while Instant::now() < until {
        match (stop.is_set(), has_ended()) {
            (true, _) => return Some(ExitCode::Interrupted),
            (false, true) => return Some(ExitCode::Ok),
            _ => sleep(LOOK),
        }
    }
    None
}
