//! `tokkyu board top`: which task has which processor, while a board runs.

use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use tokkyu_drive::program::{ExitCode, StopFlag};

use super::watched::{Watched, Which};
use crate::exit::Done;
use crate::output::Json;

const LOOK: Duration = Duration::from_millis(50);

/// Run an image on a board and show, every few seconds, what each task has of its processor.
///
/// It is of the time that the newest 4096 records of each processor cover. Ctrl-C ends the board.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  tokkyu board top examples/rtos-camera\n  tokkyu board top rover --every 1 --times 5 --json"
)]
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
}

impl Top {
    pub fn run(&self, stop: &StopFlag) -> Done {
        let mut board = self.which.start()?;
        let mut shown = 0;
        while self.times.is_none_or(|times| shown < times) {
            if let Some(ended) = self.wait(&mut board, stop) {
                return Ok(ended);
            }
            if let Some(timeline) = board.look()? {
                self.json.show(&timeline.table(), &timeline.to_json())?;
                shown += 1;
            }
        }
        Ok(ExitCode::Ok)
    }

    /// Until the next table is due, or what ends it all.
    fn wait(&self, board: &mut Watched, stop: &StopFlag) -> Option<ExitCode> {
        let until = Instant::now() + Duration::from_secs(self.every);
        while Instant::now() < until {
            match (stop.is_set(), board.has_ended()) {
                (true, _) => return Some(ExitCode::Interrupted),
                (false, true) => return Some(ExitCode::Ok),
                _ => sleep(LOOK),
            }
        }
        None
    }
}
