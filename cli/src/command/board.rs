//! `tokkyu board`: images of robot nodes for boards without an operating system.

mod beside;
mod both;
mod budgets;
mod build;
mod machine;
mod new;
mod publications;
mod qmp;
mod records;
mod run;
mod shares;
mod size;
mod timeline;
mod top;
mod trace;
mod watched;

use clap::Subcommand;
use tokkyu_drive::program::StopFlag;

use crate::exit::Done;

#[derive(Debug, Subcommand)]
pub enum Board {
    Run(run::Run),
    New(new::New),
    Size(size::Size),
    Trace(trace::Trace),
    Top(top::Top),
}

impl Board {
    pub fn run(self, stop: &StopFlag) -> Done {
        match self {
            Board::Run(run) => run.run(stop),
            Board::New(new) => new.run(),
            Board::Size(size) => size.run(),
            Board::Trace(trace) => trace.run(stop),
            Board::Top(top) => top.run(stop),
        }
    }
}
