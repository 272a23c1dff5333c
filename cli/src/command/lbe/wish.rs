//! How devices are to hold background packets back: the options of `tokkyu lbe tune` and `tokkyu lbe unit`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use tokkyu_contract::BitRate;
use tokkyu_contract::units::{DurationText, parse_duration};
use tokkyu_contract::yaml::Robot;
use tokkyu_contract::yaml::robot;
use tokkyu_lbe::{Auto, QdiscOptions, Wanted};

use super::words::{AnyWay, rate, way};
use crate::exit::Failure;

/// What is asked for of each device.
#[derive(Debug, Args)]
pub(super) struct Wish {
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

impl Wish {
    /// The flows that are declared, if a file was given.
    pub(super) fn robot(&self) -> Result<Option<Robot>, Failure> {
        Ok(self.robot.as_ref().map(|path| robot::load(path)).transpose()?)
    }

    pub(super) fn wanted(&self) -> Wanted {
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

    /// The same again, as words of a command line; `absolute` of the path.
    pub(super) fn arguments(
        &self,
        absolute: impl Fn(&Path) -> Result<PathBuf, Failure>,
    ) -> Result<Vec<String>, Failure> {
        let robot = self.robot.as_ref().map(|path| absolute(path)).transpose()?;
        let number = |number: &Auto<u32>| match number {
            Auto::Auto => "auto".to_owned(),
            Auto::Given(number) => number.to_string(),
        };
        let held = |hold: &Duration| match hold.is_zero() {
            true => "0".to_owned(),
            false => DurationText(*hold).to_string(),
        };
        let all = [
            ("--robot", robot.map(|path| path.display().to_string())),
            ("--way", self.way.map(|way| way.as_str().to_owned())),
            ("--rate", self.rate.map(|rate| rate.to_string())),
            ("--max-hold", self.max_hold.as_ref().map(held)),
            ("--device-queue", self.device_queue.as_ref().map(number)),
            ("--budget", self.budget.as_ref().map(number)),
            ("--limit", self.limit.map(|limit| limit.to_string())),
            ("--receive", self.receive.map(|receive| receive.to_string())),
        ];
        let given = all.into_iter().filter_map(|(name, word)| Some([name.to_owned(), word?])).flatten();
        Ok(given.chain(self.replace.then(|| "--replace".to_owned())).collect())
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

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        wish: Wish,
    }

    /// LBE-107.
    #[test]
    fn a_wish_as_words_is_the_same_wish() {
        use clap::Parser;
        for words in [
            "",
            "--way htb --rate 2.5Mbit/s --replace",
            "--max-hold 0 --device-queue auto --budget 7 --limit 12 --receive",
            "--max-hold 20ms --device-queue 3000 --budget 0 --receive false --way module",
        ] {
            let line = Line::parse_from(["tune"].into_iter().chain(words.split_whitespace()));
            let again = line.wish.arguments(|path| Ok(path.to_owned())).unwrap_or_default();
            let other = Line::parse_from(["tune".to_owned()].into_iter().chain(again));
            assert_eq!(format!("{:?}", line.wish), format!("{:?}", other.wish), "{words}");
        }
    }
}
