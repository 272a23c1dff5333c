//! `tokkyu tune apply`: does what is planned.

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_tune::{Journal, Journals, apply, find};

use super::plan;
use super::wanted::{Device, Wanted};
use crate::exit::{CODES, Done};

const EXAMPLES: &str = "\
Examples:
  sudo tokkyu tune apply --robot robot.yaml --dev eth0
  sudo tokkyu tune apply --robot robot.yaml --dev eth0 --only gso,bql
  sudo tokkyu tune apply --robot robot.yaml --dev eth0 --dry-run";

/// Do what tokkyu tune plan says, each value read back. What was before is written down first, so that tokkyu tune revert works after a
/// crash; if a change fails, those before it are taken back.
///
/// It lasts until the machine is started again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}\n\n{CODES}"))]
pub struct Apply {
    #[command(flatten)]
    device: Device,
    #[command(flatten)]
    wanted: Wanted,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
}

impl Apply {
    pub fn run(self) -> Done {
        let wish = self.wanted.wish()?;
        if self.dry_run {
            plan::tell(&self.device, &wish)?;
            return Ok(ExitCode::Ok);
        }
        let finding = find(&self.device.device, &wish)?;
        let journal = apply(&finding, &Journals::here())?;
        self.device.json.show(&text(&journal), &journal)?;
        Ok(ExitCode::Ok)
    }
}

fn text(journal: &Journal) -> String {
    if journal.entries.is_empty() {
        return format!("{}: nothing to do; tokkyu tune plan says why\n", journal.device);
    }
    let lines = journal.entries.iter();
    lines
        .map(|entry| {
            format!("{:<10} {}: {} -> {}\n", entry.step.to_string(), entry.setting, entry.old, entry.new)
        })
        .collect()
}
