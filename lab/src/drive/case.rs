//! One case of the drive experiment as it is asked for, and what follows from that alone: its workload, the span of
//! time it takes, its ideal, and the words it goes by in a result.
//!
//! Pure, but for the ideal, which is a computation of some milliseconds for each second of the drive.

use std::path::PathBuf;
use std::time::Duration;

use tokkyu_link::sim::drive::Workload;
use tokkyu_link::sim::ideal::ideal;
use tokkyu_link::sim::path::{Capacity, Profile};
use tokkyu_measure::comparison::OURS;
use tokkyu_measure::{DriveCase, Ideal, PathFacts};

use super::algorithm::{Algorithm, algorithm_names};
use super::peer::PeerRun;
use super::quality::Quality;

/// Most cameras of a case: the paper's.
pub const IMAGES_MAX: u32 = 4;
/// The paper's picture with the header of a picture sample, which a dummy counts in.
pub(super) const PICTURE_BYTES: u32 = 374_016;
/// Name of the command stream.
pub(super) const COMMAND: &str = "drive/command";

/// Name of a camera's flow. ROS 2 allows no part of a name that begins with a digit, so it is not the stream's.
pub(super) fn camera_flow(number: u32) -> String {
    format!("camera/image{number}")
}

/// Name of a flow's stream in results: cameras have the paper's numbers of its images.
pub(super) fn stream_of(flow: &str) -> String {
    flow.replacen("camera/image", "camera/", 1)
}

/// What is driven, over which network.
#[derive(Clone, Debug)]
pub struct CaseSpec {
    /// The network.
    pub profile: Profile,
    /// QoS of the cameras.
    pub quality: Quality,
    /// Cameras, 1 to [`IMAGES_MAX`].
    pub images: u32,
    /// Where the pictures come from.
    pub pictures: Pictures,
    /// Bulk TCP flows over the same path in the images' direction, one for each name.
    pub beside: Vec<Algorithm>,
    /// Drive commands go the other way, 50 a second.
    pub commands: bool,
    /// Whose programs take the place of ours, if anybody's; then `quality` is one that it has.
    pub peer: Option<PeerRun>,
    /// Pictures of each camera that are measured, at least 1.
    pub samples: u32,
    /// Pictures of each camera before them, reported apart.
    pub warm_up: u32,
    /// Seed of the network's chance.
    pub seed: u64,
    /// Which repetition, from 0.
    pub run: u32,
}

/// Where the pictures of a case come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pictures {
    /// Samples of 374 kB with nothing to see: exactly the paper's load, and next to no work for the sender.
    Dummy,
    /// Drawn pictures of 374 kB with a 16-byte header, raw or compressed.
    Test {
        /// Compressed to JPEG.
        mjpeg: bool,
    },
    /// What `tokkyu vehicle --video` takes: a film, or `street`.
    Video {
        /// The film's path, or `street`.
        source: PathBuf,
        /// Compressed to JPEG.
        mjpeg: bool,
    },
}

impl CaseSpec {
    /// Pictures of each camera, warm-up and all.
    pub fn total_samples(&self) -> u32 {
        self.warm_up.saturating_add(self.samples)
    }

    /// The paper's workload with this case's QoS.
    pub fn workload(&self) -> Workload {
        Workload::paper(self.images as usize, self.total_samples(), self.quality.qos())
    }

    /// From the first tick until the last one's samples have had their time.
    pub fn span(&self) -> Duration {
        self.workload().image_period * self.total_samples()
    }

    /// What is known of the path without sending anything.
    pub(super) fn path_facts(&self) -> PathFacts {
        let (up, down) = (&self.profile.up, &self.profile.down);
        let up_mbit_s = match &up.capacity {
            Capacity::Rate { bps, changes } if changes.is_empty() && *bps > 0 => Some(*bps as f64 / 1e6),
            _ => None,
        };
        let ms = |span: Duration| span.as_secs_f64() * 1e3;
        PathFacts { up_mbit_s, up_ms: ms(up.delay), down_ms: ms(down.delay) }
    }

    /// Whether every picture has the paper's size, as compressed ones have whatever the link grants, and the path is
    /// theirs alone.
    fn is_the_papers_load(&self) -> bool {
        let size = match self.pictures {
            Pictures::Dummy => true,
            Pictures::Test { mjpeg } | Pictures::Video { mjpeg, .. } => !mjpeg,
        };
        size && self.beside.is_empty()
    }

    /// Latency of an ideal transport with the same losses; `None` where the network has no single rate, the pictures
    /// no single size, or others are on the path.
    pub fn ideal(&self) -> Option<Ideal> {
        if !self.is_the_papers_load() {
            return None;
        }
        let ideal = ideal(&self.profile, self.seed, &self.workload(), self.warm_up)?;
        let ms = |span: Duration| span.as_secs_f64() * 1e3;
        Some(Ideal { mean_ms: ms(ideal.mean), worst_ms: ms(ideal.worst) })
    }

    /// The first samples of a stream, reported apart: the same span of time in each.
    pub(super) fn is_warm_up(&self, stream: &str, sequence: u32) -> bool {
        let workload = self.workload();
        let period = if stream == COMMAND { workload.command_period } else { workload.image_period };
        period * sequence < workload.image_period * self.warm_up
    }

    /// Whether a sample of a real run is part of the workload. The vehicle leaves when its last pictures are settled, so
    /// commands count that had their whole lifespan before its last picture at the latest: what became of later ones
    /// tells of the end of the run, not of the link.
    pub(super) fn counts(&self, stream: &str, sequence: u32) -> bool {
        let workload = self.workload();
        let last_tick = workload.image_period * self.total_samples().saturating_sub(1);
        let lifespan = workload.command_qos.lifespan.unwrap_or_default();
        stream != COMMAND || workload.command_period * sequence + lifespan <= last_tick
    }

    /// The case with everything that is known before it is run.
    pub(super) fn blank(&self, variant: &str) -> DriveCase {
        DriveCase {
            network: self.profile.name.clone(),
            peer: self.peer.as_ref().map_or(OURS, |run| run.peer.as_str()).to_owned(),
            variant: self.in_company(self.peer.as_ref().map_or(variant, |run| run.variant.as_str())),
            qos: self.qos(),
            condition: self.condition(),
            images: self.images,
            image_bytes: self.image_bytes(),
            seed: self.seed,
            run: self.run,
            samples: u64::from(self.samples),
            path: Some(self.path_facts()),
            ideal: self.ideal(),
            notes: self.forewarning().into_iter().collect(),
            ..DriveCase::default()
        }
    }

    /// The QoS in words, as it stands in a result.
    pub fn qos(&self) -> String {
        self.peer.as_ref().map_or_else(|| self.quality.to_string(), |run| run.peer.qos(self.quality))
    }

    /// The paper's condition that this case answers.
    fn condition(&self) -> Option<u8> {
        let by_quality = match &self.peer {
            Some(run) => run.peer.condition(self.quality),
            None => Some(self.quality.condition()),
        };
        by_quality.filter(|_| self.is_the_papers_load())
    }

    /// Bytes of each picture; `None` where that is whatever the link grants.
    fn image_bytes(&self) -> Option<u64> {
        match self.pictures {
            Pictures::Dummy => Some(self.workload().image_bytes as u64),
            Pictures::Test { mjpeg } | Pictures::Video { mjpeg, .. } => {
                (!mjpeg).then_some(u64::from(PICTURE_BYTES))
            }
        }
    }

    /// A variant's word with the traffic of others, which makes it another.
    fn in_company(&self, variant: &str) -> String {
        match self.beside.is_empty() {
            true => variant.to_owned(),
            false => format!("{variant} beside TCP {}", algorithm_names(&self.beside)),
        }
    }

    /// What arithmetic says before anything is run: without repair and redundancy all packets of an image must arrive.
    fn forewarning(&self) -> Option<String> {
        let share = self.profile.up.loss.average();
        if self.quality != Quality::BestEffort || share < BEST_EFFORT_LOSS {
            return None;
        }
        let packets = self.workload().image_bytes.div_ceil(PACKET_PAYLOAD_BYTES);
        let whole = (1.0 - share).powi(packets as i32) * 100.0;
        Some(format!(
            "best effort, {:.1} % loss: an image is about {packets} packets and nothing is sent twice, so one in {:.0} \
             arrives whole ({whole:.2e} %)",
            share * 100.0,
            100.0 / whole
        ))
    }
}

/// Loss from which on best effort deserves a word.
const BEST_EFFORT_LOSS: f64 = 0.01;
/// What an Ethernet packet carries of an image, about.
const PACKET_PAYLOAD_BYTES: usize = 1_410;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::peer::{Peer, Variant};

    fn spec(network: &str, quality: Quality) -> CaseSpec {
        CaseSpec {
            profile: Profile::named(network).unwrap(),
            quality,
            images: 2,
            pictures: Pictures::Dummy,
            beside: Vec::new(),
            commands: true,
            peer: None,
            samples: 30,
            warm_up: 20,
            seed: 1,
            run: 0,
        }
    }

    #[test]
    fn warm_up_is_the_same_time_in_every_stream() {
        let spec = spec("lan", Quality::Link);
        assert!(spec.is_warm_up("camera/1", 19) && !spec.is_warm_up("camera/1", 20));
        assert!(spec.is_warm_up(COMMAND, 99) && !spec.is_warm_up(COMMAND, 100), "five commands to a picture");
    }

    #[test]
    fn compressed_pictures_are_compared_with_nothing() {
        let spec = CaseSpec { pictures: Pictures::Test { mjpeg: true }, ..spec("lan", Quality::Link) };
        let case = spec.blank("default");
        assert_eq!((case.condition, case.ideal), (None, None));
    }

    #[test]
    fn a_case_in_company_says_so_and_is_compared_with_nothing() {
        let beside = ["cubic", "bbr"].map(|name| name.parse().unwrap()).to_vec();
        let case = CaseSpec { beside, ..spec("wan-loss1", Quality::Link) }.blank("default");
        assert_eq!(case.variant, "default beside TCP cubic + bbr");
        assert_eq!((case.condition, case.ideal), (None, None));
        let path = case.path.unwrap();
        assert_eq!((path.up_mbit_s, path.up_ms, path.down_ms), (Some(200.0), 25.0, 25.0));
        assert_eq!(spec("lan", Quality::Link).blank("default").variant, "default");
    }

    #[test]
    fn a_case_of_a_peer_goes_by_its_name_its_variant_and_its_own_qos() {
        let of = |peer, quality| {
            let run = PeerRun { peer, variant: Variant::Tuned, program: "p".into() };
            CaseSpec { peer: Some(run), ..spec("lan", quality) }.blank("default")
        };
        let tcp = of(Peer::TcpBbr, Quality::KeepAll);
        assert_eq!([&*tcp.peer, &*tcp.variant, &*tcp.qos], ["tcp-bbr", "tuned", "reliable keep_all"]);
        assert_eq!((tcp.condition, tcp.image_bytes), (Some(3), Some(374_000)));
        let live = of(Peer::SrtLive, Quality::KeepAll);
        assert_eq!((&*live.qos, live.condition), ("live", None));
        let ours = spec("lan", Quality::Link).blank("default");
        assert_eq!((&*ours.peer, &*ours.qos), ("tokkyu", "reliable keep_last 10 lifespan 500 ms"));
    }

    #[test]
    fn commands_count_that_had_their_lifespan_before_the_last_picture() {
        // 50 pictures, the last at 4.9 s; a command may be 150 ms old.
        let spec = spec("lan", Quality::Link);
        assert!(spec.counts(COMMAND, 237), "issued at 4.74 s");
        assert!(!spec.counts(COMMAND, 238), "issued at 4.76 s");
        assert!(spec.counts("camera/1", 49));
        assert!(!CaseSpec { samples: 1, warm_up: 0, ..spec }.counts(COMMAND, 0));
    }

    #[test]
    fn a_cameras_stream_has_the_papers_number_of_the_image() {
        assert_eq!(stream_of(&camera_flow(3)), "camera/3");
        assert_eq!(stream_of(COMMAND), COMMAND);
    }

    #[test]
    fn best_effort_over_a_lossy_network_is_forewarned_and_nothing_else_is() {
        let note = spec("lan-loss5", Quality::BestEffort).forewarning().unwrap();
        assert!(note.contains("5.0 % loss") && note.contains("266 packets"), "{note}");
        assert_eq!(spec("lan", Quality::BestEffort).forewarning(), None);
        assert_eq!(spec("lan-loss5", Quality::KeepLast10).forewarning(), None);
    }

    #[test]
    fn a_case_says_before_it_is_run_what_it_is() {
        let case = spec("lan", Quality::KeepLast1).blank("default");
        assert_eq!((case.network.as_str(), case.condition, case.samples), ("lan", Some(2), 30));
        assert!(case.ideal.is_some_and(|ideal| ideal.mean_ms > 3.0), "{:?}", case.ideal);
        assert_eq!(spec("wifi", Quality::Link).ideal(), None, "two pictures at 10 Hz do not fit 25 Mbit/s");
    }
}
