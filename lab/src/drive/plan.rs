//! The cases of an experiment: networks × QoS × runs.
//!
//! Pure. Runs are outermost: the repetitions of a case lie apart in time, so that a disturbance of some minutes shows as
//! one odd run and not as one odd case.

use std::collections::BTreeSet;
use std::time::Duration;

use tokkyu_link::sim::path::Profile;

use super::algorithm::Algorithm;
use super::case::{CaseSpec, Pictures};
use super::paths::file_word;
use super::quality::Quality;
use super::real::START_DELAY;

/// What a run takes beyond its ticks and its start, about: the programs' wait for what is under way, and their end.
const END_OF_RUN: Duration = Duration::from_millis(1_000);

/// What an experiment asks for.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Networks.
    pub networks: Vec<Profile>,
    /// QoS of the cameras.
    pub qualities: Vec<Quality>,
    /// Cameras, 1 to [`IMAGES_MAX`](super::IMAGES_MAX).
    pub images: u32,
    /// Where the pictures come from.
    pub pictures: Pictures,
    /// TCP flows beside the link, in each case.
    pub beside: Vec<Algorithm>,
    /// Pictures of each camera that are measured.
    pub samples: u32,
    /// Pictures of each camera before them.
    pub warm_up: u32,
    /// Seed of the first run; each further run has the next one.
    pub seed: u64,
    /// Repetitions of each case, at least 1.
    pub runs: u32,
}

impl Plan {
    /// The cases in the order they are run.
    pub fn cases(&self) -> Vec<CaseSpec> {
        let mut cases = Vec::new();
        for run in 0..self.runs {
            for profile in &self.networks {
                cases.extend(self.qualities.iter().map(|quality| self.case(profile, *quality, run)));
            }
        }
        cases
    }

    fn case(&self, profile: &Profile, quality: Quality, run: u32) -> CaseSpec {
        CaseSpec {
            profile: profile.clone(),
            quality,
            images: self.images,
            pictures: self.pictures.clone(),
            beside: self.beside.clone(),
            samples: self.samples,
            warm_up: self.warm_up,
            seed: self.seed.wrapping_add(u64::from(run)),
            run,
        }
    }
}

impl CaseSpec {
    /// About what a real run of this case takes.
    pub fn expected(&self) -> Duration {
        START_DELAY + self.span() + END_OF_RUN
    }

    /// A name for the case's folder. Other cases of the experiment may have the same: see [`folder_names`].
    pub fn folder_name(&self) -> String {
        format!("{}-qos{}-run{}", file_word(&self.profile.name), self.quality.as_str(), self.run)
    }
}

/// A folder for each case that no other has. Names of networks lose what a file system may not like, so two can look the
/// same; the later one gets the number of its case, which no other name ends with.
pub fn folder_names(cases: &[CaseSpec]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut free = |number: usize, name: String| match taken.insert(name.clone()) {
        true => name,
        false => format!("{name}-case{number}"),
    };
    (1..).zip(cases).map(|(number, case)| free(number, case.folder_name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan {
            networks: ["lan", "wan"].map(|name| Profile::named(name).unwrap()).to_vec(),
            qualities: vec![Quality::KeepLast10, Quality::Link],
            images: 2,
            pictures: Pictures::Dummy,
            beside: Vec::new(),
            samples: 10,
            warm_up: 5,
            seed: 7,
            runs: 3,
        }
    }

    #[test]
    fn every_combination_is_run_and_repetitions_lie_apart() {
        let cases = plan().cases();
        let names = folder_names(&cases);
        assert_eq!(
            &names[..5],
            ["lan-qos1-run0", "lan-qoslink-run0", "wan-qos1-run0", "wan-qoslink-run0", "lan-qos1-run1"]
        );
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 2 * 2 * 3);
    }

    #[test]
    fn networks_whose_names_look_alike_get_folders_of_their_own() {
        let trace = |name: &str| Profile { name: format!("trace:{name}"), ..Profile::named("lan").unwrap() };
        let long = "x".repeat(80);
        let networks =
            [trace("a/b"), trace("a-b"), trace(&format!("{long}1")), trace(&format!("{long}2"))].to_vec();
        let names = folder_names(&Plan { networks, ..plan() }.cases());
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
        assert_eq!((&*names[0], &*names[2]), ("trace-a-b-qos1-run0", "trace-a-b-qos1-run0-case3"));
    }

    #[test]
    fn each_run_has_its_own_chance_and_the_same_run_of_two_cases_the_same() {
        let cases = plan().cases();
        assert_eq!((cases[0].seed, cases[1].seed, cases[4].seed, cases[8].seed), (7, 7, 8, 9));
    }

    #[test]
    fn the_expected_time_grows_with_the_pictures() {
        let short = plan().cases()[0].expected();
        let long = Plan { samples: 110, ..plan() }.cases()[0].expected();
        assert_eq!(long - short, Duration::from_secs(10));
    }
}
