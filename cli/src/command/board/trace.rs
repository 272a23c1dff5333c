//! `tokkyu board trace`: a timeline of a board's tasks.

use std::fs;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use tokkyu_drive::program::{ExitCode, StopFlag};

use super::watched::Which;
use crate::exit::{Done, Failure};
use crate::output::{self, Json};

const LOOK: Duration = Duration::from_millis(50);

/// Run an image on a board and write down what its tasks do: a timeline for ui.perfetto.dev, and a table.
///
/// The newest 4096 records of each processor are in it: switches, interrupts, calls that concern other tasks, and
/// publications. The board stands still while its memory is read.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  tokkyu board trace examples/rtos-camera\n  \
    tokkyu board trace rover --seconds 10 --out rover.json")]
pub struct Trace {
    #[command(flatten)]
    which: Which,
    /// How long the board runs before
    #[arg(long, value_name = "S", default_value_t = 5)]
    seconds: u64,
    /// The timeline, as Chrome's trace events
    #[arg(long, value_name = "FILE", default_value = "trace.json")]
    out: PathBuf,
    #[command(flatten)]
    json: Json,
}

impl Trace {
    pub fn run(&self, stop: &StopFlag) -> Done {
        let mut board = self.which.start(&self.which.build()?)?;
        let until = Instant::now() + Duration::from_secs(self.seconds);
        while Instant::now() < until && !stop.is_set() && !board.has_ended() {
            sleep(LOOK);
        }
        if board.has_ended() {
            return Err(Failure::new(
                ExitCode::Failed,
                "the board has ended, its words say why; fewer --seconds?",
            ));
        }
        let Some(timeline) = board.look()? else {
            return Err(Failure::new(ExitCode::Failed, "the board has not begun; more --seconds?"));
        };
        drop(board);
        fs::write(&self.out, timeline.to_perfetto().to_string()).map_err(|error| {
            Failure::new(ExitCode::NotWritten, format_args!("{}: {error}", self.out.display()))
        })?;
        self.json.show(&timeline.table(), &timeline.to_json())?;
        output::say(&format!("{}: open it in ui.perfetto.dev", self.out.display()));
        Ok(if stop.is_set() { ExitCode::Interrupted } else { ExitCode::Ok })
    }
}
