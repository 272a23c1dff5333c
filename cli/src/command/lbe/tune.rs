//! `tokkyu lbe tune`: a device that holds background packets back, for good.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tokkyu_contract::BitRate;
use tokkyu_contract::units::parse_duration;
use tokkyu_contract::yaml::robot;
use tokkyu_drive::program::ExitCode;
use tokkyu_lbe::{
    Auto, Owner, QdiscOptions, Records, Wanted, device_status, refresh, set_up_declared, tune, untune,
};

use super::devices::Devices;
use super::words::{AnyWay, rate, way};
use crate::exit::{Done, Failure};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  sudo tokkyu lbe tune                                  the devices of the default routes
  sudo tokkyu lbe tune --dev wwan0 --robot robot.yaml   and the background flows that are declared
  sudo tokkyu lbe tune --dev eth0 --max-hold 0 --receive    the paper's rules: held as long as others compute, both ways
  sudo tokkyu lbe tune --dev eth0 --way htb --rate 4Mbit/s  without the module
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
    /// Set up the background flows of existing programs (match) that this file declares
    #[arg(long, value_name = "FILE")]
    robot: Option<PathBuf>,
    /// How: auto, module or htb
    #[arg(long, value_name = "WAY", default_value = "auto", value_parser = way)]
    way: AnyWay,
    /// Rate of the link for the way htb: somewhat below what it carries at its worst
    #[arg(long, value_name = "RATE", value_parser = rate)]
    rate: Option<BitRate>,
    /// Replace a root qdisc that somebody else has set up
    #[arg(long)]
    replace: bool,
    /// Longest time that a packet is held for the sake of tasks, up to 3600s; 0: for ever [module: 1s]
    #[arg(long, value_name = "TIME", value_parser = hold)]
    max_hold: Option<Duration>,
    /// Bytes in the device's queue; 0: leave it alone; auto: by the link's speed [module: auto]
    #[arg(long, value_name = "BYTES")]
    device_queue: Option<Auto<u32>>,
    /// Background packets in a device without byte queue limits, up to 64; 0: no bound [module: auto]
    #[arg(long, value_name = "PACKETS")]
    budget: Option<Auto<u32>>,
    /// Packets that wait in the background [module: 1000]
    #[arg(long, value_name = "PACKETS", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Received background packets wait for tasks too
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    receive: Option<bool>,
}

/// As the contract writes it, or without its space.
fn hold(word: &str) -> Result<Duration, String> {
    if word == "0" {
        return Ok(Duration::ZERO);
    }
    let number = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()).trim_end();
    let unit = word[number.len()..].trim_start();
    let hold = parse_duration(&format!("{number} {unit}"))
        .map_err(|error| format!("{}; {}", error.what(), error.remedy()))?;
    if hold > Duration::from_secs(3600) { Err("3600s at most".to_owned()) } else { Ok(hold) }
}

impl Tune {
    pub fn run(self) -> Done {
        let records = Records::here();
        let devices = self.devices.find()?;
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
        if let Some(path) = &self.robot {
            let robot = robot::load(path)?;
            let mut lines = String::new();
            let done = set_up_declared(&robot, &records, &mut |line| lines += &format!("{line}\n"));
            output::print(&lines)?;
            done?;
        }
        drop(turn);
        Ok(ExitCode::Ok)
    }

    fn tune(&self, device: &str, records: &Records) -> Result<(), Failure> {
        let tuned = tune(device, &self.wanted(), Owner::Tune, records)?;
        let there = if tuned.was_there { ", was there" } else { "" };
        output::print(&format!("{device}: way {}{there}\n", tuned.way.as_str()))?;
        for note in &tuned.notes {
            output::print(&format!("  note: {note}\n"))?;
        }
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

    fn wanted(&self) -> Wanted {
        Wanted {
            way: self.way,
            rate: self.rate,
            replace: self.replace,
            options: QdiscOptions {
                max_hold: self.max_hold,
                device_queue: self.device_queue,
                budget: self.budget,
                limit: self.limit,
                receive: self.receive,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hold_is_a_time_or_0() {
        assert_eq!(hold("0"), Ok(Duration::ZERO));
        assert_eq!(hold("20ms"), Ok(Duration::from_millis(20)));
        assert_eq!(hold("3601s"), Err("3600s at most".to_owned()));
        assert!(hold("20").is_err());
    }
}
