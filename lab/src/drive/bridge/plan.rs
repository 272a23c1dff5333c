//! The cases of the experiment: networks × cameras, each in both ways, one right after the other.
//!
//! Pure. Runs are outermost, as in the drive's plan; the two ways of a case lie together, so that the machine is the same to
//! both.

use std::time::Duration;

use tokkyu_link::sim::path::Profile;
use tokkyu_measure::bridge::Way;

use crate::drive::case::{CaseSpec, Pictures};
use crate::drive::paths::file_word;
use crate::drive::quality::Quality;

use super::command::{DRAIN, START_DELAY};

/// From the last program's drain to the end of all.
const END_OF_RUN: Duration = Duration::from_millis(2_500);

/// What an experiment asks for.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Networks.
    pub networks: Vec<Profile>,
    /// Cameras, each 1 to [`IMAGES_MAX`](crate::drive::IMAGES_MAX).
    pub images: Vec<u32>,
    /// Pictures of each camera that are measured.
    pub samples: u32,
    /// Pictures of each camera before them.
    pub warm_up: u32,
    /// Seed of the first run; each further run has the next one.
    pub seed: u64,
    /// Repetitions of each case, at least 1.
    pub runs: u32,
}

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// What is driven, over which network.
    pub spec: CaseSpec,
    /// How.
    pub way: Way,
}

impl Plan {
    /// The cases in the order they are run.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for run in 0..self.runs {
            for profile in &self.networks {
                for images in self.images.iter().copied() {
                    let spec = self.spec(profile, images, run);
                    cases.extend([Way::Link, Way::Bridged].map(|way| Case { spec: spec.clone(), way }));
                }
            }
        }
        cases
    }

    fn spec(&self, profile: &Profile, images: u32, run: u32) -> CaseSpec {
        CaseSpec {
            profile: profile.clone(),
            quality: Quality::Link,
            images,
            pictures: Pictures::Dummy,
            beside: Vec::new(),
            commands: true,
            peer: None,
            samples: self.samples,
            warm_up: self.warm_up,
            seed: self.seed.wrapping_add(u64::from(run)),
            run,
        }
    }
}

impl Case {
    /// About what it takes.
    pub fn expected(&self) -> Duration {
        match self.way {
            Way::Link => self.spec.expected(),
            Way::Bridged => START_DELAY + self.spec.span() + DRAIN + END_OF_RUN,
        }
    }

    /// A name for its folder. No other of a plan has it, as no network is in it twice, whose name may lose what a file system may not like.
    pub fn folder_name(&self) -> String {
        let Case { spec, way } = self;
        let network = file_word(&spec.profile.name);
        format!("{network}-{}images-{}-run{}", spec.images, way.as_str(), spec.run)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::drive::bridge) fn plan() -> Plan {
        Plan {
            networks: ["lan", "wan-loss5"].map(|name| Profile::named(name).unwrap()).to_vec(),
            images: vec![1, 4],
            samples: 10,
            warm_up: 5,
            seed: 7,
            runs: 2,
        }
    }

    #[test]
    fn each_network_and_number_of_cameras_is_run_in_both_ways_with_the_same_seed() {
        // LAB-17
        let cases = plan().cases();
        let names: Vec<String> = cases.iter().map(Case::folder_name).collect();
        assert_eq!(
            names[..5],
            [
                "lan-1images-link-run0",
                "lan-1images-bridged-run0",
                "lan-4images-link-run0",
                "lan-4images-bridged-run0",
                "wan-loss5-1images-link-run0"
            ]
        );
        assert_eq!(cases.len(), 2 * 2 * 2 * 2);
        for pair in cases.chunks(2) {
            assert_eq!((pair[0].way, pair[1].way), (Way::Link, Way::Bridged));
            assert_eq!(pair[0].spec.seed, pair[1].spec.seed);
        }
        assert_eq!((cases[0].spec.seed, cases[8].spec.seed), (7, 8));
    }
}
