//! `tokkyu lbe`: programs, flows and devices in the background, one file for each command.

mod change;
mod devices;
mod revert;
mod run;
mod status;
mod tune;
mod unit;
mod verify;
mod wish;
mod words;

use clap::Subcommand;
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_lbe::{BackgroundError, DeclaredError, FlowsError, RecordError, RunError, TableError, TuneError};

use crate::exit::{Done, Failure};

const EXAMPLES: &str = "\
Examples:
  sudo tokkyu lbe run -- rclone sync /data remote:rover-7     upload with what is left, gone when anybody else needs it
  sudo tokkyu lbe run --user robot -- rsync -a bags/ depot:   the same, with that user's rights
  sudo tokkyu lbe tune --dev wwan0 --robot robot.yaml         for good, with the declared background flows
  tokkyu lbe unit --dev wwan0                                 a systemd unit that does it at each start
  tokkyu lbe status                                           devices, flows and programs, with counters
  sudo tokkyu lbe verify                                      proof, on this machine";

#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum Lbe {
    Run(run::Run),
    Tune(tune::Tune),
    Revert(revert::Revert),
    Unit(unit::Unit),
    Status(status::StatusOf),
    Add(change::Add),
    Remove(change::Remove),
    Verify(verify::Verify),
    /// What verify starts in the background
    #[command(hide = true, name = "send", after_help = "Example: none, tokkyu lbe verify calls it")]
    Send,
}

impl Lbe {
    pub fn run(self, stop: &StopFlag) -> Done {
        match self {
            Lbe::Run(run) => run.run(stop),
            Lbe::Tune(tune) => tune.run(),
            Lbe::Revert(revert) => revert.run(),
            Lbe::Unit(unit) => unit.run(),
            Lbe::Status(status) => status.run(),
            Lbe::Add(add) => add.run(),
            Lbe::Remove(remove) => remove.run(),
            Lbe::Verify(verify) => verify.run(),
            Lbe::Send => match tokkyu_lbe::send_packets() {
                Ok(()) => Ok(ExitCode::Ok),
                Err(error) => Err(Failure::new(ExitCode::Failed, error)),
            },
        }
    }
}

/// What needs rights or a module that are not there is not possible here; the rest failed.
fn not_possible(error: impl std::fmt::Display) -> Failure {
    Failure::new(ExitCode::NotPossible, error)
}

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Failure {
        match error {
            TuneError::NoRate(_) | TuneError::Occupied { .. } | TuneError::NotOurs(_) => {
                Failure::usage(error)
            }
            other => not_possible(other),
        }
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Failure {
        not_possible(error)
    }
}

impl From<BackgroundError> for Failure {
    fn from(error: BackgroundError) -> Failure {
        match error {
            BackgroundError::NotThere(_) | BackgroundError::Group(tokkyu_lbe::GroupError::NoGroup(..)) => {
                Failure::usage(error)
            }
            other => not_possible(other),
        }
    }
}

impl From<FlowsError> for Failure {
    fn from(error: FlowsError) -> Failure {
        match error {
            FlowsError::Table(TableError::Exists(_) | TableError::Absent(_)) => Failure::usage(error),
            FlowsError::Tune(error) => error.into(),
            other => not_possible(other),
        }
    }
}

impl From<DeclaredError> for Failure {
    fn from(error: DeclaredError) -> Failure {
        not_possible(error)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        match error {
            RunError::Background(error) => error.into(),
            RunError::Tune(error) => error.into(),
            RunError::Record(error) => error.into(),
            RunError::NoUser(_) => Failure::usage(error),
            // These have codes of their own: see the command.
            RunError::NotFound(_) | RunError::Start { .. } => not_possible(error),
        }
    }
}
