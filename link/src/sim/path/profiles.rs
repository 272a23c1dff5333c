//! The networks that have a name. Their figures are those of the recorded baselines, so that results compare.
//!
//! "Up" is the image direction, vehicle to operator. `trace:FILE` is the one place of this folder that reads a file,
//! and it does so once, while a profile is made; the models never do.
use core::time::Duration;
use std::sync::Arc;

use super::capacity_trace::CapacityTrace;
use super::loss::Loss;
use super::policer::Policer;
use super::profile::{Capacity, Direction, DirectionProfile, Profile, ProfileError, Reorder};

/// All names [`Profile::named`] knows, with what they mean.
pub const NAMES: [(&str, &str); 12] = [
    ("lan", "1 Gbit/s, RTT 0.2 ms, queue 8 MB, no loss"),
    ("lan-loss5", "lan, 5 % uniform loss in the image direction"),
    ("lan-loss5-both", "lan, 5 % uniform loss both ways"),
    ("wan", "200 Mbit/s, RTT 50 ms, queue 100 ms, no loss"),
    ("wan-loss1", "wan, 1 % uniform loss both ways"),
    ("wan-loss5", "wan, 5 % uniform loss both ways"),
    ("wan-burst5", "wan, 5 % loss in bursts of 8 packets both ways"),
    ("wifi", "25 Mbit/s, 20 ms ± 10 ms one way, 0.5 % loss, 1 % reordered by 10 ms, both ways; queue 1 MB"),
    ("narrow", "100 Mbit/s, RTT 50 ms, queue 100 ms, no loss"),
    ("policer", "wan with a policer of 100 Mbit/s and a bucket of 64 kB both ways"),
    ("shallow", "wan with a queue of 15 kB"),
    ("trace:FILE", "recorded capacity, RTT 40 ms, queue 1 MB; FILE.up and FILE.down belong together"),
];

const MBIT: u64 = 1_000_000;

/// No profile has the name asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no network profile {name:?}{}; there are {}", did_you_mean(.suggestion), list())]
pub struct UnknownProfile {
    /// The name asked for.
    pub name: String,
    /// A known name that looks like it.
    pub suggestion: Option<&'static str>,
}

fn did_you_mean(suggestion: &Option<&'static str>) -> String {
    suggestion.map(|known| format!(", did you mean {known:?}?")).unwrap_or_default()
}

fn list() -> String {
    NAMES.map(|(name, _)| name).join(", ")
}

impl Profile {
    /// The network of that name; [`NAMES`] lists them.
    ///
    /// `trace:FILE` reads FILE as the capacity of the image direction. The return direction takes the partner file,
    /// the same name with `.up` and `.down` exchanged, when there is one, else the same file.
    ///
    /// # Errors
    /// An unknown name, with the nearest known one; a trace file that cannot be read or is none.
    pub fn named(name: &str) -> Result<Profile, ProfileError> {
        let (up, down) = match name {
            "lan" => both(lan()),
            "lan-loss5" => (lan().with_loss(uniform(0.05)), lan()),
            "lan-loss5-both" => both(lan().with_loss(uniform(0.05))),
            "wan" => both(wan()),
            "wan-loss1" => both(wan().with_loss(uniform(0.01))),
            "wan-loss5" => both(wan().with_loss(uniform(0.05))),
            "wan-burst5" => both(wan().with_loss(Loss::Bursts { share: 0.05, length: 8 })),
            "wifi" => both(wifi()),
            "narrow" => both(DirectionProfile::link(100 * MBIT, Duration::from_millis(25), 1_250_000)),
            "policer" => both(policed()),
            "shallow" => both(DirectionProfile { queue_bytes: 15_000, ..wan() }),
            _ => match name.strip_prefix("trace:") {
                Some(file) => traces(file)?,
                None => return Err(unknown(name).into()),
            },
        };
        Ok(Profile { name: name.to_owned(), up, down })
    }
}

fn both(direction: DirectionProfile) -> (DirectionProfile, DirectionProfile) {
    (direction.clone(), direction)
}

fn uniform(share: f64) -> Loss {
    Loss::Uniform { share }
}

fn lan() -> DirectionProfile {
    DirectionProfile::link(1_000 * MBIT, Duration::from_micros(100), 8_000_000)
}

/// The queue holds 100 ms at the link's rate: 200 Mbit/s · 0.1 s / 8.
fn wan() -> DirectionProfile {
    DirectionProfile::link(200 * MBIT, Duration::from_millis(25), 2_500_000)
}

/// Arm's learning path "Tune Zenoh for ROS 2 traffic over wireless networks": `tc netem rate 25mbit delay 20ms 10ms
/// loss 0.5% reorder 1%` at each end. Netem sends what it reorders at once, one delay ahead of the others; here it
/// comes late by the jitter instead.
fn wifi() -> DirectionProfile {
    DirectionProfile {
        jitter: Duration::from_millis(10),
        loss: uniform(0.005),
        reorder: Reorder { share: 0.01, extra_delay: Duration::from_millis(10) },
        ..DirectionProfile::link(25 * MBIT, Duration::from_millis(20), 1_000_000)
    }
}

fn policed() -> DirectionProfile {
    let policer = Policer { rate_bps: 100 * MBIT, bucket_bytes: 64_000 };
    DirectionProfile { policer: Some(policer), ..wan() }
}

fn traces(file: &str) -> Result<(DirectionProfile, DirectionProfile), ProfileError> {
    let up = read_trace(file)?;
    let down = match partner(file).filter(|partner| std::path::Path::new(partner).exists()) {
        Some(partner) => read_trace(&partner)?,
        None => Arc::clone(&up),
    };
    Ok((over(up), over(down)))
}

fn over(trace: Arc<CapacityTrace>) -> DirectionProfile {
    DirectionProfile {
        capacity: Capacity::Trace(trace),
        queue_bytes: 1_000_000,
        delay: Duration::from_millis(20),
        ..DirectionProfile::default()
    }
}

fn partner(file: &str) -> Option<String> {
    let (stem, direction) = match file.strip_suffix(".up") {
        Some(stem) => (stem, Direction::Down),
        None => (file.strip_suffix(".down")?, Direction::Up),
    };
    Some(match direction {
        Direction::Up => format!("{stem}.up"),
        Direction::Down => format!("{stem}.down"),
    })
}

fn read_trace(file: &str) -> Result<Arc<CapacityTrace>, ProfileError> {
    let bytes =
        std::fs::read(file).map_err(|source| ProfileError::Unreadable { file: file.to_owned(), source })?;
    let trace = CapacityTrace::parse(&bytes)
        .map_err(|source| ProfileError::Trace { file: file.to_owned(), source })?;
    Ok(Arc::new(trace))
}

fn unknown(name: &str) -> UnknownProfile {
    let nearest = NAMES
        .iter()
        .map(|(known, _)| (strsim::damerau_levenshtein(name, known), *known))
        .min_by_key(|(distance, _)| *distance);
    // Further off than a third of the letters, a suggestion is noise.
    let suggestion =
        nearest.filter(|(distance, _)| distance * 3 <= name.len().max(3)).map(|(_, known)| known);
    UnknownProfile { name: name.to_owned(), suggestion }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_gives_a_usable_profile() {
        for (name, _) in NAMES.iter().filter(|(name, _)| *name != "trace:FILE") {
            let profile = Profile::named(name).expect(name);
            profile.check().expect(name);
            assert_eq!(profile.name, *name);
        }
    }

    #[test]
    fn loss_on_the_lan_is_in_the_image_direction_only_unless_said() {
        let one_way = Profile::named("lan-loss5").expect("known");
        assert_eq!((one_way.up.loss.average(), one_way.down.loss.average()), (0.05, 0.0));
        let both_ways = Profile::named("lan-loss5-both").expect("known");
        assert_eq!((both_ways.up.loss.average(), both_ways.down.loss.average()), (0.05, 0.05));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest_and_the_list() {
        let error = Profile::named("wan-los5").expect_err("no such name").to_string();
        assert!(error.contains("did you mean \"wan-loss5\"?") && error.contains("narrow"), "{error}");
        let error = Profile::named("satellite").expect_err("no such name").to_string();
        assert!(!error.contains("did you mean"), "{error}");
    }

    #[test]
    fn a_trace_profile_uses_the_file_up_and_its_partner_down() {
        let folder = std::env::temp_dir().join(format!("tokkyu-trace-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("temporary folder");
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("temporary file");
        write("city.up", "0\n10\n");
        write("city.down", "0\n5\n10\n");
        write("alone", "0\n10\n");
        let slots = |name: &str| {
            let profile = Profile::named(&format!("trace:{}", folder.join(name).display())).expect(name);
            [profile.up, profile.down].map(|direction| match direction.capacity {
                Capacity::Trace(trace) => trace.slots(),
                _ => 0,
            })
        };
        assert_eq!(slots("city.up"), [2, 3]);
        assert_eq!(slots("city.down"), [3, 2]);
        assert_eq!(slots("alone"), [2, 2]);
        write("broken", "7\n3\n");
        let broken = folder.join("broken");
        let error =
            Profile::named(&format!("trace:{}", broken.display())).expect_err("decreasing").to_string();
        assert!(error.contains("broken") && error.contains("line 2"), "{error}");
        std::fs::remove_dir_all(&folder).expect("temporary folder");
    }
}
