//! What the paper on ksoftirqd says.
//!
//! Pure. Invariant: nothing is quoted that the paper does not print (SPEC.md MEA-104).

use serde::Serialize;

/// Which paper, and why its figures are a reference and no baseline.
pub const SOURCE: &str = "The paper: periodic sending and round trips of 122 bytes with ksoftirqd at SCHED_OTHER and SCHED_FIFO 1; one processor of 600 MHz, \
    100 Mbit/s, Linux 4.19 with PREEMPT_RT, a PC as peer; its tables 1 and 2. Of the round trips beside receiving packets were lost \
    at either priority and the runs broke off. Ours: virtual time, newer kernels; compare ratios within one table.";

/// A cell of the paper's tables, ms. What it does not print is `None`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Beside it.
    pub load: &'static str,
    /// As ours: `untuned-other` where ksoftirqd was not in real time, `untuned-fifo1` where it was.
    pub config: &'static str,
    /// Worst.
    pub jitter_max_ms: f64,
    /// Standard deviation.
    pub jitter_sd_ms: f64,
    /// Worst.
    pub rtt_max_ms: f64,
    /// Mean.
    pub rtt_mean_ms: f64,
    /// Standard deviation.
    pub rtt_sd_ms: f64,
}

const fn row(
    load: &'static str,
    config: &'static str,
    [jitter_max_ms, jitter_sd_ms]: [f64; 2],
    [rtt_max_ms, rtt_mean_ms, rtt_sd_ms]: [f64; 3],
) -> Row {
    Row { load, config, jitter_max_ms, jitter_sd_ms, rtt_max_ms, rtt_mean_ms, rtt_sd_ms }
}

const OTHER: &str = "untuned-other";
const FIFO1: &str = "untuned-fifo1";

/// All of them.
pub static ROWS: [Row; 6] = [
    row("none", OTHER, [0.074, 0.007], [7.508, 0.241, 0.096]),
    row("none", FIFO1, [0.103, 0.007], [1.195, 0.225, 0.073]),
    row("send", OTHER, [4.264, 0.494], [14.367, 0.774, 0.365]),
    row("send", FIFO1, [5.862, 3.101], [7.846, 1.738, 2.006]),
    row("receive", OTHER, [0.433, 0.106], [130.262, 14.419, 24.633]),
    row("receive", FIFO1, [1.765, 0.215], [4.001, 0.448, 0.357]),
];

/// The paper's cell of the same load and setting.
pub fn beside(load: &str, config: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.load == load && row.config == config)
}
