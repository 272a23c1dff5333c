//! `tokkyu tune revert`: as it was.

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_tune::{Journals, Reverted, Was, revert};

use super::wanted::Device;
use crate::exit::Done;

const EXAMPLES: &str = "\
Examples:
  sudo tokkyu tune revert --dev eth0
  sudo tokkyu tune revert --dev eth0 --json";

/// Give everything the value that it had before tokkyu tune apply; what somebody else has changed since is left, and told.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Revert {
    #[command(flatten)]
    device: Device,
}

impl Revert {
    pub fn run(self) -> Done {
        let all = revert(&self.device.device, &Journals::here())?;
        self.device.json.show(&all.iter().map(line).collect::<String>(), &all)?;
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
