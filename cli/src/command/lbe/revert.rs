//! `tokkyu lbe revert`: devices as they were before `tokkyu lbe tune`.

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_lbe::{Records, Untune, foresee_untune, refresh, untune};

use super::devices::Devices;
use crate::exit::Done;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  sudo tokkyu lbe revert                                the devices of the default routes
  sudo tokkyu lbe revert --dev eth0
  sudo tokkyu lbe revert --dry-run                      what would be done; changes nothing";

/// Restore the queueing disciplines (qdiscs) of devices that `tokkyu lbe tune` has set up.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Revert {
    #[command(flatten)]
    devices: Devices,
    /// Only say what would be restored; change nothing
    #[arg(long)]
    dry_run: bool,
}

impl Revert {
    pub fn run(self) -> Done {
        let records = Records::here();
        let devices = self.devices.find()?;
        if self.dry_run {
            for device in &devices {
                let what = match foresee_untune(device, &records)? {
                    Untune::Remove => "its qdisc would be removed",
                    Untune::Forget => {
                        "its qdisc is gone already; what is written down of it would be forgotten"
                    }
                };
                output::print(&format!("{device}: {what}\n"))?;
            }
            return Ok(ExitCode::Ok);
        }
        let turn = records.lock()?;
        for device in &devices {
            untune(device, &records)?;
            output::print(&format!("{device}: as it was\n"))?;
        }
        refresh(&records)?;
        drop(turn);
        Ok(ExitCode::Ok)
    }
}
