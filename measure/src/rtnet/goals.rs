//! What the experiment wants to show, and whether it did (SPEC.md MEA-105).
//!
//! Pure. Invariant: a worst of too few frames may miss a goal and never meets it.

use super::RtnetCase;
use crate::study::{Bound, Figure, Goal, Least, ratio_of_pairs};

/// Fewest frames or round trips by whose worst, or beside which a load, a goal can be met.
const FRAMES: u64 = 10_000;
const ENOUGH: Least = Least { n: FRAMES, rounds: 1 };
/// What of the untuned load a tuned one must still be, for a comparison as well.
pub(super) const LOAD_KEPT: f64 = 0.9;
/// Ours, and what it is compared to.
const TUNED: &str = "tuned";
const UNTUNED: &str = "untuned-other";
/// Cores and ports.
type Layout = (u32, u32);

/// All goals, for each kernel.
pub fn goals(cases: &[RtnetCase]) -> Vec<Goal> {
    let mut kernels: Vec<&str> = cases.iter().map(|case| case.kernel.as_str()).collect();
    kernels.dedup();
    kernels.into_iter().flat_map(|kernel| Cases { cases, kernel }.goals()).collect()
}

struct Cases<'a> {
    cases: &'a [RtnetCase],
    kernel: &'a str,
}

/// A worst of a case, and of how many it is.
type Worst = fn(&RtnetCase) -> (f64, u64);

impl Cases<'_> {
    fn goals(&self) -> Vec<Goal> {
        let mut goals = vec![
            self.worst("jitter-send", "jitter beside sending", ((1, 1), "send"), 0.20, jitter),
            self.worst("jitter-receive", "jitter beside receiving", ((1, 1), "receive"), 0.15, jitter),
            self.worst("rtt-send", "round trip beside sending", ((1, 1), "send"), 1.5, rtt),
            self.worst(
                "rtt-receive",
                "round trip beside receiving, nothing lost",
                ((1, 1), "receive"),
                1.0,
                rtt,
            ),
        ];
        goals.extend(["send", "receive"].map(|load| self.kept(load)));
        goals.extend(["send", "receive"].map(|load| {
            let wanted = format!("jitter beside {load} load, two cores and two ports");
            self.worst(&format!("jitter-{load}-two"), &wanted, ((2, 2), load), 0.10, jitter)
        }));
        goals
    }

    fn find(&self, (cores, ports): Layout, load: &str, config: &str) -> Option<&RtnetCase> {
        self.cases.iter().find(|case| {
            case.kernel == self.kernel
                && case.driver == "thread"
                && (case.cores, case.ports, case.load.as_str(), case.config.as_str())
                    == (cores, ports, load, config)
        })
    }

    fn id(&self, name: &str) -> String {
        format!("rtnet.{}.{name}", self.kernel)
    }

    fn worst(&self, id: &str, what: &str, (layout, load): (Layout, &str), most_ms: f64, of: Worst) -> Goal {
        let wanted = format!("Linux {}: worst {what}, tuned: at most {most_ms} ms", self.kernel);
        let case = self.find(layout, load, TUNED);
        let figure = case.map(|case| {
            let (value, n) = of(case);
            Figure::of_value(value, n, case.runs.len()).missing(case.lost)
        });
        // What is lost is in no time, and infinitely late.
        let fault = case.filter(|case| case.lost > 0).map(|_| "what is missed never came".to_owned());
        Goal::judged(self.id(id), wanted, Bound::AtMost(most_ms), figure.into_iter().collect(), ENOUGH)
            .unless(fault)
    }

    fn kept(&self, load: &str) -> Goal {
        let wanted = format!("Linux {}: {load} load, tuned to untuned: at least {LOAD_KEPT}", self.kernel);
        let found = self.find((1, 1), load, TUNED).zip(self.find((1, 1), load, UNTUNED));
        let figure = found.and_then(|(tuned, untuned)| {
            let ratio = ratio_of_pairs(&loads(tuned), &loads(untuned))?;
            Some(Figure::of_rounds(ratio, tuned.n.min(untuned.n)))
        });
        let id = self.id(&format!("load-{load}"));
        Goal::judged(id, wanted, Bound::AtLeast(LOAD_KEPT), figure.into_iter().collect(), ENOUGH)
    }
}

/// Of each run.
fn loads(case: &RtnetCase) -> Vec<(u32, f64)> {
    case.runs.iter().map(|run| (run.run, run.load_mbit)).collect()
}

fn jitter(case: &RtnetCase) -> (f64, u64) {
    (case.jitter_max_ms, case.n)
}

fn rtt(case: &RtnetCase) -> (f64, u64) {
    (case.rtt_max_ms, case.rtt_n)
}

#[cfg(test)]
mod tests {
    use super::super::Run;
    use super::super::table::tests::case;
    use super::*;
    use crate::study::Verdict;

    fn goal(cases: &[RtnetCase], wanted: &str) -> Goal {
        goals(cases).into_iter().find(|goal| goal.wanted.contains(wanted)).unwrap()
    }

    #[test]
    fn a_worst_meets_its_goal_only_if_it_is_of_enough_frames_and_nothing_was_lost() {
        let tuned =
            RtnetCase { n: FRAMES, jitter_max_ms: 0.19, runs: vec![Run::default()], ..case("tuned", "send") };
        let verdict = |case: RtnetCase| goal(&[case], "jitter beside sending").verdict;
        assert_eq!(verdict(tuned.clone()), Verdict::Met);
        assert_eq!(verdict(RtnetCase { n: FRAMES - 1, ..tuned.clone() }), Verdict::NotJudged);
        assert_eq!(verdict(RtnetCase { lost: 1, ..tuned.clone() }), Verdict::Missed);
        assert_eq!(verdict(RtnetCase { jitter_max_ms: 0.21, n: 5, ..tuned.clone() }), Verdict::Missed);
        assert_eq!(verdict(RtnetCase { driver: "softirq".to_owned(), ..tuned }), Verdict::NotJudged);
    }

    #[test]
    fn throughput_is_compared_with_the_untuned_run_by_run_and_beside_enough_frames() {
        let of = |config: &str, n: u64, mbit: [f64; 3]| {
            let run = |(run, load_mbit): (u32, f64)| Run { run, load_mbit, ..Run::default() };
            let runs = (0..).zip(mbit).map(run).collect();
            RtnetCase { n, runs, ..case(config, "send") }
        };
        let judged = |n, tuned: [f64; 3]| {
            goal(
                &[of("untuned-other", FRAMES, [100.0, 80.0, 90.0]), of("tuned", n, tuned)],
                "tuned to untuned",
            )
        };
        let kept = judged(FRAMES, [95.0, 76.0, 90.0]);
        assert_eq!(
            (kept.verdict, kept.figure.map(|figure| (figure.value, figure.low))),
            (Verdict::Met, Some((0.95, 0.95)))
        );
        assert_eq!(judged(FRAMES - 1, [95.0, 76.0, 90.0]).verdict, Verdict::NotJudged);
        assert_eq!(judged(FRAMES, [95.0, 70.0, 90.0]).verdict, Verdict::Undecided);
        assert_eq!(judged(FRAMES, [89.0, 70.0, 80.0]).verdict, Verdict::Missed);
    }
}
