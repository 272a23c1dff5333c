//! `tokkyu board`: images of robot nodes for boards without an operating system.

mod build;
mod machine;
mod new;
mod run;
mod size;

use clap::Subcommand;
use tokkyu_drive::program::StopFlag;

use crate::exit::Done;

#[derive(Debug, Subcommand)]
pub enum Board {
    Run(run::Run),
    New(new::New),
    Size(size::Size),
}

impl Board {
    pub fn run(self, stop: &StopFlag) -> Done {
        match self {
            Board::Run(run) => run.run(stop),
            Board::New(new) => new.run(),
            Board::Size(size) => size.run(),
        }
    }
}
