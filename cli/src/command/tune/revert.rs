//! `tokkyu tune revert`: as it was.

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_tune::{Journals, Reverted, Was, foresee_revert, revert};

use super::wanted::Device;
use crate::exit::Done;

const EXAMPLES: &str = "\
Examples:
  sudo tokkyu tune revert --dev eth0
  sudo tokkyu tune revert --dev eth0 --dry-run
  sudo tokkyu tune revert --dev eth0 --json";

/// Give everything the value that it had before tokkyu tune apply; what somebody else has changed since is left, and told.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Revert {
    #[command(flatten)]
    device: Device,
    /// Only say what would be restored; change nothing
    #[arg(long)]
    dry_run: bool,
}

impl Revert {
    pub fn run(self) -> Done {
        let (device, journals) = (&self.device.device, Journals::here());
        let all = if self.dry_run { foresee_revert(device, &journals) } else { revert(device, &journals) }?;
        let head = if self.dry_run { "nothing is changed; tokkyu tune revert would do this:\n" } else { "" };
        self.device.json.show(&all.iter().map(line).fold(head.to_owned(), |all, line| all + &line), &all)?;
        Ok(ExitCode::Ok)
    }
}

fn line(reverted: &Reverted) -> String {
    let Reverted { setting, old, was } = reverted;
    match was {
        Was::Restored => format!("{setting}: {old} again\n"),
        Was::AsBefore => format!("{setting}: was {old} already\n"),
        Was::Changed(now) => format!("{setting}: left at {now}, which somebody else has set; it was {old}\n"),
        Was::Gone => format!("{setting}: is gone; it was {old}\n"),
        Was::Forgotten => format!("{setting}: forgotten when the machine was started\n"),
    }
}
