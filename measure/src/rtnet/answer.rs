//! The paper's open question: why ksoftirqd in real time made things worse beside sending (SPEC.md MEA-106).
//!
//! Pure. It is answered by what was measured in one run: whether it does here, beyond what repetitions differ by, and what is left of it when
//! its cause is switched off; the kernel's trace shows what a frame waits for. Nothing is concluded from cells whose loads differ.

use std::fmt;

use serde::Serialize;

use super::goals::LOAD_KEPT;
use super::trace::Traced;
use super::{RtnetCase, Run};

/// With less than this part idle the processor is what is waited for.
const IDLE_TOLD: f64 = 0.1;

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
    /// What a frame waits for, by setting, where the kernel traced.
    pub traces: Vec<(String, Traced)>,
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
    /// How far a frame is from the period, mean of all, and of the repetitions the least and the most.
    pub jitter_ms: Spread,
    /// Round trips, the same.
    pub rtt_ms: Spread,
    /// Of it, from the board's send call to its driver, mean.
    pub to_driver_mean_ms: f64,
    /// Of the bulk traffic.
    pub load_mbit: f64,
}

/// A mean, and the least and the most of the repetitions' means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Of all.
    pub mean: f64,
    /// Of a repetition.
    pub least: f64,
    /// Of a repetition.
    pub most: f64,
}

impl Spread {
    fn of(mean: f64, runs: &[Run], one: fn(&Run) -> f64) -> Spread {
        let all = runs.iter().map(one);
        Spread { mean, least: all.clone().fold(mean, f64::min), most: all.fold(mean, f64::max) }
    }

    /// Beyond what repetitions differ by.
    fn is_above(self, other: Spread) -> bool {
        self.least > other.most
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ({:.3}–{:.3})", self.mean, self.least, self.most)
    }
}

impl Seen {
    fn of(case: &RtnetCase) -> Seen {
        Seen {
            jitter_ms: Spread::of(case.jitter_mean_ms, &case.runs, |run| run.jitter.mean_ms),
            rtt_ms: Spread::of(case.rtt_mean_ms, &case.runs, |run| run.rtt.mean_ms),
            to_driver_mean_ms: case.legs.far_to_driver.mean_ms,
            load_mbit: case.load_mbit,
        }
    }
}

impl Pair {
    fn loads_are_alike(self) -> bool {
        let (one, other) = (self.other.load_mbit, self.fifo1.load_mbit);
        one.min(other) >= one.max(other) * LOAD_KEPT
    }

    /// Of jitter and of round trips, whether it is worse in real time.
    fn worse(self) -> [bool; 2] {
        let Pair { other, fifo1 } = self;
        [fifo1.jitter_ms.is_above(other.jitter_ms), fifo1.rtt_ms.is_above(other.rtt_ms)]
    }
}

/// For each kernel whose cells were run.
pub fn answers(cases: &[RtnetCase]) -> Vec<Answer> {
    let mut kernels: Vec<&str> = cases.iter().map(|case| case.kernel.as_str()).collect();
    kernels.dedup();
    kernels.into_iter().filter_map(|kernel| answer(cases, kernel)).collect()
}

fn answer(cases: &[RtnetCase], kernel: &str) -> Option<Answer> {
    let of_kernel = cases.iter().filter(|case| {
        (case.kernel.as_str(), case.driver.as_str(), case.load.as_str()) == (kernel, "softirq", "send")
    });
    let seen = |config: &str| {
        of_kernel.clone().find(|case| case.config == config && case.trace.is_none()).map(Seen::of)
    };
    let pair = |other: &str, fifo1: &str| Some(Pair { other: seen(other)?, fifo1: seen(fifo1)? });
    let with_trains = pair("untuned-other", "untuned-fifo1")?;
    let without_trains = pair("step:gso+other", "step:gso+fifo1")?;
    let comparable = with_trains.loads_are_alike() && without_trains.loads_are_alike();
    let cause =
        with_trains.worse().into_iter().zip(without_trains.worse()).any(|(with, without)| with && !without);
    Some(Answer {
        kernel: kernel.to_owned(),
        with_trains,
        without_trains,
        trains_are_the_cause: comparable.then_some(cause),
        traces: of_kernel
            .clone()
            .filter_map(|case| Some((case.config.clone(), case.trace.clone()?)))
            .collect(),
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
        for (config, traced) in &self.traces {
            writeln!(f, "- the kernel's trace, {config}: {traced}")?;
        }
        if let Some([other, fifo1]) = self.idle() {
            writeln!(
                f,
                "- While a frame of the sender waits, the board's processor has nothing to do for {:.0} % of the time (OTHER) and {:.0} % (FIFO 1): so \
                 long it waits for the wire, behind what has been given to the device before it, which no priority of a thread shortens.",
                other * 100.0,
                fifo1 * 100.0
            )?;
        }
        writeln!(f, "- {}", self.verdict())
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pair { other, fifo1 } = self;
        write!(
            f,
            "jitter {} to {} ms; round trips {} to {} ms, of them from the board's send call to its driver {:.3} to {:.3}; load {:.1} to \
             {:.1} Mbit/s (means, of all and of a repetition)",
            other.jitter_ms,
            fifo1.jitter_ms,
            other.rtt_ms,
            fifo1.rtt_ms,
            other.to_driver_mean_ms,
            fifo1.to_driver_mean_ms,
            other.load_mbit,
            fifo1.load_mbit
        )
    }
}

impl Answer {
    /// Parts of the wait in which the processor is idle, at both priorities, with trains; where it is little, the wait is the processor's.
    fn idle(&self) -> Option<[f64; 2]> {
        let of = |config: &str| {
            Some(self.traces.iter().find(|(name, _)| name == config)?.1.idle())
                .filter(|idle| *idle >= IDLE_TOLD)
        };
        Some([of("untuned-other")?, of("untuned-fifo1")?])
    }

    fn verdict(&self) -> String {
        let [jitter, rtt] = self.cost_of_trains();
        let cost = format!(
            "at either priority trains make jitter {jitter:.1} times and round trips {rtt:.1} times as long, at least"
        );
        match (self.trains_are_the_cause, self.with_trains.worse()) {
            (None, _) => "Not told: the loads differ too much to be compared.".to_owned(),
            (Some(true), _) => format!(
                "In real time it is worse with trains and not without: what is worse is the wait behind trains; {cost}."
            ),
            (Some(false), [false, false]) => {
                format!("Here nothing is worse in real time, beyond what repetitions differ by; {cost}.")
            }
            (Some(false), _) => format!(
                "It is worse in real time without trains as well, so they are not the cause of that; {cost}."
            ),
        }
    }

    /// Of jitter and of round trips, the lesser of both priorities.
    fn cost_of_trains(&self) -> [f64; 2] {
        let times = |of: fn(Seen) -> Spread| {
            let ratio = |with, without| of(with).mean / of(without).mean;
            let (with, without) = (self.with_trains, self.without_trains);
            ratio(with.other, without.other).min(ratio(with.fifo1, without.fifo1))
        };
        [times(|seen| seen.jitter_ms), times(|seen| seen.rtt_ms)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::case;
    use super::super::{Share, Times};
    use super::*;

    /// Two repetitions, a tenth above and below.
    fn cells(rtt: [f64; 4]) -> Vec<RtnetCase> {
        ["untuned-other", "untuned-fifo1", "step:gso+other", "step:gso+fifo1"]
            .into_iter()
            .zip(rtt)
            .map(|(config, rtt_mean_ms)| {
                let run = |mean_ms| Run { rtt: Times { mean_ms, ..Times::default() }, ..Run::default() };
                let runs = vec![run(rtt_mean_ms * 0.9), run(rtt_mean_ms * 1.1)];
                RtnetCase { driver: "softirq".to_owned(), rtt_mean_ms, runs, ..case(config, "send") }
            })
            .collect()
    }

    #[test]
    fn trains_are_the_cause_where_the_difference_goes_with_them() {
        let answer = |rtt| answers(&cells(rtt)).remove(0);
        let cause = |rtt| answer(rtt).trains_are_the_cause;
        assert_eq!(cause([6.0, 7.5, 3.6, 1.8]), Some(true));
        assert_eq!(cause([6.0, 7.5, 1.8, 3.6]), Some(false));
        assert_eq!(cause([7.5, 6.0, 3.6, 1.8]), Some(false));
        assert!(answer([6.0, 7.5, 1.8, 3.6]).to_string().contains("without trains as well"));
        assert!(answer([7.5, 6.0, 2.0, 2.0]).to_string().contains("round trips 3.0 times"));
        assert!(answers(&cells([6.0, 7.5, 3.6, 1.8])[..3]).is_empty());
    }

    #[test]
    fn what_repetitions_differ_by_is_no_difference() {
        let answer = answers(&cells([6.0, 6.5, 3.6, 1.8])).remove(0);
        assert_eq!(answer.trains_are_the_cause, Some(false));
        assert!(answer.to_string().contains("nothing is worse"), "{answer}");
    }

    #[test]
    fn nothing_is_concluded_from_unequal_loads() {
        let mut cells = cells([6.0, 7.5, 3.6, 1.8]);
        cells[3].load_mbit = 50.0;
        let answers = answers(&cells);
        assert_eq!(answers[0].trains_are_the_cause, None);
        assert!(answers[0].to_string().contains("loads differ"), "{}", answers[0]);
    }

    #[test]
    fn an_idle_processor_is_told_where_both_traces_show_it() {
        let traced =
            |share| Traced { who: vec![Share { who: "idle".to_owned(), share }], ..Traced::default() };
        let told = |other, fifo1| {
            let mut cells = cells([6.0, 7.5, 3.6, 1.8]);
            for (index, idle) in [(0, other), (1, fifo1)] {
                cells.push(RtnetCase { trace: Some(traced(idle)), ..cells[index].clone() });
            }
            answers(&cells)[0].to_string()
        };
        assert!(told(0.55, 0.48).contains("for 55 % of the time (OTHER) and 48 % (FIFO 1)"));
        assert!(!told(0.55, 0.05).contains("nothing to do"));
    }

    #[test]
    fn a_kernel_that_traces_is_looked_at_and_not_compared() {
        let mut cells = cells([6.0, 7.5, 3.6, 1.8]);
        let trace = Some(Traced { frames: 7, ..Traced::default() });
        cells.insert(0, RtnetCase { trace, rtt_mean_ms: 99.0, ..cells[0].clone() });
        let answers = answers(&cells);
        assert_eq!((answers[0].with_trains.other.rtt_ms.mean, answers[0].traces.len()), (6.0, 1));
        assert!(answers[0].to_string().contains("trace, untuned-other: 7 frames"), "{}", answers[0]);
    }
}
