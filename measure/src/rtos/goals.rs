//! What is wanted: no path is longer, at its worst, than was set.

use super::case::RtosCase;
use super::paths::{PATHS, Path};
use crate::study::{Bound, Figure, Goal, Least};

/// Fewest counts by which one can be met.
const ENOUGH: Least = Least { n: 16, rounds: 1 };

/// One for each path that has one.
pub fn goals(cases: &[RtosCase]) -> Vec<Goal> {
    PATHS.iter().filter_map(|path| path.goal.map(|most| goal(path, most, cases))).collect()
}

fn goal(path: &Path, most: u64, cases: &[RtosCase]) -> Goal {
    let id = format!("rtos.{}", path.name);
    let wanted = format!("{}: at most {most} instructions", path.what);
    match cases.iter().find(|case| case.name == path.name) {
        None => Goal::not_judged(id, wanted, "it was not counted"),
        Some(case) => {
            let figure = Figure::of_value(case.worst as f64, case.n, 1);
            Goal::judged(id, wanted, Bound::AtMost(most as f64), vec![figure], ENOUGH)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Verdict;

    #[test]
    fn the_worst_of_enough_counts_is_judged() {
        let verdict = |counts: &[u64]| {
            let case = RtosCase::new(&PATHS[0], counts);
            goals(&[case]).remove(0).verdict
        };
        assert_eq!(verdict(&[110; 16]), Verdict::Met);
        assert_eq!(verdict(&[110; 15]), Verdict::NotJudged);
        let mut counts = [100; 16];
        counts[7] = 111;
        assert_eq!(verdict(&counts), Verdict::Missed);
        assert!(goals(&[]).iter().all(|goal| goal.verdict == Verdict::NotJudged));
    }
}
