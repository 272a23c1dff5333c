//! `tokkyu tune status` and `verify`: whether what was set still is.

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_tune::{Compared, Journals, repair, status};

use super::wanted::Device;
use crate::exit::{CODES, Done, Failure};
use crate::output;

const STATUS: &str = "\
Examples:
  tokkyu tune status --dev eth0
  tokkyu tune status --dev eth0 --json";

const VERIFY: &str = "\
Examples:
  tokkyu tune verify --dev eth0
  sudo tokkyu tune verify --dev eth0 --repair";

/// What was set, and what is there now.
#[derive(Debug, Args)]
#[command(after_help = STATUS)]
pub struct StatusOf {
    #[command(flatten)]
    device: Device,
}

/// Fail (1) unless everything is as it was set. After the link was down, interrupt threads are new and have the kernel's
/// priority: --repair sets that again.
#[derive(Debug, Args)]
#[command(after_help = VERIFY, after_long_help = format!("{VERIFY}\n\n{CODES}"))]
pub struct Verify {
    #[command(flatten)]
    device: Device,
    /// Set again what is not
    #[arg(long)]
    repair: bool,
}

impl StatusOf {
    pub fn run(self) -> Done {
        tell(&self.device)?;
        Ok(ExitCode::Ok)
    }
}

impl Verify {
    pub fn run(self) -> Done {
        if self.repair {
            for compared in repair(&self.device.device, &Journals::here())? {
                output::say(&format!("set again: {}", compared.entry.setting));
            }
        }
        let all = tell(&self.device)?;
        Ok(if all.iter().all(Compared::is_kept) { ExitCode::Ok } else { ExitCode::Failed })
    }
}

fn tell(device: &Device) -> Result<Vec<Compared>, Failure> {
    let all = status(&device.device, &Journals::here())?;
    device.json.show(&all.iter().map(line).collect::<String>(), &all)?;
    Ok(all)
}

fn line(compared: &Compared) -> String {
    let entry = &compared.entry;
    let now = match &compared.now {
        _ if compared.is_kept() => format!("kept ({})", entry.new),
        Some(now) => format!("changed: set to {}, now {now}", entry.new),
        None => "gone".to_owned(),
    };
    format!("{:<10} {}: {now}\n", entry.step.to_string(), entry.setting)
}
