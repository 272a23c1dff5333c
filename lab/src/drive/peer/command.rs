//! The command line of a peer's program (PEER-1): all it gets to know of the case.
//!
//! Pure. The network's round trip and rate are given to every variant; what it makes of them is its own.

use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_link::sim::path::{Capacity, DirectionProfile, Profile};

use crate::drive::case::CaseSpec;
use crate::drive::network::PROGRAM_PRIORITY;
use crate::drive::paths::CaseFolder;
use crate::wire::End;

use super::known::PeerRun;

/// How long a sender stays after its last tick. Six times the requirement: what comes later is of no use to a driver, and
/// our own vehicle waits less.
pub(super) const DRAIN: Duration = Duration::from_millis(3_000);

/// PEER-4: as many samples as a peer takes, warm-up and all.
pub const SAMPLES_MAX: u32 = 100_000;

/// What is typed to start `peer` at one end.
pub(super) fn command(
    spec: &CaseSpec,
    peer: &PeerRun,
    folder: &CaseFolder,
    end: End,
    begin: MonoTime,
) -> Command {
    let workload = spec.workload();
    let mut command = Command::new(&peer.program);
    command.arg(role(end));
    let mut flag = |name: &str, value: OsString| {
        command.arg(name).arg(value);
    };
    flag("--mode", peer.peer.mode().into());
    flag("--variant", peer.variant.as_str().into());
    flag("--qos", spec.quality.as_str().into());
    let micros = |span: Duration| OsString::from(span.as_micros().to_string());
    flag("--images", spec.images.to_string().into());
    flag("--size", workload.image_bytes.to_string().into());
    flag("--period-us", micros(workload.image_period));
    flag("--samples", spec.total_samples().to_string().into());
    flag("--start-at-ns", begin.as_nanos().to_string().into());
    flag("--own", end.address().to_string().into());
    flag("--other", end.peer().address().to_string().into());
    flag("--rtt-us", micros(spec.profile.up.delay + spec.profile.down.delay));
    flag("--rate-kbit", bottleneck_kbit(&spec.profile).unwrap_or(0).to_string().into());
    flag("--drain-ms", DRAIN.as_millis().to_string().into());
    flag("--priority", PROGRAM_PRIORITY.to_string().into());
    flag("--records", folder.records_of(end).into());
    flag("--summary", folder.summary_of(end).into());
    command
}

const fn role(end: End) -> &'static str {
    match end {
        End::Vehicle => "send",
        End::Operator => "receive",
    }
}

/// The rate that the images' direction keeps up, in kbit/s; `None` where it has no single one.
fn bottleneck_kbit(profile: &Profile) -> Option<u64> {
    let DirectionProfile { capacity, policer, .. } = &profile.up;
    let line = match capacity {
        Capacity::Rate { bps, changes } if changes.is_empty() && *bps > 0 => Some(*bps),
        _ => None,
    };
    let allowed = policer.as_ref().map(|policer| policer.rate_bps);
    let bps = match (line, allowed) {
        (Some(line), Some(allowed)) => line.min(allowed),
        (one, other) => one.or(other)?,
    };
    Some(bps / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::case::Pictures;
    use crate::drive::peer::{Peer, Variant};
    use crate::drive::quality::Quality;

    fn words(end: End, network: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let folder = CaseFolder::create(dir.path()).unwrap();
        let peer =
            PeerRun { peer: Peer::SrtMessage, variant: Variant::Tuned, program: "/p/tokkyu-peer-srt".into() };
        let spec = CaseSpec {
            profile: Profile::named(network).unwrap(),
            quality: Quality::KeepAll,
            images: 4,
            pictures: Pictures::Dummy,
            beside: Vec::new(),
            commands: true,
            peer: Some(peer.clone()),
            samples: 300,
            warm_up: 20,
            seed: 1,
            run: 0,
        };
        let command = command(&spec, &peer, &folder, end, MonoTime::from_nanos(77));
        command.get_args().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    fn value(words: &[String], flag: &str) -> String {
        let place =
            words.iter().position(|word| word == flag).unwrap_or_else(|| panic!("{flag} in {words:?}"));
        words[place + 1].clone()
    }

    #[test]
    fn a_peer_is_told_the_whole_case_and_the_network_it_runs_over() {
        // PEER-1, LAB-11
        let sender = words(End::Vehicle, "wan-loss5");
        assert_eq!(sender[0], "send");
        for (flag, expected) in [
            ("--mode", "message"),
            ("--variant", "tuned"),
            ("--qos", "3"),
            ("--images", "4"),
            ("--size", "374000"),
            ("--period-us", "100000"),
            ("--samples", "320"),
            ("--start-at-ns", "77"),
            ("--own", "10.77.0.1"),
            ("--other", "10.77.0.2"),
            ("--rtt-us", "50000"),
            ("--rate-kbit", "200000"),
            ("--drain-ms", "3000"),
            ("--priority", "40"),
        ] {
            assert_eq!(value(&sender, flag), expected, "{flag}");
        }
        assert!(
            value(&sender, "--records").ends_with("vehicle.csv")
                && value(&sender, "--summary").ends_with("vehicle.json")
        );
        assert_eq!(sender.len(), 1 + 2 * 16, "and nothing else: {sender:?}");
        let receiver = words(End::Operator, "wan-loss5");
        assert_eq!((receiver[0].as_str(), value(&receiver, "--own").as_str()), ("receive", "10.77.0.2"));
    }

    #[test]
    fn the_rate_is_what_the_path_keeps_up_and_0_where_there_is_no_single_one() {
        let rate = |network: &str| bottleneck_kbit(&Profile::named(network).unwrap());
        assert_eq!([rate("lan"), rate("policer")], [Some(1_000_000), Some(100_000)]);
        let boundless = Profile { up: DirectionProfile::default(), ..Profile::named("lan").unwrap() };
        assert_eq!(bottleneck_kbit(&boundless), None);
    }
}
