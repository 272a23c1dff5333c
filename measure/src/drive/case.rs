//! One case of the drive: what was driven over which network, and what came of it. Follows SPEC.md MEA-41 to MEA-49.

use std::path::PathBuf;

use crate::result::Fault;
use serde::{Deserialize, Serialize};

use crate::competition::{BesideFlow, ImagesRate, PathFacts};
use crate::contest::PeerSettings;
use crate::join::{StreamTally, Tally};
use crate::verdict::Verdict;

use super::stream::{CAMERA_PREFIX, StreamResult};

/// One case of the remote-driving experiment: one network, one variant, so many cameras.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DriveCase {
    /// Name of the network, e.g. `stable`, `loss5`.
    pub network: String,
    /// Who carried the samples: `tokkyu`, or the name of another middleware.
    pub peer: String,
    /// Which build or setting of the peer.
    pub variant: String,
    /// Quality of service in ROS 2's words, e.g. `reliable keep_last 1 lifespan 500 ms`.
    pub qos: String,
    /// The paper's QoS condition, 1 to 4, that this case answers; `None` if it answers none.
    #[serde(default)]
    pub condition: Option<u8>,
    /// Cameras, 1 to 4.
    pub images: u32,
    /// Seed of the network's chance.
    pub seed: u64,
    /// Which repetition of the same case, from 0.
    #[serde(default)]
    pub run: u32,
    /// True if network and clock were simulated: then the figures hold for no machine.
    #[serde(default)]
    pub simulated: bool,
    /// Samples offered on each camera, warm-up left out.
    pub samples: u64,
    /// Bytes of each image; `None` if they differ.
    #[serde(default)]
    pub image_bytes: Option<u64>,
    /// Bytes of whole Ethernet frames (header, no preamble, no checksum) in both directions; `None` if not counted.
    pub wire_bytes: Option<u64>,
    /// Bytes of payload in all samples offered.
    pub payload_bytes: Option<u64>,
    /// Delay the user-space wire itself adds to a frame, mean in milliseconds; `None` if not measured.
    pub added_by_wire_ms: Option<f64>,
    /// Processor time used by the two ends.
    #[serde(default)]
    pub cpu_s: CpuSeconds,
    /// Processor time of the programs at both ends that what carries the samples stands between, such as DDS writers and
    /// readers beside bridges; it is not in `cpu_s`.
    #[serde(default)]
    pub endpoints_cpu_s: CpuSeconds,
    /// Load average over one minute when the case ended; `None` if not read.
    #[serde(default)]
    pub load_average: Option<f64>,
    /// Figures of each stream, warm-up left out.
    pub streams: Vec<StreamResult>,
    /// Figures of the images of all cameras taken together, warm-up left out; `None` without a camera.
    #[serde(default)]
    pub images_together: Option<StreamResult>,
    /// Figures of the warm-up samples, apart.
    #[serde(default)]
    pub warm_up: Vec<StreamResult>,
    /// The path by itself; `None` if not known.
    #[serde(default)]
    pub path: Option<PathFacts>,
    /// Bulk TCP flows that ran over the same path, in the images' direction; empty if none did.
    #[serde(default)]
    pub beside: Vec<BesideFlow>,
    /// What the images got of the path beside them; `None` if nothing ran beside.
    #[serde(default)]
    pub images_rate: Option<ImagesRate>,
    /// Latency of the images on an ideal transport over the same network; `None` if not worked out.
    #[serde(default)]
    pub ideal: Option<Ideal>,
    /// Whether the requirement was met.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// Raw records file, relative to the result file.
    #[serde(default)]
    pub records: Option<PathBuf>,
    /// Remarks for the reader, e.g. preconditions that did not hold.
    #[serde(default)]
    pub notes: Vec<String>,
    /// True if the figures may not be believed; the notes say why.
    #[serde(default)]
    pub invalid: bool,
    /// True if what carried the images failed by itself: its session broke, or a program of it ended with an error. Then it is invalid too, and
    /// what it did not deliver was missed. Not there in results of before it was kept.
    #[serde(default)]
    pub broke: bool,
    /// True if the run was ended early on request; the notes say how far it came.
    #[serde(default)]
    pub interrupted: bool,
    /// Statistics of the link, in its own words.
    #[serde(default)]
    pub link: serde_json::Value,
    /// What the ends of a peer's program said of themselves; empty for our own.
    #[serde(default)]
    pub peer_settings: Vec<PeerSettings>,
}

/// Processor time in seconds, user and system together; `None` where it cannot be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CpuSeconds {
    /// Of the sending end.
    pub send: Option<f64>,
    /// Of the receiving end.
    pub receive: Option<f64>,
}

/// Latency that the network alone would impose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ideal {
    /// Mean over all images.
    pub mean_ms: f64,
    /// Worst of all images.
    pub worst_ms: f64,
}

impl DriveCase {
    /// Why it is in no figure, if its figures may not be believed.
    pub fn fault(&self, cell: &str) -> Option<Fault> {
        let because: Vec<&str> =
            self.notes.iter().filter_map(|note| note.strip_prefix("INVALID: ")).collect();
        let fault = || Fault { cell: cell.to_owned(), by: self.peer.clone(), because: because.join("; ") };
        self.invalid.then(fault)
    }

    /// Fills streams, warm-up and verdict from the tallies of the joined records.
    pub fn set_streams(&mut self, tallies: &[StreamTally]) {
        self.streams = tallies.iter().map(|t| StreamResult::new(&t.name, &t.measured)).collect();
        self.images_together = together(tallies);
        self.warm_up = tallies
            .iter()
            .filter(|t| t.warm_up.ledger.offered > 0)
            .map(|t| StreamResult::new(&t.name, &t.warm_up))
            .collect();
        self.verdict = Some(Verdict::judge(&self.streams));
    }

    /// Megabytes of images that were delivered, warm-up and all; `None` where images have no single size.
    pub fn delivered_mb(&self) -> Option<f64> {
        let images = (self.streams.iter().chain(&self.warm_up))
            .filter(|stream| stream.is_camera())
            .fold(0, |sum, camera| u64::saturating_add(sum, camera.ledger.delivered));
        Some(images as f64 * self.image_bytes? as f64 / 1e6)
    }

    /// Processor time of both ends for each megabyte of images delivered, in milliseconds; `None` if any part is unknown
    /// or nothing was delivered.
    pub fn cpu_ms_per_mb(&self) -> Option<f64> {
        let delivered_mb = self.delivered_mb().filter(|mb| *mb > 0.0)?;
        Some((self.cpu_s.send? + self.cpu_s.receive?) * 1e3 / delivered_mb)
    }

    /// Bytes on the wire for each byte of payload; `None` if either is unknown or nothing was sent.
    pub fn wire_ratio(&self) -> Option<f64> {
        let payload = self.payload_bytes.filter(|bytes| *bytes > 0)?;
        Some(self.wire_bytes? as f64 / payload as f64)
    }
}

/// Name of the figures of all cameras together.
const ALL_CAMERAS: &str = "cameras";

/// All cameras as one stream: the same images, so the figures of the whole (MEA-8).
fn together(tallies: &[StreamTally]) -> Option<StreamResult> {
    let mut cameras = tallies.iter().filter(|t| t.name.starts_with(CAMERA_PREFIX)).peekable();
    cameras.peek()?;
    let mut sum = Tally::default();
    for camera in cameras {
        sum.ledger += camera.measured.ledger;
        sum.figures.merge(&camera.measured.figures);
    }
    Some(StreamResult::new(ALL_CAMERAS, &sum))
}
