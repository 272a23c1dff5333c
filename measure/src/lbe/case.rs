//! One case of the experiment on background traffic, and what it is to its baseline.

use serde::{Deserialize, Serialize};

/// What the foreground did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Foreground {
    /// HTTP POST, from connecting to the answer.
    Post,
    /// HTTP GET, from connecting to the last byte.
    Get,
    /// A fixed amount of computation.
    Compute,
    /// Nothing.
    Idle,
    /// A single packet, from `send` to its first bit on the wire.
    React,
}

/// One scheme, one background, one thing that the foreground did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LbeCase {
    /// Release of the kernel.
    pub kernel: String,
    /// Who kept the background away.
    pub scheme: String,
    /// What there was of it: `none`, `tcp1`, `tcp8`, `udp1`.
    pub background: String,
    /// What the foreground did.
    pub direction: Foreground,
    /// Bytes of the body of a request; 0 for what is no transfer.
    pub bytes: u64,
    /// kbit/s of the near end's link.
    pub link_kbps: u32,
    /// Processors of the board. With one, time is virtual and repeats; with more it is the host's.
    pub processors: u32,
    /// Rounds.
    pub n: usize,
    /// Median of the rounds, ms.
    pub median_ms: f64,
    /// Each round, in its order; empty in results of before they were kept.
    #[serde(default)]
    pub rounds_ms: Vec<f64>,
    /// 95th percentile, nearest rank.
    pub p95_ms: f64,
    /// Shortest.
    pub best_ms: f64,
    /// Longest.
    pub worst_ms: f64,
    /// Where the middle half of the rounds lies; empty in results of before it was kept.
    #[serde(default)]
    pub spread: Spread,
    /// Median by the median of the same without a background; `None` if that was not run.
    pub ratio_to_none: Option<f64>,
    /// The scheme without a background that `ratio_to_none` is to.
    pub baseline: String,
    /// Instructions of the whole board, both ends of the link, median of the rounds.
    pub instructions: f64,
    /// By the frames that the near end sent.
    pub instructions_per_packet: Option<f64>,
    /// Task switches, median of the rounds.
    pub context_switches: f64,
    /// Bytes of background frames on the wire in all rounds.
    pub background_bytes: u64,
    /// Their share of what the link can send meanwhile, gaps between frames counted in.
    pub background_share: f64,
    /// Remarks for the reader.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl LbeCase {
    /// Whether handling its packets costs the processor something, as on the link of computations.
    pub(crate) fn is_on_fast_link(&self) -> bool {
        self.link_kbps >= FAST_KBPS
    }
}

/// Slowest link whose packets cost the processor something.
const FAST_KBPS: u32 = 10_000;

/// Where the middle half of the rounds lies, for each figure that is a median.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spread {
    /// Of `median_ms`.
    pub ms: Option<Quartiles>,
    /// Of `instructions`.
    pub instructions: Option<Quartiles>,
    /// Of `context_switches`.
    pub context_switches: Option<Quartiles>,
}

/// Ends of the middle half of some values, nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quartiles {
    /// A quarter is not above.
    pub p25: f64,
    /// Three quarters are not above.
    pub p75: f64,
}

/// Two cases are of the same thing but for scheme and background.
pub(super) fn same_work(a: &LbeCase, b: &LbeCase) -> bool {
    a.kernel == b.kernel
        && (a.direction, a.bytes, a.link_kbps, a.processors)
            == (b.direction, b.bytes, b.link_kbps, b.processors)
}

/// The same work under the case's baseline, if it was run.
pub(super) fn baseline_of<'a>(cases: &'a [LbeCase], case: &LbeCase) -> Option<&'a LbeCase> {
    cases.iter().find(|other| other.scheme == case.baseline && same_work(other, case))
}

/// `None` where it is no number.
pub(super) fn quotient(value: f64, by: f64) -> Option<f64> {
    Some(value / by).filter(|quotient| by > 0.0 && quotient.is_finite())
}

/// Fills in what each case is to its baseline.
pub fn compare(cases: &mut [LbeCase]) {
    let ratios: Vec<Option<f64>> =
        cases.iter().map(|case| quotient(case.median_ms, baseline_of(cases, case)?.median_ms)).collect();
    cases.iter_mut().zip(ratios).for_each(|(case, ratio)| case.ratio_to_none = ratio);
}

/// A size as the tables tell it.
pub(crate) fn kilobytes(bytes: u64) -> String {
    match bytes % 1000 {
        0 => format!("{} KB", bytes / 1000),
        _ => format!("{bytes} B"),
    }
}
