//! What the experiments on virtual boards share.

use std::time::Instant;

use tokkyu_drive::program::ExitCode;
use tokkyu_lab::board::BoardError;

use crate::exit::Failure;
use crate::output::say;

/// How many boards are over, and how long the rest will take.
pub struct Countdown {
    of: usize,
    over: usize,
    begun: Instant,
}

impl Countdown {
    pub fn new(of: usize) -> Countdown {
        Countdown { of, over: 0, begun: Instant::now() }
    }

    /// One more is over.
    pub fn tell(&mut self, what: &str) {
        self.over += 1;
        say(&format!("board {} of {}: {what}, about {} left", self.over, self.of, self.left()));
    }

    fn left(&self) -> String {
        let seconds = self.begun.elapsed().as_secs_f64() / self.over as f64 * (self.of - self.over) as f64;
        format!("{}:{:02}", seconds as u64 / 60, seconds as u64 % 60)
    }
}

/// What is missing on this machine is not possible here; the rest failed.
pub fn failure(error: BoardError) -> Failure {
    let code = match error {
        BoardError::Missing { .. }
        | BoardError::NoAgent { .. }
        | BoardError::NoLedbat { .. }
        | BoardError::NoProgram { .. } => ExitCode::NotPossible,
        BoardError::Folder { .. } => ExitCode::NotWritten,
        BoardError::Qemu(_) => ExitCode::Failed,
    };
    Failure::new(code, error)
}
