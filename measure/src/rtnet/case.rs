//! One cell of the experiment, and how its repetitions make one case.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::trace::Traced;

/// Bulk TCP beside the measurement, as the board sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// Nothing.
    None,
    /// The board sends.
    Send,
    /// The board receives.
    Receive,
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Load::None => "none",
            Load::Send => "send",
            Load::Receive => "receive",
        })
    }
}

/// The word is not the name of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLoad;

impl fmt::Display for UnknownLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a load: use none, send or receive")
    }
}

impl std::error::Error for UnknownLoad {}

impl FromStr for Load {
    type Err = UnknownLoad;

    fn from_str(word: &str) -> Result<Self, UnknownLoad> {
        let all = [Load::None, Load::Send, Load::Receive];
        all.into_iter().find(|load| load.to_string() == word).ok_or(UnknownLoad)
    }
}

/// One cell, all repetitions together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RtnetCase {
    /// Release of the kernel.
    pub kernel: String,
    /// Of the board.
    pub cores: u32,
    /// Of the board.
    pub ports: u32,
    /// What an instruction takes, ns: how fast its processors are.
    pub instruction_ns: u32,
    /// Beside it.
    pub load: String,
    /// `untuned-other`, `untuned-fifo1`, `tuned`, or `step:` and a name.
    pub config: String,
    /// Who does the driver's work: `thread` (the interrupt's) or `softirq` (ksoftirqd).
    pub driver: String,
    /// Frames whose distance counts, of all repetitions; edges are left out.
    pub n: u64,
    /// How far the distance of two frames on the wire is from the period.
    pub jitter_mean_ms: f64,
    /// Its standard deviation.
    pub jitter_sd_ms: f64,
    /// Its worst.
    pub jitter_max_ms: f64,
    /// Round trips that count.
    pub rtt_n: u64,
    /// From the peer's send call to the board's answer in its program.
    pub rtt_mean_ms: f64,
    /// Its standard deviation.
    pub rtt_sd_ms: f64,
    /// Its worst.
    pub rtt_max_ms: f64,
    /// Frames that did not arrive, and requests without an answer.
    pub lost: u64,
    /// Of the bulk traffic, with all headers, while it was measured beside; mean of the repetitions.
    pub load_mbit: f64,
    /// Where the time of a frame goes.
    pub split: Split,
    /// Where the time of a round trip goes.
    pub legs: Legs,
    /// Who did what meanwhile; of the last repetition.
    pub busy: Busy,
    /// Each repetition.
    pub runs: Vec<Run>,
    /// What the kernel's trace shows; the times of a case that has one are those of a kernel that traces, and are not compared with others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Traced>,
    /// Remarks for the reader.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// One repetition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Counted from 0.
    pub run: u32,
    /// How far the distance of two frames on the wire is from the period.
    pub jitter: Times,
    /// From the peer's send call to the board's answer in its program.
    pub rtt: Times,
    /// Frames that did not arrive, and requests without an answer.
    pub lost: u64,
    /// Of the bulk traffic.
    pub load_mbit: f64,
    /// Where the time of a frame goes.
    pub split: Split,
    /// Where the time of a round trip goes.
    pub legs: Legs,
    /// Who did what meanwhile.
    pub busy: Busy,
}

/// Times of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// How many.
    pub n: u64,
    /// Mean.
    pub mean_ms: f64,
    /// Standard deviation of the population.
    pub sd_ms: f64,
    /// 999 of 1000 are no more.
    pub p999_ms: f64,
    /// The most.
    pub max_ms: f64,
}

/// Mean and most of times of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeanMax {
    /// Mean.
    pub mean_ms: f64,
    /// The most.
    pub max_ms: f64,
}

/// A frame's way from when it was due to the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Split {
    /// Due until the thread runs.
    pub wake: MeanMax,
    /// The send call.
    pub call: MeanMax,
    /// From running to the driver: the call's part of it, and the queueing discipline.
    pub to_driver: MeanMax,
    /// From the driver until its last bit is on the wire.
    pub device: MeanMax,
}

/// A round trip's legs: the peer asks, the board answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Legs {
    /// Send call until the peer's driver has the request.
    pub out: MeanMax,
    /// On the board, from its kernel to the answer's send call.
    pub far: MeanMax,
    /// From the answer's send call until the board's driver has it; part of `wires`.
    #[serde(default)]
    pub far_to_driver: MeanMax,
    /// From the peer's kernel to its program.
    #[serde(rename = "in")]
    pub back: MeanMax,
    /// The rest: the board's queueing discipline, both devices, both wires.
    pub wires: MeanMax,
}

/// Who did what while frames were sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Busy {
    /// Threads of the kernel that carry packets, of all processors, the peer's among them.
    pub threads: Vec<Work>,
    /// Softirqs NET_RX of each processor, each second.
    pub net_rx_per_s: Vec<f64>,
    /// Softirqs NET_TX of each processor, each second.
    pub net_tx_per_s: Vec<f64>,
    /// How often the budget of a NET_RX ended, on all processors.
    pub squeezed: u64,
    /// Of the device, each second.
    pub interrupts_per_s: f64,
    /// TCP's, of the board.
    pub retransmissions: u64,
}

/// A thread of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Such as `irq/24-vmac0`.
    pub name: String,
    /// Such as `SCHED_FIFO`.
    pub policy: String,
    /// Real-time priority.
    pub priority: i32,
    /// Of a processor's time.
    pub share: f64,
}

impl Times {
    /// Of all together; the percentile is the worst of each, as it does not follow from them.
    fn together(all: impl Iterator<Item = Times> + Clone) -> Times {
        let n: u64 = all.clone().map(|times| times.n).sum();
        if n == 0 {
            return Times::default();
        }
        let weighed = |of: &dyn Fn(&Times) -> f64| {
            all.clone().map(|times| of(&times) * times.n as f64).sum::<f64>() / n as f64
        };
        let mean_ms = weighed(&|times| times.mean_ms);
        let variance = weighed(&|times| times.sd_ms.powi(2) + (times.mean_ms - mean_ms).powi(2));
        let most = |of: &dyn Fn(&Times) -> f64| all.clone().map(|times| of(&times)).fold(0.0, f64::max);
        Times {
            n,
            mean_ms,
            sd_ms: variance.sqrt(),
            p999_ms: most(&|times| times.p999_ms),
            max_ms: most(&|times| times.max_ms),
        }
    }
}

/// In virtual time a repetition may be the same as another to the last figure; it then counts once.
fn distinct(all: impl Iterator<Item = Times>) -> Vec<Times> {
    let mut distinct: Vec<Times> = Vec::new();
    for times in all {
        if !distinct.contains(&times) {
            distinct.push(times);
        }
    }
    distinct
}

impl MeanMax {
    fn together(all: impl Iterator<Item = MeanMax> + Clone) -> MeanMax {
        let n = all.clone().count().max(1) as f64;
        MeanMax {
            mean_ms: all.clone().map(|one| one.mean_ms).sum::<f64>() / n,
            max_ms: all.map(|one| one.max_ms).fold(0.0, f64::max),
        }
    }
}

impl RtnetCase {
    /// Takes the figures from its repetitions (MEA-101).
    pub fn pool(&mut self) {
        let runs = &self.runs;
        let jitter = Times::together(distinct(runs.iter().map(|run| run.jitter)).into_iter());
        let rtt = Times::together(distinct(runs.iter().map(|run| run.rtt)).into_iter());
        (self.n, self.jitter_mean_ms, self.jitter_sd_ms) = (jitter.n, jitter.mean_ms, jitter.sd_ms);
        (self.rtt_n, self.rtt_mean_ms, self.rtt_sd_ms) = (rtt.n, rtt.mean_ms, rtt.sd_ms);
        (self.jitter_max_ms, self.rtt_max_ms) = (jitter.max_ms, rtt.max_ms);
        self.lost = runs.iter().map(|run| run.lost).sum();
        self.load_mbit = runs.iter().map(|run| run.load_mbit).sum::<f64>() / runs.len().max(1) as f64;
        let of = |part: fn(&Run) -> MeanMax| MeanMax::together(runs.iter().map(part));
        self.split = Split {
            wake: of(|run| run.split.wake),
            call: of(|run| run.split.call),
            to_driver: of(|run| run.split.to_driver),
            device: of(|run| run.split.device),
        };
        self.legs = Legs {
            out: of(|run| run.legs.out),
            far: of(|run| run.legs.far),
            far_to_driver: of(|run| run.legs.far_to_driver),
            back: of(|run| run.legs.back),
            wires: of(|run| run.legs.wires),
        };
        self.busy = runs.last().map(|run| run.busy.clone()).unwrap_or_default();
    }

    /// Least and most of the repetitions' worst, of jitter and of round trips.
    pub fn spread_of_worst(&self) -> [(f64, f64); 2] {
        let ends = |of: fn(&Run) -> f64| {
            let all = self.runs.iter().map(of);
            (all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max))
        };
        [ends(|run| run.jitter.max_ms), ends(|run| run.rtt.max_ms)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_make_one_case() {
        // MEA-101: as if all times had been in one.
        let times = |n, mean_ms, sd_ms, max_ms| Times { n, mean_ms, sd_ms, p999_ms: max_ms, max_ms };
        // 1, 1, 1 and 5, 5: mean 2.6, variance 3.84.
        let runs = vec![
            Run { jitter: times(3, 1.0, 0.0, 1.0), lost: 2, load_mbit: 90.0, ..Run::default() },
            Run { run: 1, jitter: times(2, 5.0, 0.0, 5.0), lost: 1, load_mbit: 80.0, ..Run::default() },
        ];
        let mut case = RtnetCase { runs, ..RtnetCase::default() };
        case.pool();
        assert_eq!((case.n, case.lost, case.load_mbit, case.jitter_max_ms), (5, 3, 85.0, 5.0));
        assert!(
            (case.jitter_mean_ms - 2.6).abs() < 1e-9 && (case.jitter_sd_ms - 3.84_f64.sqrt()).abs() < 1e-9
        );
        assert_eq!((case.rtt_n, case.rtt_mean_ms), (0, 0.0));
        assert_eq!(case.spread_of_worst()[0], (1.0, 5.0));
    }

    #[test]
    fn a_repetition_that_is_the_same_as_another_counts_once() {
        let jitter = Times { n: 5_000, mean_ms: 1.0, sd_ms: 0.1, p999_ms: 2.0, max_ms: 3.0 };
        let runs = (0..3).map(|run| Run { run, jitter, ..Run::default() }).collect();
        let mut case = RtnetCase { runs, ..RtnetCase::default() };
        case.pool();
        assert_eq!((case.n, case.jitter_max_ms), (5_000, 3.0));
    }

    #[test]
    fn loads_have_names() {
        assert_eq!("receive".parse(), Ok(Load::Receive));
        assert_eq!("recv".parse::<Load>(), Err(UnknownLoad));
    }
}
