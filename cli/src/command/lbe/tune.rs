//! `tokkyu lbe tune`: a device that holds background packets back, for good.

use clap::Args;
use tokkyu_contract::yaml::Robot;
use tokkyu_drive::program::ExitCode;
use tokkyu_lbe::{
    Owner, Records, Tuned, device_status, foresee, foresee_declared, refresh, set_up_declared, tune, untune,
};

use super::devices::Devices;
use super::wish::Wish;
use crate::exit::{Done, Failure};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  sudo tokkyu lbe tune                                  the devices of the default routes
  sudo tokkyu lbe tune --dev wwan0 --robot robot.yaml   and the background flows that are declared
  sudo tokkyu lbe tune --dev eth0 --max-hold 0 --receive    the paper's rules: held as long as others compute, both ways
  sudo tokkyu lbe tune --dev eth0 --way htb --rate 4Mbit/s  without the module
  sudo tokkyu lbe tune --dev wwan0 --dry-run            what would be done; changes nothing
  sudo tokkyu lbe revert --dev eth0                     as it was";

/// Set devices up so that background packets wait for all others, until `tokkyu lbe revert` or the next start of the machine.
///
/// Called again it changes what is named and leaves the rest.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Tune {
    #[command(flatten)]
    devices: Devices,
    /// The older word for `tokkyu lbe revert`
    #[arg(long, hide = true, conflicts_with_all = ["robot", "way", "rate", "replace", "max_hold", "device_queue", "budget", "limit", "receive"])]
    off: bool,
    #[command(flatten)]
    wish: Wish,
    /// Only say what would be done; change nothing
    #[arg(long, conflicts_with = "off")]
    dry_run: bool,
}

impl Tune {
    pub fn run(self) -> Done {
        let records = Records::here();
        let devices = self.devices.find()?;
        let robot = self.wish.robot()?;
        if self.dry_run {
            self.foresee(&devices, robot.as_ref(), &records)?;
            return Ok(ExitCode::Ok);
        }
        let turn = records.lock()?;
        for device in &devices {
            if self.off {
                untune(device, &records)?;
                output::print(&format!("{device}: as it was\n"))?;
            } else {
                self.tune(device, &records)?;
            }
        }
        refresh(&records)?;
        if let Some(robot) = &robot {
            let mut lines = String::new();
            let done = set_up_declared(robot, &records, &mut |line| lines += &format!("{line}\n"));
            output::print(&lines)?;
            done?;
        }
        drop(turn);
        Ok(ExitCode::Ok)
    }

    fn foresee(&self, devices: &[String], robot: Option<&Robot>, records: &Records) -> Result<(), Failure> {
        for device in devices {
            let planned = foresee(device, &self.wish.wanted(), records)?;
            output::print(&format!("{device}: would be set up, {}", in_words(&planned)))?;
        }
        for line in robot.map(foresee_declared).unwrap_or_default() {
            output::print(&format!("{line}: would be background\n"))?;
        }
        Ok(())
    }

    fn tune(&self, device: &str, records: &Records) -> Result<(), Failure> {
        let tuned = tune(device, &self.wish.wanted(), Owner::Tune, records)?;
        output::print(&format!("{device}: {}", in_words(&tuned)))?;
        let status = device_status(device, records)
            .map_err(|error| Failure::new(ExitCode::Failed, format_args!("{device}: {error}")))?;
        match status.way {
            Some(found) if found == tuned.way => Ok(()),
            _ => Err(Failure::new(
                ExitCode::Failed,
                format_args!("{device}: the qdisc is gone again, somebody else sets it up"),
            )),
        }
    }
}

/// Which way, and a line for each note.
fn in_words(tuned: &Tuned) -> String {
    let there = if tuned.was_there { ", was there" } else { "" };
    let notes: String = tuned.notes.iter().map(|note| format!("  note: {note}\n")).collect();
    format!("way {}{there}\n{notes}", tuned.way.as_str())
}
