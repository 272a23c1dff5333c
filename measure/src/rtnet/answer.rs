//! The paper's open question: why ksoftirqd in real time made things worse beside sending (SPEC.md MEA-106).
//!
//! Pure. It is answered by what was measured in one run: where a request waits, and what is left of the difference when its cause is
//! switched off. Nothing is concluded from cells whose loads differ.

use std::fmt;

use serde::Serialize;

use super::RtnetCase;
use super::goals::LOAD_KEPT;

/// ksoftirqd not in real time and in real time, beside sending, with the driver's work in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// Release of the kernel.
    pub kernel: String,
    /// As the kernel is.
    pub with_trains: Pair,
    /// With single frames in place of trains of segments.
    pub without_trains: Pair,
    /// Whether what FIFO 1 makes worse with trains it does not without; `None`: the loads differ too much.
    pub trains_are_the_cause: Option<bool>,
}

/// The same cell at both priorities.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// `SCHED_OTHER`.
    pub other: Seen,
    /// `SCHED_FIFO` 1.
    pub fifo1: Seen,
}

/// What a cell shows of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Seen {
    /// Mean of round trips.
    pub rtt_mean_ms: f64,
    /// Of it, until the driver has the request.
    pub out_mean_ms: f64,
    /// Worst jitter.
    pub jitter_max_ms: f64,
    /// Of the bulk traffic.
    pub load_mbit: f64,
}

impl Seen {
    fn of(case: &RtnetCase) -> Seen {
        Seen {
            rtt_mean_ms: case.rtt_mean_ms,
            out_mean_ms: case.legs.out.mean_ms,
            jitter_max_ms: case.jitter_max_ms,
            load_mbit: case.load_mbit,
        }
    }
}

impl Pair {
    fn loads_are_alike(self) -> bool {
        let (one, other) = (self.other.load_mbit, self.fifo1.load_mbit);
        one.min(other) >= one.max(other) * LOAD_KEPT
    }

    fn is_worse_in_real_time(self) -> bool {
        self.fifo1.rtt_mean_ms > self.other.rtt_mean_ms
    }
}

/// For each kernel whose cells were run.
pub fn answers(cases: &[RtnetCase]) -> Vec<Answer> {
    let mut kernels: Vec<&str> = cases.iter().map(|case| case.kernel.as_str()).collect();
    kernels.dedup();
    kernels.into_iter().filter_map(|kernel| answer(cases, kernel)).collect()
}

fn answer(cases: &[RtnetCase], kernel: &str) -> Option<Answer> {
    let seen = |config: &str| {
        let wanted = |case: &&RtnetCase| {
            (case.kernel.as_str(), case.driver.as_str(), case.load.as_str(), case.config.as_str())
                == (kernel, "softirq", "send", config)
        };
        cases.iter().find(wanted).map(Seen::of)
    };
    let pair = |other: &str, fifo1: &str| Some(Pair { other: seen(other)?, fifo1: seen(fifo1)? });
    let with_trains = pair("untuned-other", "untuned-fifo1")?;
    let without_trains = pair("step:gso+other", "step:gso+fifo1")?;
    let comparable = with_trains.loads_are_alike() && without_trains.loads_are_alike();
    let cause = with_trains.is_worse_in_real_time() && !without_trains.is_worse_in_real_time();
    Some(Answer {
        kernel: kernel.to_owned(),
        with_trains,
        without_trains,
        trains_are_the_cause: comparable.then_some(cause),
    })
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Why ksoftirqd in real time is worse beside sending, Linux {}", self.kernel)?;
        for (what, pair) in
            [("with trains of segments", self.with_trains), ("without (gso_max_segs 1)", self.without_trains)]
        {
            writeln!(f, "- {what}, OTHER to FIFO 1: {pair}")?;
        }
        writeln!(f, "- {}", self.verdict())
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pair { other, fifo1 } = self;
        write!(
            f,
            "round trips {:.3} to {:.3} ms, of them until the driver has the request {:.3} to {:.3} ms; worst jitter {:.3} to {:.3} \
             ms; load {:.1} to {:.1} Mbit/s",
            other.rtt_mean_ms,
            fifo1.rtt_mean_ms,
            other.out_mean_ms,
            fifo1.out_mean_ms,
            other.jitter_max_ms,
            fifo1.jitter_max_ms,
            other.load_mbit,
            fifo1.load_mbit
        )
    }
}

impl Answer {
    fn verdict(&self) -> &'static str {
        match self.trains_are_the_cause {
            Some(true) => {
                "In real time round trips are longer with trains and not without: what is worse is the wait behind trains."
            }
            Some(false) => "What the paper saw is not seen here, or does not go with the trains.",
            None => "Not told: the loads differ too much to be compared.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::case;
    use super::*;

    fn cells(rtt: [f64; 4]) -> Vec<RtnetCase> {
        ["untuned-other", "untuned-fifo1", "step:gso+other", "step:gso+fifo1"]
            .into_iter()
            .zip(rtt)
            .map(|(config, rtt_mean_ms)| RtnetCase {
                driver: "softirq".to_owned(),
                rtt_mean_ms,
                ..case(config, "send")
            })
            .collect()
    }

    #[test]
    fn trains_are_the_cause_where_the_difference_goes_with_them() {
        let cause = |rtt| answers(&cells(rtt))[0].trains_are_the_cause;
        assert_eq!(cause([6.2, 7.5, 3.6, 1.8]), Some(true));
        assert_eq!(cause([6.2, 7.5, 1.8, 3.6]), Some(false));
        assert_eq!(cause([7.5, 6.2, 3.6, 1.8]), Some(false));
        assert!(answers(&cells([6.2, 7.5, 3.6, 1.8])[..3]).is_empty());
    }

    #[test]
    fn nothing_is_concluded_from_unequal_loads() {
        let mut cells = cells([6.2, 7.5, 3.6, 1.8]);
        cells[3].load_mbit = 50.0;
        let answers = answers(&cells);
        assert_eq!(answers[0].trains_are_the_cause, None);
        assert!(answers[0].to_string().contains("loads differ"), "{}", answers[0]);
    }
}
