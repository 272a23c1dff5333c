//! One path, counted.

use serde::{Deserialize, Serialize};

use super::paths::Path;

/// One instruction takes a cycle of a processor of 400 MHz: said, not measured.
const INSTRUCTIONS_IN_US: f64 = 400.0;

/// A path through the kernel, and how many instructions it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RtosCase {
    /// Such as `task-switch`.
    pub name: String,
    /// From where to where.
    pub what: String,
    /// Processors that take part.
    pub cores: u32,
    /// Of a message, where there is one.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// The median.
    pub instructions: u64,
    /// The same as time.
    pub us_at_400mhz: f64,
    /// How often it was counted.
    pub n: u64,
    /// Of all.
    pub mean: f64,
    /// Of all.
    pub worst: u64,
    /// What others need.
    #[serde(default)]
    pub others: Others,
}

/// What others need, as [`Path`] has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Others {
    /// FMP3 3.4.0
    pub fmp3: Option<u64>,
    /// The same built without floating-point registers.
    pub fmp3_no_fpu: Option<u64>,
    /// ASP3
    pub asp3: Option<u64>,
}

impl RtosCase {
    /// Of counts, one at least.
    pub fn new(path: &Path, counts: &[u64]) -> RtosCase {
        let mut sorted = counts.to_vec();
        sorted.sort_unstable();
        let instructions = sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(0);
        let n = sorted.len() as u64;
        let [fmp3, fmp3_no_fpu, asp3] = path.others;
        RtosCase {
            name: path.name.to_owned(),
            what: path.what.to_owned(),
            cores: path.cores,
            bytes: path.bytes,
            instructions,
            us_at_400mhz: instructions as f64 / INSTRUCTIONS_IN_US,
            n,
            mean: sorted.iter().sum::<u64>() as f64 / n.max(1) as f64,
            worst: sorted.last().copied().unwrap_or(0),
            others: Others { fmp3, fmp3_no_fpu, asp3 },
        }
    }
}
