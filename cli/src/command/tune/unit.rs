//! `tokkyu tune unit`: a unit for systemd that tunes at each start of the machine.

use clap::Args;
use tokkyu_drive::program::ExitCode;

use super::wanted::Wanted;
use crate::command::systemd::{self, absolute};
use crate::exit::Done;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  tokkyu tune unit --robot /etc/robot/robot.yaml --dev eth0 | sudo tee /etc/systemd/system/tokkyu-tune-eth0.service
  sudo systemctl enable --now tokkyu-tune-eth0
  sudo systemctl reload tokkyu-tune-eth0                       after the link was down";

/// Print a unit for systemd that does what tokkyu tune apply does with the same options, whenever the device comes, and takes it back when
/// the unit is stopped. The plan is made anew each time, from what the host is then.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Unit {
    #[command(flatten)]
    wanted: Wanted,
    /// Network device
    #[arg(long = "dev", value_name = "DEV")]
    device: String,
}

impl Unit {
    pub fn run(self) -> Done {
        // What is asked for is checked now, and not when the machine starts.
        self.wanted.wish()?;
        let device = &self.device;
        let command = |word: &str| ["tune", word, "--dev", device].map(str::to_owned).to_vec();
        let unit = systemd::Unit {
            description: format!("Ethernet path of {device}, by tokkyu tune"),
            device,
            start: [command("apply"), self.wanted.arguments(absolute)?].concat(),
            reload: Some([command("verify"), vec!["--repair".to_owned()]].concat()),
            stop: command("revert"),
        };
        output::print(&unit.text()?)?;
        Ok(ExitCode::Ok)
    }
}
