//! `tokkyu lbe unit`: a unit for systemd that sets a device up at each start of the machine (LBE-107).

use clap::Args;
use tokkyu_drive::program::ExitCode;
use tokkyu_lbe::{TuneError, Way};

use super::wish::Wish;
use crate::command::systemd::{self, absolute};
use crate::exit::Done;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  tokkyu lbe unit --dev wwan0 --robot /etc/robot/robot.yaml | sudo tee /etc/systemd/system/tokkyu-lbe-wwan0.service
  sudo systemctl enable --now tokkyu-lbe-wwan0";

/// Print a systemd unit that does what `tokkyu lbe tune` does with the same options whenever the device appears, and reverts it
/// when the unit is stopped.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Unit {
    /// Network device
    #[arg(long = "dev", value_name = "DEV")]
    device: String,
    #[command(flatten)]
    wish: Wish,
}

impl Unit {
    pub fn run(self) -> Done {
        // What is declared is read now: a mistake is told here, and not when the machine starts.
        self.wish.robot()?;
        let (device, wanted) = (&self.device, self.wish.wanted());
        if wanted.way == Some(Way::Htb) && wanted.rate.is_none() {
            return Err(TuneError::NoRate(device.clone()).into());
        }
        let command = |word: &str| ["lbe", word, "--dev", device].map(str::to_owned).to_vec();
        let unit = systemd::Unit {
            description: format!("Background traffic of {device} waits, by tokkyu lbe"),
            device,
            start: [command("tune"), self.wish.arguments(absolute)?].concat(),
            reload: None,
            stop: command("revert"),
        };
        output::print(&unit.text()?)?;
        Ok(ExitCode::Ok)
    }
}
