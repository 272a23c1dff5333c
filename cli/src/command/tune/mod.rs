//! `tokkyu tune`: the kernel's Ethernet path of a device, one file for each command.

mod apply;
mod plan;
mod revert;
mod status;
mod trial;
mod unit;
mod wanted;

use clap::Subcommand;
use tokkyu_drive::program::{ExitCode, StopFlag};
use tokkyu_tune::TuneError;

use crate::exit::{Done, Failure};

const EXAMPLES: &str = "\
Examples:
  tokkyu tune plan --robot robot.yaml --dev eth0               what is, what would be done, and why; changes nothing
  sudo tokkyu tune apply --robot robot.yaml --dev eth0         do it, and read every value back
  sudo tokkyu tune status --dev eth0                           what was set, and what is there now
  sudo tokkyu tune verify --dev eth0 --repair                  set again what is not, as after the link was down
  sudo tokkyu tune revert --dev eth0                           as it was
  sudo tokkyu tune try --robot robot.yaml --dev eth0 --to 192.168.7.2 --far 'ssh robot@192.168.7.2' --load send
                                                               measure before, with it, and before; keep it or not
  tokkyu tune unit --robot /etc/tokkyu/robot.yaml --dev eth0   a unit for systemd that does it at each start";

#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum Tune {
    Plan(plan::PlanOf),
    Apply(apply::Apply),
    Status(status::StatusOf),
    Verify(status::Verify),
    Revert(revert::Revert),
    Try(trial::Try),
    Unit(unit::Unit),
}

impl Tune {
    pub fn run(self, stop: &StopFlag) -> Done {
        match self {
            Tune::Try(trial) => trial.run(stop),
            Tune::Unit(unit) => unit.run(),
            Tune::Plan(plan) => plan.run(),
            Tune::Apply(apply) => apply.run(),
            Tune::Status(status) => status.run(),
            Tune::Verify(verify) => verify.run(),
            Tune::Revert(revert) => revert.run(),
        }
    }
}

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Failure {
        let code = match &error {
            TuneError::NoDevice(_)
            | TuneError::Tuned(_)
            | TuneError::NotTuned(_)
            | TuneError::Damaged { .. } => ExitCode::Usage,
            TuneError::Busy | TuneError::Unsafe(_) | TuneError::OtherDevice { .. } => ExitCode::NotPossible,
            TuneError::Setting { .. } | TuneError::NotKept { .. } => ExitCode::NotPossible,
            TuneError::Journal { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
                ExitCode::NotPossible
            }
            TuneError::Journal { .. } => ExitCode::NotWritten,
        };
        Failure::new(code, error)
    }
}
