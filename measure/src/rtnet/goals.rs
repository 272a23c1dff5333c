//! What the experiment wants to show, and whether it did (SPEC.md MEA-105).
//!
//! Pure. Invariant: a worst of too few frames may miss a goal and never meets it.

use std::fmt;

use serde::Serialize;

use super::RtnetCase;

/// Fewest frames or round trips by whose worst a goal can be met.
const FRAMES: u64 = 10_000;
/// What of the untuned load a tuned one must still be, for a comparison as well.
pub(super) const LOAD_KEPT: f64 = 0.9;
/// Ours, and what it is compared to.
const TUNED: &str = "tuned";
const UNTUNED: &str = "untuned-other";

/// One goal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Goal {
    /// What was wanted.
    pub wanted: String,
    /// The figure; `None` if what it is made of was not run.
    pub figure: Option<f64>,
    /// Frames or round trips it is made of.
    pub n: u64,
    /// Whether it is as wanted; `None` if that cannot be told.
    pub met: Option<bool>,
    /// Why it is not told, or what else was missed.
    pub because: String,
}

impl Goal {
    /// Whether it is as wanted, in words.
    pub fn verdict(&self) -> &'static str {
        match self.met {
            Some(true) => "met",
            Some(false) => "missed",
            None => "not judged",
        }
    }

    /// What the verdict is made from.
    pub fn figures(&self) -> String {
        let figure =
            self.figure.map_or("was not run".to_owned(), |figure| format!("{figure:.3}, n = {}", self.n));
        if self.because.is_empty() { figure } else { format!("{figure}; {}", self.because) }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.verdict(), self.wanted, self.figures())
    }
}

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

impl Cases<'_> {
    fn goals(&self) -> Vec<Goal> {
        let mut goals = vec![
            self.worst("jitter beside sending", (1, 1), "send", 0.20, jitter),
            self.worst("jitter beside receiving", (1, 1), "receive", 0.15, jitter),
            self.worst("round trip beside sending", (1, 1), "send", 1.5, rtt),
            self.worst("round trip beside receiving, nothing lost", (1, 1), "receive", 1.0, rtt),
        ];
        goals.extend(["send", "receive"].map(|load| self.kept(load)));
        goals.extend(["send", "receive"].map(|load| {
            let wanted = format!("jitter beside {load} load, two cores and two ports");
            self.worst(&wanted, (2, 2), load, 0.10, jitter)
        }));
        goals
    }

    fn find(&self, (cores, ports): (u32, u32), load: &str, config: &str) -> Option<&RtnetCase> {
        self.cases.iter().find(|case| {
            case.kernel == self.kernel
                && case.driver == "thread"
                && (case.cores, case.ports, case.load.as_str(), case.config.as_str())
                    == (cores, ports, load, config)
        })
    }

    fn worst(
        &self,
        wanted: &str,
        layout: (u32, u32),
        load: &str,
        bound: f64,
        of: fn(&RtnetCase) -> (f64, u64),
    ) -> Goal {
        let wanted = format!("Linux {}: worst {wanted}, tuned: at most {bound} ms", self.kernel);
        let Some(case) = self.find(layout, load, TUNED) else {
            return Goal { wanted, figure: None, n: 0, met: None, because: String::new() };
        };
        let (figure, n) = of(case);
        let (met, because) = match (figure <= bound, case.lost, n) {
            (_, 1.., _) => (Some(false), format!("{} lost", case.lost)),
            (false, 0, _) => (Some(false), String::new()),
            (true, 0, ..FRAMES) => (None, format!("n too small, give at least {FRAMES}")),
            (true, 0, _) => (Some(true), String::new()),
        };
        Goal { wanted, figure: Some(figure), n, met, because }
    }

    fn kept(&self, load: &str) -> Goal {
        let wanted = format!("Linux {}: {load} load, tuned to untuned: at least {LOAD_KEPT}", self.kernel);
        let found = self.find((1, 1), load, TUNED).zip(self.find((1, 1), load, UNTUNED));
        let share = found.map(|(tuned, untuned)| tuned.load_mbit / untuned.load_mbit);
        let share = share.filter(|share| share.is_finite());
        let n = found.map_or(0, |(tuned, _)| tuned.n);
        Goal { wanted, figure: share, n, met: share.map(|share| share >= LOAD_KEPT), because: String::new() }
    }
}

fn jitter(case: &RtnetCase) -> (f64, u64) {
    (case.jitter_max_ms, case.n)
}

fn rtt(case: &RtnetCase) -> (f64, u64) {
    (case.rtt_max_ms, case.rtt_n)
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::case;
    use super::*;

    fn goal(cases: &[RtnetCase], wanted: &str) -> Goal {
        goals(cases).into_iter().find(|goal| goal.wanted.contains(wanted)).unwrap()
    }

    #[test]
    fn a_worst_meets_its_goal_only_if_it_is_of_enough_frames_and_nothing_was_lost() {
        let tuned = RtnetCase { jitter_max_ms: 0.19, ..case("tuned", "send") };
        assert_eq!(goal(std::slice::from_ref(&tuned), "jitter beside sending").met, Some(true));
        let few = RtnetCase { n: FRAMES - 1, ..tuned.clone() };
        assert_eq!(goal(&[few], "jitter beside sending").met, None);
        let lost = RtnetCase { lost: 1, ..tuned.clone() };
        assert_eq!(goal(&[lost], "jitter beside sending").met, Some(false));
        let late = RtnetCase { jitter_max_ms: 0.21, n: 5, ..tuned.clone() };
        assert_eq!(goal(&[late], "jitter beside sending").met, Some(false));
        let elsewhere = RtnetCase { driver: "softirq".to_owned(), ..tuned };
        assert_eq!(goal(&[elsewhere], "jitter beside sending").figure, None);
    }

    #[test]
    fn throughput_is_compared_with_the_untuned() {
        let untuned = RtnetCase { load_mbit: 100.0, ..case("untuned-other", "send") };
        let tuned = RtnetCase { load_mbit: 89.0, ..case("tuned", "send") };
        let goal = goal(&[untuned, tuned], "send load, tuned to untuned");
        assert_eq!((goal.figure, goal.met), (Some(0.89), Some(false)));
    }
}
