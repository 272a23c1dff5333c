//! What is typed to start each program of a bridged case: nothing that could not be typed by hand.
//!
//! Pure. Invariant: the bridges and the DDS programs know each other by DDS domain and loopback device alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tokkyu_contract::MonoTime;

use crate::drive::case::CaseSpec;
use crate::drive::network::PROGRAM_PRIORITY;
use crate::drive::paths::{CaseFolder, name_of};
use crate::drive::quality::Quality;
use crate::wire::End;

/// From the start of the programs to the first tick: the bridges' session, discovery at both ends, and what the bridges tell
/// each other of it, one after the other.
pub(super) const START_DELAY: Duration = Duration::from_secs(5);
/// The domain of the DDS programs (`bench/peers/cyclonedds`).
const DOMAIN: &str = "77";
const LOOPBACK: &str = "lo";
const LOOPBACK_ADDRESS: &str = "127.0.0.1";
/// The history of class control, which is all that the command stream asks of DDS.
const COMMAND_QUALITY: Quality = Quality::KeepLast1;
/// How long a sender stays after its last tick: twice a picture's lifespan.
pub(super) const DRAIN: Duration = Duration::from_millis(1_000);

/// One of the two things that are sent, each from another end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    Cameras,
    Command,
}

impl Load {
    pub(super) const BOTH: [Load; 2] = [Load::Cameras, Load::Command];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Load::Cameras => "cameras",
            Load::Command => "command",
        }
    }

    /// Where it comes from.
    const fn sender(self) -> End {
        match self {
            Load::Cameras => End::Vehicle,
            Load::Command => End::Operator,
        }
    }

    const fn role(self, end: End) -> &'static str {
        match (self, end) {
            (Load::Cameras, End::Vehicle) | (Load::Command, End::Operator) => "send",
            _ => "receive",
        }
    }

    /// The `--mode` of the DDS program.
    const fn mode(self) -> &'static str {
        match self {
            Load::Cameras => "dds",
            Load::Command => "command",
        }
    }

    pub(super) fn records(self, folder: &CaseFolder, end: End) -> PathBuf {
        folder.of(end, &format!("{}.csv", self.as_str()))
    }

    pub(super) fn summary(self, folder: &CaseFolder, end: End) -> PathBuf {
        folder.of(end, &format!("{}.json", self.as_str()))
    }

    pub(super) fn log(self, folder: &CaseFolder, end: End) -> PathBuf {
        folder.of(end, &format!("{}.log", self.as_str()))
    }
}

/// What the bridge of one end says.
pub(super) fn bridge_log(folder: &CaseFolder, end: End) -> PathBuf {
    folder.of(end, "bridge.log")
}

/// `tokkyu bridge` of one end.
pub(super) fn bridge(tokkyu: &Path, folder: &CaseFolder, end: End) -> Command {
    let mut command = Command::new(tokkyu);
    command.args(["bridge", name_of(end), "--robot"]).arg(folder.robot()).arg("--site").arg(folder.site(end));
    command.args(["--domain", DOMAIN, "--interface", LOOPBACK]);
    command.args(["--priority", &PROGRAM_PRIORITY.to_string(), "--status", "plain"]);
    command
}

/// The DDS program that sends or receives `load` at one end (PEER-1).
pub(super) fn dds(
    program: &Path,
    spec: &CaseSpec,
    folder: &CaseFolder,
    load: Load,
    end: End,
    begin: MonoTime,
) -> Command {
    let workload = spec.workload();
    let (quality, images, size, period) = match load {
        // The bridge's writers offer what the flow declares, of which the paper's first condition is the history.
        Load::Cameras => (Quality::KeepLast10, spec.images, workload.image_bytes, workload.image_period),
        Load::Command => (COMMAND_QUALITY, 1, workload.command_bytes, workload.command_period),
    };
    let samples = spec.span().as_nanos() / period.as_nanos().max(1);
    let mut command = Command::new(program);
    command.arg(load.role(end));
    let mut flag = |name: &str, value: OsString| {
        command.arg(name).arg(value);
    };
    flag("--mode", load.mode().into());
    flag("--variant", "default".into());
    flag("--qos", quality.as_str().into());
    flag("--images", images.to_string().into());
    flag("--size", size.to_string().into());
    flag("--period-us", period.as_micros().to_string().into());
    flag("--samples", samples.to_string().into());
    flag("--start-at-ns", begin.as_nanos().to_string().into());
    flag("--own", LOOPBACK_ADDRESS.into());
    flag("--other", LOOPBACK_ADDRESS.into());
    flag("--rtt-us", "0".into());
    flag("--rate-kbit", "0".into());
    flag("--drain-ms", DRAIN.as_millis().to_string().into());
    flag("--priority", PROGRAM_PRIORITY.to_string().into());
    flag("--records", load.records(folder, end).into());
    flag("--summary", load.summary(folder, end).into());
    command
}

/// Which load comes from `end`, and which goes there: who sends is started last.
pub(super) fn loads_at(end: End) -> [Load; 2] {
    let mut loads = Load::BOTH;
    loads.sort_by_key(|load| load.sender() == end);
    loads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::bridge::plan::tests::plan;

    fn words(command: &Command) -> Vec<String> {
        command.get_args().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    fn value(words: &[String], flag: &str) -> String {
        let place = words.iter().position(|word| word == flag);
        words[place.unwrap_or_else(|| panic!("{flag} in {words:?}")) + 1].clone()
    }

    fn dds_at(end: End, load: Load) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        let spec = plan().cases().remove(2).spec;
        words(&dds(Path::new("/p/dds"), &spec, &folder, load, end, MonoTime::from_nanos(77)))
    }

    #[test]
    fn cameras_come_from_the_vehicle_and_commands_from_the_operator_over_loopback() {
        // LAB-18
        let cameras = dds_at(End::Vehicle, Load::Cameras);
        for (flag, expected) in [
            ("--mode", "dds"),
            ("--qos", "1"),
            ("--images", "4"),
            ("--size", "374000"),
            ("--period-us", "100000"),
            ("--samples", "15"),
            ("--start-at-ns", "77"),
            ("--own", "127.0.0.1"),
            ("--other", "127.0.0.1"),
        ] {
            assert_eq!(value(&cameras, flag), expected, "{flag}");
        }
        assert!(value(&cameras, "--records").ends_with("/vehicle.cameras.csv"));
        let commands = dds_at(End::Operator, Load::Command);
        for (flag, expected) in [
            ("--mode", "command"),
            ("--images", "1"),
            ("--size", "64"),
            ("--period-us", "20000"),
            ("--samples", "75"),
        ] {
            assert_eq!(value(&commands, flag), expected, "{flag}");
        }
        let roles = [
            (End::Vehicle, Load::Cameras),
            (End::Operator, Load::Cameras),
            (End::Vehicle, Load::Command),
            (End::Operator, Load::Command),
        ];
        let roles = roles.map(|(end, load)| dds_at(end, load)[0].clone());
        assert_eq!(roles, ["send", "receive", "receive", "send"]);
        assert_eq!(cameras.len(), 1 + 2 * 16, "and nothing else: {cameras:?}");
        assert_eq!(loads_at(End::Operator), [Load::Cameras, Load::Command]);
    }

    #[test]
    fn bridges_are_in_the_programs_domain_and_on_loopback_alone() {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        let words = words(&bridge(Path::new("/b/tokkyu"), &folder, End::Operator));
        assert_eq!(words[..2], ["bridge", "operator"]);
        assert_eq!([value(&words, "--domain"), value(&words, "--interface")], ["77", "lo"]);
        assert!(value(&words, "--site").ends_with("/operator.site.yaml"));
    }
}
