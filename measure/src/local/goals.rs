//! What the experiment wants to show, and whether it did (LAB-88, LAB-90).
//!
//! Pure. Invariant: too few samples or rounds may miss a goal and never meet it.

use crate::study::{Bound, Figure, Goal, Least};

use super::case::LocalCase;
use super::overload::OverloadCase;
use super::ratio;
use super::size::{self, Size};
use super::who::{Kind, kind_of};

/// Fewest samples in all rounds, and fewest rounds, by whose medians a goal can be met.
const ENOUGH: Least = Least { n: 300, rounds: 6 };
/// Fewest calls by whose 99.9th percentile it can: ten are above it.
const CALLS: Least = Least { n: 10_000, rounds: 0 };
/// Our own between threads, in processes, and over TCPROS in both directions.
const OURS: &str = "tokkyu-thread";

/// All goals.
pub fn goals(cases: &[LocalCase], overload: &[OverloadCase]) -> Vec<Goal> {
    let cases = Cases(cases);
    vec![
        cases.against("in-process", "in process", OURS, "floor-futex", 1.1),
        cases.flat(1.1),
        cases.below_all(),
        cases.against("processes", "between processes", "tokkyu-process", "iceoryx2", 1.1),
        cases.against("tcpros", "over TCPROS to a node of roscpp", "tokkyu-tcpros", "roscpp-tcp", 1.0),
        cases.against(
            "tcpros-subscriber",
            "over TCPROS from a node of roscpp",
            "tokkyu-tcpros-subscriber",
            "roscpp-tcp",
            1.0,
        ),
        cases.not_periodic([OURS, "tokkyu-process"], 0.5),
        calls(overload, 2.0),
        accounted(overload),
    ]
}

struct Cases<'a>(&'a [LocalCase]);

impl Cases<'_> {
    fn of<'s>(&'s self, peer: &'s str) -> impl Iterator<Item = &'s LocalCase> {
        self.0.iter().filter(move |case| case.peer == peer)
    }

    fn at(&self, peer: &str, bytes: u64) -> Option<&LocalCase> {
        self.0.iter().find(|case| case.peer == peer && case.bytes == bytes)
    }

    fn against(&self, id: &str, what: &str, ours: &str, other: &str, most: f64) -> Goal {
        let wanted = format!("{what}: p50 of {ours} at most {most} x {other}");
        let beside = |case: &LocalCase| ratio::of_medians(case, self.at(other, case.bytes)?);
        let figures = self.of(ours).filter_map(beside).collect();
        Goal::judged(format!("local.{id}"), wanted, Bound::AtMost(most), figures, ENOUGH)
    }

    /// To fill 3 MB puts out of the caches what waking needs, and that is in the floor's latency too: its own ratio is told beside.
    fn flat(&self, most: f64) -> Goal {
        let [small, large] = [Size::SMALL, Size::LARGE];
        let wanted = format!("flat in size: p50 of {OURS} with {large} at most {most} x {small}");
        let figures: Vec<Figure> = self.large_to_small(OURS).into_iter().collect();
        let floor = self.large_to_small("floor-futex").filter(|_| !figures.is_empty());
        let goal = Goal::judged("local.flat", wanted, Bound::AtMost(most), figures, ENOUGH);
        goal.with_words(floor.map_or(String::new(), |ratio| format!("floor-futex {}", ratio.told())))
    }

    fn large_to_small(&self, peer: &str) -> Option<Figure> {
        let at = |size: Size| self.at(peer, size.bytes().into());
        ratio::of_medians(at(Size::LARGE)?, at(Size::SMALL)?)
    }

    fn below_all(&self) -> Goal {
        let wanted = format!("p50 of {OURS} below every rival's");
        let beside = |case: &LocalCase| {
            let rivals = self
                .0
                .iter()
                .filter(|other| kind_of(&other.peer) == Some(Kind::Rival) && other.bytes == case.bytes);
            let named = |rival: &LocalCase| {
                let figure = ratio::of_medians(case, rival)?;
                Some(figure.clone().named(format!("{} of {}", figure.of, rival.peer)))
            };
            rivals.filter_map(named).collect::<Vec<Figure>>()
        };
        let figures = self.of(OURS).flat_map(beside).collect();
        Goal::judged("local.below-all", wanted, Bound::Below(1.0), figures, ENOUGH)
    }

    /// Spikes come back at no period: of the one that they keep best, the middle round has spikes at so many of its occurrences at most (LAB-92).
    fn not_periodic(&self, ours: [&str; 2], most: f64) -> Goal {
        let [one, other] = ours;
        let wanted = format!(
            "no spikes (2 x the mean) at a period: {one} and {other} have them at {most} of its occurrences at most"
        );
        let figures: Vec<Figure> =
            ours.iter().flat_map(|peer| self.of(peer)).filter_map(ratio::of_periods).collect();
        let floor =
            self.of("floor-futex").filter_map(ratio::of_periods).map(|share| share.value).reduce(f64::max);
        let words = floor
            .filter(|_| !figures.is_empty())
            .map_or(String::new(), |share| format!("floor-futex {share:.2}"));
        Goal::judged("local.periodic", wanted, Bound::AtMost(most), figures, ENOUGH).with_words(words)
    }
}

fn calls(cases: &[OverloadCase], most: f64) -> Goal {
    let wanted =
        format!("publisher at 10 times the subscriber's rate: p99.9 of publish at most {most} x its p50");
    let figure =
        |case: &OverloadCase| Some(Figure::of_value(case.ratio()?, case.n, 0).named(size::told(case.bytes)));
    let floor = |case: &OverloadCase| Some(format!("{} {:.2}", size::told(case.bytes), case.floor_ratio()?));
    let figures: Vec<Figure> = cases.iter().filter_map(figure).collect();
    let floors: Vec<String> = cases.iter().filter_map(floor).filter(|_| !figures.is_empty()).collect();
    let words = match floors.is_empty() {
        true => String::new(),
        false => format!("four words that both threads change, beside each call: {}", floors.join(", ")),
    };
    Goal::judged("local.overload-calls", wanted, Bound::AtMost(most), figures, CALLS).with_words(words)
}

fn accounted(cases: &[OverloadCase]) -> Goal {
    let wanted = "the same: nothing torn, got + dropped = published";
    let sum = |of: fn(&OverloadCase) -> u64| cases.iter().map(of).fold(0, u64::saturating_add);
    let (torn, gap) = (sum(|case| case.torn), sum(OverloadCase::gap));
    let (got, dropped, n) = (sum(|case| case.got), sum(|case| case.dropped), sum(|case| case.published));
    let figures: Vec<Figure> = match cases.is_empty() {
        true => Vec::new(),
        false => vec![Figure::of_value(torn.saturating_add(gap) as f64, n, 0)],
    };
    let words =
        if cases.is_empty() { String::new() } else { format!("torn {torn}, {got} + {dropped} of {n}") };
    Goal::judged("local.accounted", wanted, Bound::AtMost(0.0), figures, Least::default()).with_words(words)
}

#[cfg(test)]
mod tests {
    use super::super::case::tests::case;
    use super::*;
    use crate::study::Verdict;

    fn value(goal: &Goal) -> Option<f64> {
        goal.figure.as_ref().map(|figure| figure.value)
    }

    fn goal(cases: &[LocalCase], wanted: &str) -> Goal {
        goals(cases, &[]).into_iter().find(|goal| goal.wanted.contains(wanted)).unwrap()
    }

    const LARGE: u64 = 3_145_728;

    #[test]
    fn a_ratio_is_that_of_the_worst_size() {
        let cases = [
            case("floor-futex", 64, 40.0),
            case("tokkyu-thread", 64, 41.0),
            case("floor-futex", LARGE, 40.0),
            case("tokkyu-thread", LARGE, 44.0),
            case("tokkyu-thread", 4096, 1_000.0),
        ];
        let met = goal(&cases, "1.1 x floor-futex");
        assert_eq!((value(&met), met.verdict), (Some(1.1), Verdict::Met));
        let told = met.to_string();
        assert!(told.contains("64 B 1.025") && told.contains("worst 3 MB 1.100, n = 900"), "{told}");
        let flat = goal(&cases, "flat in size");
        assert_eq!(
            (value(&flat).map(|figure| (figure * 100.0).round()), flat.verdict),
            (Some(107.0), Verdict::Met)
        );
        assert!(flat.to_string().ends_with("; floor-futex 3 MB 1.000)"), "{flat}");
        let slow = [case("floor-futex", 64, 40.0), case("tokkyu-thread", 64, 44.1)];
        assert_eq!(goal(&slow, "1.1 x floor-futex").verdict, Verdict::Missed);
        assert_eq!(goal(&slow, "flat in size").verdict, Verdict::NotJudged);
    }

    #[test]
    fn every_rival_counts_and_neither_floors_nor_our_own() {
        let mut cases = vec![
            case("floor-futex", 64, 10.0),
            case("tokkyu-tcpros", 64, 10.0),
            case("tokkyu-thread", 64, 40.0),
            case("fastdds", 64, 80.0),
            case("roscpp-intra-ptr", 64, 50.0),
        ];
        let met = goal(&cases, "below every rival");
        assert_eq!((value(&met), met.verdict), (Some(0.8), Verdict::Met));
        assert!(met.figures().contains("roscpp-intra-ptr"), "{met}");
        cases.push(case("iceoryx", 64, 40.0));
        assert_eq!(goal(&cases, "below every rival").verdict, Verdict::Missed, "as fast is not below");
    }

    #[test]
    fn few_rounds_may_miss_and_never_meet() {
        let few = |p50_us| LocalCase {
            round_numbers: vec![0, 1],
            p50_rounds_us: vec![p50_us; 2],
            ..case("tokkyu-tcpros", 64, p50_us)
        };
        let other = case("roscpp-tcp", 64, 200.0);
        assert_eq!(goal(&[few(100.0), other.clone()], "to a node of roscpp").verdict, Verdict::NotJudged);
        assert_eq!(goal(&[few(201.0), other.clone()], "to a node of roscpp").verdict, Verdict::Missed);
        let little = LocalCase { n: 299, ..case("tokkyu-tcpros", 64, 100.0) };
        assert_eq!(goal(&[little, other], "to a node of roscpp").verdict, Verdict::NotJudged);
    }

    #[test]
    fn what_the_rounds_leave_possible_decides() {
        // Every second round is slow for ours: the figure is the mean of both kinds.
        let ours = |fast: f64, slow: f64| {
            let p50_rounds_us = (0..24).map(|round| if round % 2 == 0 { fast } else { slow }).collect();
            let round_numbers = (0..24).collect();
            let middle = f64::midpoint(fast, slow);
            LocalCase { p50_rounds_us, round_numbers, ..case("tokkyu-tcpros", 64, middle) }
        };
        let other = LocalCase {
            p50_rounds_us: vec![100.0; 24],
            round_numbers: (0..24).collect(),
            ..case("roscpp-tcp", 64, 100.0)
        };
        let of = |ours: LocalCase| goal(&[ours, other.clone()], "to a node of roscpp");
        assert_eq!(of(ours(80.0, 96.0)).verdict, Verdict::Met);
        assert_eq!(of(ours(101.0, 110.0)).verdict, Verdict::Missed);
        let undecided = of(ours(80.0, 110.0));
        assert_eq!(undecided.verdict, Verdict::Undecided);
        assert!(undecided.to_string().contains("0.9500 (0.8000–1.100)"), "{undecided}");
        assert_eq!(undecided.figure.map(|figure| (figure.low, figure.rounds)), Some((0.8, 24)));
    }

    #[test]
    fn what_was_not_run_is_not_judged() {
        let told = goal(&[case("iceoryx2", 64, 80.0)], "between processes").to_string();
        assert!(
            told.starts_with("not judged: between processes") && told.ends_with("(was not run)"),
            "{told}"
        );
        assert!(goals(&[], &[]).iter().all(|goal| goal.verdict == Verdict::NotJudged));
    }

    #[test]
    fn spikes_at_a_period_miss_and_spikes_now_and_then_do_not() {
        let periodic = |peer, share: f64| LocalCase {
            periodic_rounds: vec![share, share, 0.2, 0.9, share, share],
            ..case(peer, 64, 40.0)
        };
        let cases =
            [periodic("tokkyu-thread", 0.3), periodic("tokkyu-process", 0.5), periodic("floor-futex", 1.0)];
        let met = goal(&cases, "at a period");
        assert_eq!((value(&met), met.verdict), (Some(0.5), Verdict::Met));
        assert!(met.figures().ends_with("64 B of tokkyu-process 0.5000; floor-futex 1.00"), "{met}");
        assert_eq!(goal(&[periodic("tokkyu-thread", 0.51)], "at a period").verdict, Verdict::Missed);
        assert_eq!(goal(&[case("tokkyu-thread", 64, 40.0)], "at a period").verdict, Verdict::NotJudged);
    }

    #[test]
    fn overload_is_judged_by_its_calls_and_by_what_became_of_samples() {
        let good = OverloadCase {
            bytes: 64,
            n: 10_000,
            p50_us: Some(0.1),
            p999_us: Some(0.2),
            published: 30,
            got: 3,
            dropped: 27,
            ..OverloadCase::default()
        };
        let of =
            |case: OverloadCase| goals(&[], &[case])[7..].iter().map(|goal| goal.verdict).collect::<Vec<_>>();
        assert_eq!(of(good.clone()), [Verdict::Met, Verdict::Met]);
        assert_eq!(of(OverloadCase { n: 9_999, ..good.clone() }), [Verdict::NotJudged, Verdict::Met]);
        assert_eq!(of(OverloadCase { p999_us: Some(0.21), ..good.clone() }), [Verdict::Missed, Verdict::Met]);
        assert_eq!(of(OverloadCase { torn: 1, ..good.clone() }), [Verdict::Met, Verdict::Missed]);
        assert_eq!(of(OverloadCase { dropped: 26, ..good }), [Verdict::Met, Verdict::Missed]);
    }
}
