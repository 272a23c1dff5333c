//! Outcomes and figures of one stream of a drive.

use serde::{Deserialize, Serialize};
use tokkyu_contract::Ledger;

use crate::figures::Summary;
use crate::join::Tally;

/// Streams whose names begin so carry images; what follows is the image number of the paper, from 1.
pub const CAMERA_PREFIX: &str = "camera/";

/// Outcomes and figures of one stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamResult {
    /// Name, e.g. `camera/1`, `drive/command`.
    pub name: String,
    /// Outcomes of the samples offered.
    #[serde(flatten, with = "LedgerFields")]
    pub ledger: Ledger,
    /// Figures of the samples delivered.
    #[serde(flatten)]
    pub figures: Summary,
}

/// Field names of a ledger in a result file; the ledger itself lives where there is no serde.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Ledger")]
struct LedgerFields {
    offered: u64,
    delivered: u64,
    late: u64,
    expired: u64,
    dropped: u64,
    lost: u64,
}

impl StreamResult {
    /// Result of one stream from its outcomes and latencies.
    pub fn new(name: &str, tally: &Tally) -> Self {
        StreamResult {
            name: name.to_owned(),
            ledger: tally.ledger,
            figures: tally.figures.summary(tally.ledger.offered),
        }
    }

    /// Samples offered that were not delivered, whatever became of them: what the paper counts as lost.
    pub fn missed(&self) -> u64 {
        self.ledger.offered.saturating_sub(self.ledger.delivered)
    }

    /// The latency that 99 of 100 samples offered do not exceed, in milliseconds: infinite where more than one of a hundred did not come,
    /// as a sample that did not come is late without an end; `None` where there are too few samples.
    pub fn p99_ms(&self) -> Option<f64> {
        match self.missed().saturating_mul(100) > self.ledger.offered {
            true => Some(f64::INFINITY),
            false => self.figures.p99_ms,
        }
    }

    /// True if the stream carries images.
    pub fn is_camera(&self) -> bool {
        self.name.starts_with(CAMERA_PREFIX)
    }

    /// The paper's number of the image, from 1; `None` for other streams and for cameras that have a name.
    pub fn image(&self) -> Option<u32> {
        self.name.strip_prefix(CAMERA_PREFIX)?.parse().ok()
    }
}
