//! What is wanted: fewer long waits than without a look at Linux's locks, for few instructions.

use std::collections::BTreeSet;

use super::case::DualosCase;
use crate::study::{Bound, Figure, Goal, Least, middle, ratio_of_pairs};

/// Fewest rounds by which one can be met.
const ENOUGH: Least = Least { n: 1000, rounds: 6 };
/// Long waits under `least-locked`, of those under `static`.
const LONG_MOST: f64 = 0.1;
/// The longest start with the look, of that without.
const START_MOST: f64 = 1.15;

/// What is compared there.
const LOOK: [&str; 2] = ["least-locked", "static"];
/// Instructions of a long message, of those of a short one.
const LENGTH_MOST: f64 = 1.05;
/// What Linux does where no activation is to be missed.
const WORST: [&str; 4] = ["work", "calls", "reboot", "panic"];

/// Time of CPU-bound tasks beside a load, of the ideal.
const IDEAL_MOST: f64 = 1.05;
/// Their arms: four tasks, one of two processors loaded.
const LOADED: [(&str, &str); 2] =
    [("tasks-constant-80", "80 %"), ("tasks-changing-80", "80 % that comes and goes")];

/// One for each.
pub fn goals(cases: &[DualosCase]) -> Vec<Goal> {
    let mean = |case: &DualosCase| Some(case.way.as_ref()?.mean);
    let worst = |case: &DualosCase| Some(case.way.as_ref()?.worst as f64);
    let mut goals = vec![
        of(
            cases,
            "dualos.spin.long-waits",
            "long waits for spin locks for each 1 000 activations, least-locked of static: at most 0.1",
            ("spin", LOOK, LONG_MOST),
            DualosCase::long_per_1000,
        ),
        of(
            cases,
            "dualos.start.mean",
            "instructions to a task's first function, least-locked of static, the mean: at most 1.15",
            ("start", LOOK, START_MOST),
            mean,
        ),
        of(
            cases,
            "dualos.start.worst",
            "instructions to a task's first function, least-locked of static, the worst of each round: at most 1.15",
            ("start", LOOK, START_MOST),
            worst,
        ),
    ];
    goals.extend(LOADED.map(|(arm, words)| ideal(cases, arm, words)));
    goals.push(of(
        cases,
        "dualos.topic.length",
        "instructions of a message there and back, 256 KiB of 64 bytes: at most 1.05",
        ("topic", ["in-place-262144", "in-place-64"], LENGTH_MOST),
        mean,
    ));
    goals.push(missed(cases));
    goals
}

/// Activations that were missed while Linux did its worst.
fn missed(cases: &[DualosCase]) -> Goal {
    let of: Vec<(&DualosCase, u64)> = cases
        .iter()
        .filter(|case| case.study == "fault" && WORST.contains(&&*case.arm))
        .filter_map(|case| Some((case, case.placed.as_ref()?.missed)))
        .collect();
    let (missed, n): (u64, u64) =
        (of.iter().map(|(_, missed)| missed).sum(), of.iter().map(|(case, _)| case.n).sum());
    let rounds: BTreeSet<u32> = of.iter().map(|(case, _)| case.round).collect();
    let wanted = "activations missed while Linux works, calls without end, reboots and panics: none";
    let parts =
        (!of.is_empty()).then(|| Figure::of_value(missed as f64, n, rounds.len())).into_iter().collect();
    Goal::judged("dualos.fault.missed", wanted, Bound::AtMost(0.0), parts, ENOUGH)
}

fn ideal(cases: &[DualosCase], arm: &str, words: &str) -> Goal {
    let of: Vec<&DualosCase> =
        cases.iter().filter(|case| (&*case.arm, case.accounting) == (arm, Some(true))).collect();
    let n = of.iter().map(|case| case.n).sum();
    let middle = middle(of.iter().filter_map(|case| case.of_ideal()));
    let wanted =
        format!("time of 4 tasks, one of 2 processors loaded {words}, of the ideal: at most {IDEAL_MOST}");
    let parts = middle.map(|middle| Figure::of_rounds(middle, n)).into_iter().collect();
    Goal::judged(format!("dualos.capacity.{arm}"), wanted, Bound::AtMost(IDEAL_MOST), parts, ENOUGH)
}

fn of(
    cases: &[DualosCase],
    id: &str,
    wanted: &str,
    (study, [first, second], most): (&str, [&str; 2], f64),
    figure: impl Fn(&DualosCase) -> Option<f64>,
) -> Goal {
    let arm = |name: &str| -> Vec<(u32, f64)> {
        let here = cases.iter().filter(|case| (&*case.study, &*case.arm) == (study, name));
        here.filter_map(|case| Some((case.round, figure(case)?))).collect()
    };
    let n = cases.iter().filter(|case| case.study == study && case.arm == first).map(|case| case.n).sum();
    let ratio = ratio_of_pairs(&arm(first), &arm(second));
    let parts = ratio.map(|middle| Figure::of_rounds(middle, n)).into_iter().collect();
    Goal::judged(id, wanted, Bound::AtMost(most), parts, ENOUGH)
}

#[cfg(test)]
mod tests {
    use super::super::case::{Placed, Waits, Way};
    use super::*;
    use crate::study::Verdict;

    fn case(study: &str, arm: &str, round: u32, long: u64, worst: u64) -> DualosCase {
        let placed =
            Placed { activations: 1000, moved: 0, held: 0, unknown: 0, nowhere: 0, missed: 0, arrived: 0 };
        DualosCase {
            study: study.into(),
            arm: arm.into(),
            cpus: 2,
            kernel: String::new(),
            round,
            placed: Some(placed),
            waits: Some(Waits { all: long, long, ..Waits::default() }),
            mutex: None,
            way: Some(Way { mean: worst as f64 / 2.0, worst, n: 1000 }),
            seconds: None,
            ideal_seconds: None,
            accounting: None,
            n: 1000,
        }
    }

    fn verdicts(rounds: u32, long: u64, worst: u64) -> Vec<Verdict> {
        let both = |round| {
            ["spin", "start"].into_iter().flat_map(move |study| {
                [case(study, "static", round, 20, 400), case(study, "least-locked", round, long, worst)]
            })
        };
        let cases: Vec<DualosCase> = (1..=rounds).flat_map(both).collect();
        goals(&cases).iter().take(3).map(|goal| goal.verdict).collect()
    }

    #[test]
    fn both_arms_of_a_round_are_compared() {
        assert_eq!(verdicts(6, 2, 460), [Verdict::Met; 3]);
        assert_eq!(verdicts(6, 3, 461), [Verdict::Missed; 3]);
        assert_eq!(verdicts(5, 2, 460), [Verdict::NotJudged; 3], "too few rounds");
        let loaded = |round| DualosCase {
            seconds: Some(1.04),
            ideal_seconds: Some(1.0),
            accounting: Some(true),
            ..case("capacity", "tasks-constant-80", round, 0, 0)
        };
        let cases: Vec<DualosCase> = (1..=6).map(loaded).collect();
        let verdicts: Vec<Verdict> = goals(&cases).iter().skip(3).map(|goal| goal.verdict).collect();
        assert_eq!(verdicts, [Verdict::Met, Verdict::NotJudged, Verdict::NotJudged, Verdict::NotJudged]);
        let last = |missed: u64| {
            let fault = |round| {
                let mut case = case("fault", "panic", round, 0, 0);
                case.placed = case.placed.map(|placed| Placed { missed, ..placed });
                case
            };
            let cases: Vec<DualosCase> = (1..=6).map(fault).collect();
            goals(&cases).last().map(|goal| goal.verdict)
        };
        assert_eq!((last(0), last(1)), (Some(Verdict::Met), Some(Verdict::Missed)));
        assert!(goals(&[]).iter().all(|goal| goal.verdict == Verdict::NotJudged));
    }
}
