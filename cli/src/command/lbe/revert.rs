//! `tokkyu lbe revert`: devices as they were before `tokkyu lbe tune`.

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_lbe::{Records, refresh, untune};

use super::devices::Devices;
use crate::exit::Done;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  sudo tokkyu lbe revert                                the devices of the default routes
  sudo tokkyu lbe revert --dev eth0";

/// Restore the queueing disciplines (qdiscs) of devices that `tokkyu lbe tune` has set up.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Revert {
    #[command(flatten)]
    devices: Devices,
}

impl Revert {
    pub fn run(self) -> Done {
        let records = Records::here();
        let devices = self.devices.find()?;
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
