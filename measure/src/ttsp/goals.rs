//! What is wanted: nearly all that can be run passes.

use super::case::{KernelPort, Outcome, TtspCase};
use crate::study::{Bound, Figure, Goal, Least};

/// Share of the scenarios that can be run.
const PASSED_AT_LEAST: f64 = 0.98;
/// Fewest scenarios by which it can be met.
const ENOUGH: Least = Least { n: 100, rounds: 1 };

/// One for each port; what was not run is not judged.
pub fn goals(cases: &[TtspCase]) -> Vec<Goal> {
    KernelPort::ALL.into_iter().map(|port| goal(port, cases)).collect()
}

fn goal(port: KernelPort, cases: &[TtspCase]) -> Goal {
    let count =
        |outcome| cases.iter().filter(|case| case.port == port && case.result == outcome).count() as u64;
    let (passed, failed) = (count(Outcome::Passed), count(Outcome::Failed));
    let (id, wanted) = (
        format!("ttsp.{port}"),
        format!("at least {PASSED_AT_LEAST} of the scenarios that can be run pass on the {port} port"),
    );
    if passed + failed == 0 {
        return Goal::not_judged(id, wanted, "none was run");
    }
    let share = passed as f64 / (passed + failed) as f64;
    let figure = Figure::of_value(share, passed + failed, 1).missing(failed);
    Goal::judged(id, wanted, Bound::AtLeast(PASSED_AT_LEAST), vec![figure], ENOUGH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Verdict;

    fn cases(passed: usize, failed: usize) -> Vec<TtspCase> {
        let case = |result| TtspCase {
            scenario: "act_tsk_F-a".into(),
            about: "task_manage/act_tsk".into(),
            port: KernelPort::Hosted,
            result,
            reason: String::new(),
        };
        let outcomes = std::iter::repeat_n(Outcome::Passed, passed);
        outcomes.chain(std::iter::repeat_n(Outcome::Failed, failed)).map(case).collect()
    }

    #[test]
    fn few_scenarios_meet_nothing_and_may_miss() {
        for (passed, failed, verdict) in [
            (1_000, 0, Verdict::Met),
            (980, 20, Verdict::Met),
            (979, 21, Verdict::Missed),
            (99, 0, Verdict::NotJudged),
            (9, 1, Verdict::Missed),
        ] {
            let goals = goals(&cases(passed, failed));
            assert_eq!(goals[0].verdict, verdict, "{passed} {failed}");
            assert_eq!(goals[1].verdict, Verdict::NotJudged, "the other port was not run");
        }
    }
}
