//! What is wanted: no path is longer, at its worst, than was set.

use super::case::RtosCase;
use super::paths::{PATHS, Path};
use super::ratios::RATIOS;
use crate::study::{Bound, Figure, Goal, Least};

/// Fewest counts by which one can be met.
const ENOUGH: Least = Least { n: 16, rounds: 1 };

/// One for each path that has one.
pub fn goals(cases: &[RtosCase]) -> Vec<Goal> {
    let paths = PATHS.iter().filter_map(|path| path.goal.map(|most| goal(path, most, cases)));
    paths.chain(RATIOS.iter().map(|ratio| ratio.goal(cases))).collect()
}

fn of<'a>(path: &Path, cases: &'a [RtosCase]) -> Option<&'a RtosCase> {
    let same = |case: &&RtosCase| {
        (&*case.name, &*case.what, case.cores, case.bytes) == (path.name, path.what, path.cores, path.bytes)
    };
    cases.iter().find(same)
}

fn goal(path: &Path, most: u64, cases: &[RtosCase]) -> Goal {
    let size = path.bytes.map_or(String::new(), |bytes| format!(".{}.{bytes}", path.cores));
    let id = match path.name {
        "masked" => format!("rtos.{}", path.counted.replace('_', ".")),
        name => format!("rtos.{name}{size}"),
    };
    let of_bytes = path.bytes.map_or(String::new(), |bytes| format!(", {bytes} bytes"));
    let wanted = format!("{}{of_bytes}: at most {most} instructions", path.what);
    match of(path, cases) {
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
