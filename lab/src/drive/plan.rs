//! The cases of an experiment: networks × QoS × runs, ours first, then those of each peer on the same network.
//!
//! Pure. Runs are outermost: the repetitions of a case lie apart in time, so that a disturbance of some minutes shows as
//! one odd run and not as one odd case.

use std::time::Duration;

use tokkyu_link::sim::path::Profile;

use super::algorithm::Algorithm;
use super::case::{CaseSpec, Pictures};
use super::paths::file_word;
use super::peer::{self, Peer, PeerRun};
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
    /// Who runs in our place, after us and on the same networks.
    pub peers: Vec<PeerRun>,
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
                for peer in &self.peers {
                    let qualities = self.qualities_of(peer.peer).into_iter();
                    let case =
                        |quality| CaseSpec { peer: Some(peer.clone()), ..self.case(profile, quality, run) };
                    cases.extend(qualities.map(case));
                }
            }
        }
        cases
    }

    /// LAB-10: what a peer runs for the QoS that are asked for; what two of them come to runs once.
    fn qualities_of(&self, peer: Peer) -> Vec<Quality> {
        let mut qualities = Vec::new();
        for quality in self.qualities.iter().filter_map(|asked| peer.quality_for(*asked)) {
            if !qualities.contains(&quality) {
                qualities.push(quality);
            }
        }
        qualities
    }

    /// QoS that are asked for and that a peer has not, a line for each.
    pub fn left_out(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for run in &self.peers {
            for quality in self.qualities.iter().filter(|asked| run.peer.quality_for(**asked).is_none()) {
                let line =
                    format!("{} has no QoS {} ({quality}): left out", run.peer.as_str(), quality.as_str());
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        lines
    }

    fn case(&self, profile: &Profile, quality: Quality, run: u32) -> CaseSpec {
        CaseSpec {
            profile: profile.clone(),
            quality,
            images: self.images,
            pictures: self.pictures.clone(),
            beside: self.beside.clone(),
            // The programs of others know none: both sides are to do the same work (LAB-8).
            commands: self.peers.is_empty(),
            peer: None,
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
        match self.peer {
            Some(_) => peer::expected(self) + END_OF_RUN,
            None => START_DELAY + self.span() + END_OF_RUN,
        }
    }

    /// A name for the case's folder. Networks whose names look the same to a file system have the same.
    pub fn folder_name(&self) -> String {
        let network = file_word(&self.profile.name);
        let who = self
            .peer
            .as_ref()
            .map_or(String::new(), |run| format!("-{}-{}", run.peer.as_str(), run.variant.as_str()));
        format!("{network}{who}-qos{}-run{}", self.quality.as_str(), self.run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::peer::Variant;
    use std::collections::BTreeSet;

    fn folder_names(cases: &[CaseSpec]) -> Vec<String> {
        cases.iter().map(CaseSpec::folder_name).collect()
    }

    fn plan() -> Plan {
        Plan {
            networks: ["lan", "wan"].map(|name| Profile::named(name).unwrap()).to_vec(),
            qualities: vec![Quality::KeepLast10, Quality::Link],
            images: 2,
            pictures: Pictures::Dummy,
            beside: Vec::new(),
            peers: Vec::new(),
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

    fn with_peers(peers: &[Peer], qualities: Vec<Quality>) -> Plan {
        let both = [Variant::Default, Variant::Tuned];
        let of = |peer: &Peer| both.map(|variant| PeerRun { peer: *peer, variant, program: "p".into() });
        Plan { peers: peers.iter().flat_map(of).collect(), qualities, ..plan() }
    }

    #[test]
    fn peers_follow_us_on_each_network_with_the_same_seed_in_each_run() {
        // LAB-8
        let cases = with_peers(&[Peer::Zenoh, Peer::SrtLive], vec![Quality::Link]).cases();
        assert!(cases.iter().all(|case| !case.commands) && plan().cases().iter().all(|case| case.commands));
        let names = folder_names(&cases);
        assert_eq!(
            &names[..6],
            [
                "lan-qoslink-run0",
                "lan-zenoh-default-qos3-run0",
                "lan-zenoh-tuned-qos3-run0",
                "lan-srt-live-default-qos3-run0",
                "lan-srt-live-tuned-qos3-run0",
                "wan-qoslink-run0"
            ]
        );
        assert_eq!((cases.len(), names[10].as_str()), (2 * 3 * 5, "lan-qoslink-run1"));
        assert!(cases.iter().all(|case| case.seed == 7 + u64::from(case.run)));
    }

    #[test]
    fn a_qos_that_two_words_come_to_runs_once_and_one_a_peer_has_not_is_told_once() {
        // LAB-10
        let asked = vec![Quality::Link, Quality::KeepLast10, Quality::BestEffort];
        let plan = with_peers(&[Peer::CycloneDds, Peer::TcpBbr], asked);
        let of = |peer| plan.qualities_of(peer).into_iter().map(Quality::as_str).collect::<Vec<_>>();
        assert_eq!(of(Peer::CycloneDds), ["1", "4"]);
        assert_eq!(of(Peer::TcpBbr), ["3"]);
        assert_eq!(
            plan.left_out(),
            [
                "tcp-bbr has no QoS 1 (reliable keep_last 10): left out",
                "tcp-bbr has no QoS 4 (best_effort keep_last 1): left out"
            ]
        );
    }

    #[test]
    fn a_peer_takes_longer_as_it_has_more_time_to_meet_and_to_drain() {
        let cases = with_peers(&[Peer::TcpBbr], vec![Quality::Link]).cases();
        assert_eq!(cases[1].expected() - cases[0].expected(), Duration::from_millis(3_500 + 3_000));
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
