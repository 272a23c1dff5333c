//! What the experiment wants to show, and whether it did (LAB-88, LAB-90).
//!
//! Pure. Invariant: too few samples or rounds may miss a goal and never meet it.

use std::fmt;

use serde_json::{Value, json};
use tokkyu_measure::repetitions::median;

use super::case::LocalCase;
use super::overload::OverloadCase;
use super::peers::{Kind, Peer};
use super::size::Size;

/// Fewest rounds, and samples in all of them, by whose medians a goal can be met.
const ROUNDS: usize = 3;
const SAMPLES: u64 = 300;
/// Fewest calls by whose 99.9th percentile it can: ten are above it.
const CALLS: u64 = 10_000;

/// One goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What was wanted.
    pub wanted: String,
    /// The figure, the worst of all sizes; `None` if what it is made of was not run.
    pub figure: Option<f64>,
    /// Samples it is made of.
    pub n: u64,
    /// Whether it is as wanted; `None` if that cannot be told.
    pub met: Option<bool>,
    /// The figure of each size, and why it is not told.
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

    /// As it stands in a result.
    pub fn to_json(&self) -> Value {
        json!({ "wanted": self.wanted, "figure": self.figure, "n": self.n, "met": self.met, "because": self.because })
    }

    fn not_run(wanted: String, because: &str) -> Goal {
        Goal { wanted, figure: None, n: 0, met: None, because: because.to_owned() }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (", self.verdict(), self.wanted)?;
        match self.figure {
            Some(figure) => write!(f, "{figure:.2}, n = {}; {})", self.n, self.because),
            None => write!(f, "{})", self.because),
        }
    }
}

/// All goals.
pub fn goals(cases: &[LocalCase], overload: &[OverloadCase]) -> Vec<Goal> {
    let cases = Cases(cases);
    vec![
        cases.against("in process", "tokkyu-thread", "floor-futex", 1.1),
        cases.flat("tokkyu-thread", 1.1),
        cases.below_all("tokkyu-thread"),
        cases.against("between processes", "tokkyu-process", "iceoryx2", 1.1),
        cases.against("over TCPROS to a node of roscpp", "tokkyu-tcpros", "roscpp-tcp", 1.0),
        cases.against("over TCPROS from a node of roscpp", "tokkyu-tcpros-subscriber", "roscpp-tcp", 1.0),
        cases.not_periodic(["tokkyu-thread", "tokkyu-process"], 0.5),
        calls(overload, 2.0),
        accounted(overload),
    ]
}

struct Cases<'a>(&'a [LocalCase]);

/// A figure at one size: what of, what it is compared to.
struct Ratio<'a> {
    bytes: u64,
    ratio: f64,
    beside: &'a str,
    n: u64,
    rounds: usize,
}

impl<'a> Ratio<'a> {
    fn of(ours: &LocalCase, other: &'a LocalCase) -> Option<Ratio<'a>> {
        let ratio = ours.p50_us? / other.p50_us?;
        let (n, rounds) = (ours.n.min(other.n), ours.rounds().min(other.rounds()));
        Some(Ratio { bytes: ours.bytes, ratio, beside: &other.peer, n, rounds })
            .filter(|ratio| ratio.ratio.is_finite())
    }

    fn of_periods(case: &'a LocalCase) -> Option<Ratio<'a>> {
        let ratio = median(case.periodic_rounds.iter().copied())?;
        let (n, rounds) = (case.n, case.periodic_rounds.len());
        Some(Ratio { bytes: case.bytes, ratio, beside: &case.peer, n, rounds })
    }
}

impl Cases<'_> {
    fn of<'s>(&'s self, peer: &'s str) -> impl Iterator<Item = &'s LocalCase> {
        self.0.iter().filter(move |case| case.peer == peer)
    }

    fn at(&self, peer: &str, bytes: u64) -> Option<&LocalCase> {
        self.0.iter().find(|case| case.peer == peer && case.bytes == bytes)
    }

    fn against(&self, what: &str, ours: &str, other: &str, most: f64) -> Goal {
        let wanted = format!("{what}: p50 of {ours} at most {most} x {other}");
        let ratios: Vec<Ratio<'_>> =
            self.of(ours).filter_map(|case| Ratio::of(case, self.at(other, case.bytes)?)).collect();
        judged(wanted, &ratios, |ratio| ratio <= most, false)
    }

    fn flat(&self, ours: &str, most: f64) -> Goal {
        let [small, large] = [Size::SMALL, Size::LARGE];
        let wanted = format!("flat in size: p50 of {ours} with {large} at most {most} x {small}");
        let [small, large] = [small, large].map(|size| self.at(ours, size.bytes().into()));
        let ratios: Vec<Ratio<'_>> =
            large.zip(small).and_then(|(large, small)| Ratio::of(large, small)).into_iter().collect();
        judged(wanted, &ratios, |ratio| ratio <= most, false)
    }

    fn below_all(&self, ours: &str) -> Goal {
        let wanted = format!("p50 of {ours} below every rival's");
        let is_rival =
            |case: &&LocalCase| Peer::named(&case.peer).is_some_and(|peer| peer.kind() == Kind::Rival);
        let best = |bytes: u64| {
            let rivals =
                self.0.iter().filter(is_rival).filter(|case| case.bytes == bytes && case.p50_us.is_some());
            rivals.min_by(|one, other| {
                let p50 = |case: &LocalCase| case.p50_us.unwrap_or(f64::INFINITY);
                p50(one).total_cmp(&p50(other))
            })
        };
        let ratios: Vec<Ratio<'_>> =
            self.of(ours).filter_map(|case| Ratio::of(case, best(case.bytes)?)).collect();
        judged(wanted, &ratios, |ratio| ratio < 1.0, true)
    }
}

impl Cases<'_> {
    /// Spikes come back at no period: of the one that they keep best, the middle round has spikes at so many of its occurrences at most (LAB-92).
    fn not_periodic(&self, ours: [&str; 2], most: f64) -> Goal {
        let [one, other] = ours;
        let wanted = format!(
            "no spikes (2 x the mean) at a period: {one} and {other} have them at {most} of its occurrences at most"
        );
        let shares: Vec<Ratio<'_>> =
            ours.iter().flat_map(|peer| self.of(peer)).filter_map(Ratio::of_periods).collect();
        let mut goal = judged(wanted, &shares, |share| share <= most, true);
        let floor =
            self.of("floor-futex").filter_map(Ratio::of_periods).map(|share| share.ratio).reduce(f64::max);
        goal.because.extend(floor.map(|share| format!("; floor-futex {share:.2}")));
        goal
    }
}

/// By the worst of all sizes.
fn judged(wanted: String, ratios: &[Ratio<'_>], is_met: impl Fn(f64) -> bool, tells_whom: bool) -> Goal {
    let Some(worst) = ratios.iter().map(|ratio| ratio.ratio).reduce(f64::max) else {
        return Goal::not_run(wanted, "was not run");
    };
    let n = ratios.iter().map(|ratio| ratio.n).min().unwrap_or(0);
    let rounds = ratios.iter().map(|ratio| ratio.rounds).min().unwrap_or(0);
    let told = |ratio: &Ratio<'_>| {
        let size = told_size(ratio.bytes);
        let whom = if tells_whom { format!(" of {}", ratio.beside) } else { String::new() };
        format!("{size} {:.2}{whom}", ratio.ratio)
    };
    let mut because = ratios.iter().map(told).collect::<Vec<_>>().join(", ");
    let met = match (is_met(worst), rounds >= ROUNDS && n >= SAMPLES) {
        (false, _) => Some(false),
        (true, true) => Some(true),
        (true, false) => {
            because += &format!("; too little, give at least {ROUNDS} rounds and {SAMPLES} samples in all");
            None
        }
    };
    Goal { wanted, figure: Some(worst), n, met, because }
}

fn told_size(bytes: u64) -> String {
    let size = u32::try_from(bytes).ok().and_then(Size::of);
    size.map_or_else(|| format!("{bytes} B"), |size| size.to_string())
}

fn calls(cases: &[OverloadCase], most: f64) -> Goal {
    let wanted =
        format!("publisher at 10 times the subscriber's rate: p99.9 of publish at most {most} x its p50");
    let ratios: Vec<(u64, f64)> = cases.iter().filter_map(|case| Some((case.bytes, case.ratio()?))).collect();
    let Some(worst) = ratios.iter().map(|(_, ratio)| *ratio).reduce(f64::max) else {
        return Goal::not_run(wanted, "was not run");
    };
    let n = cases.iter().map(|case| case.n).min().unwrap_or(0);
    let told = |(bytes, ratio): &(u64, f64)| format!("{} {ratio:.2}", told_size(*bytes));
    let mut because = ratios.iter().map(told).collect::<Vec<_>>().join(", ");
    let floors: Vec<_> =
        cases.iter().filter_map(|case| Some(told(&(case.bytes, case.floor_ratio()?)))).collect();
    if !floors.is_empty() {
        because += &format!("; four words that both threads change, beside each call: {}", floors.join(", "));
    }
    let met = match (worst <= most, n >= CALLS) {
        (false, _) => Some(false),
        (true, true) => Some(true),
        (true, false) => {
            because += &format!("; n too small, give at least {CALLS}");
            None
        }
    };
    Goal { wanted, figure: Some(worst), n, met, because }
}

fn accounted(cases: &[OverloadCase]) -> Goal {
    let wanted = "the same: nothing torn, got + dropped = published".to_owned();
    if cases.is_empty() {
        return Goal::not_run(wanted, "was not run");
    }
    let sum = |of: fn(&OverloadCase) -> u64| cases.iter().map(of).sum::<u64>();
    let (torn, gap) = (sum(|case| case.torn), sum(OverloadCase::gap));
    let (got, dropped, n) = (sum(|case| case.got), sum(|case| case.dropped), sum(|case| case.published));
    let because = format!("torn {torn}, {got} + {dropped} of {n}");
    Goal { wanted, figure: Some((torn + gap) as f64), n, met: Some(torn + gap == 0), because }
}

#[cfg(test)]
mod tests {
    use super::super::case::tests::case;
    use super::*;

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
        assert_eq!((met.figure, met.met, met.n), (Some(1.1), Some(true), 900));
        assert!(met.because.contains("64 B 1.02") && met.because.contains("3 MB 1.10"), "{met}");
        let flat = goal(&cases, "flat in size");
        assert_eq!((flat.figure.map(|figure| (figure * 100.0).round()), flat.met), (Some(107.0), Some(true)));
        let slow = [case("floor-futex", 64, 40.0), case("tokkyu-thread", 64, 44.1)];
        assert_eq!(goal(&slow, "1.1 x floor-futex").met, Some(false));
        assert_eq!(goal(&slow, "flat in size").met, None);
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
        assert_eq!((met.figure, met.met), (Some(0.8), Some(true)));
        assert!(met.because.contains("roscpp-intra-ptr"), "{met}");
        cases.push(case("iceoryx", 64, 40.0));
        assert_eq!(goal(&cases, "below every rival").met, Some(false), "as fast is not below");
    }

    #[test]
    fn few_rounds_may_miss_and_never_meet() {
        let few = |p50_us| LocalCase { p50_rounds_us: vec![p50_us; 2], ..case("tokkyu-tcpros", 64, p50_us) };
        let other = case("roscpp-tcp", 64, 200.0);
        assert_eq!(goal(&[few(100.0), other.clone()], "to a node of roscpp").met, None);
        assert_eq!(goal(&[few(201.0), other.clone()], "to a node of roscpp").met, Some(false));
        let little = LocalCase { n: 299, ..case("tokkyu-tcpros", 64, 100.0) };
        assert_eq!(goal(&[little, other], "to a node of roscpp").met, None);
    }

    #[test]
    fn what_was_not_run_is_not_judged() {
        let told = goal(&[case("iceoryx2", 64, 80.0)], "between processes").to_string();
        assert!(
            told.starts_with("not judged: between processes") && told.ends_with("(was not run)"),
            "{told}"
        );
        assert!(goals(&[], &[]).iter().all(|goal| goal.met.is_none()));
    }

    #[test]
    fn spikes_at_a_period_miss_and_spikes_now_and_then_do_not() {
        let periodic =
            |peer, share: f64| LocalCase { periodic_rounds: vec![share, 0.2, share], ..case(peer, 64, 40.0) };
        let cases =
            [periodic("tokkyu-thread", 0.3), periodic("tokkyu-process", 0.5), periodic("floor-futex", 1.0)];
        let met = goal(&cases, "at a period");
        assert_eq!((met.figure, met.met), (Some(0.5), Some(true)));
        assert!(met.because.ends_with("64 B 0.50 of tokkyu-process; floor-futex 1.00"), "{met}");
        assert_eq!(goal(&[periodic("tokkyu-thread", 0.51)], "at a period").met, Some(false));
        assert_eq!(goal(&[case("tokkyu-thread", 64, 40.0)], "at a period").met, None);
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
            |case: OverloadCase| goals(&[], &[case])[7..].iter().map(|goal| goal.met).collect::<Vec<_>>();
        assert_eq!(of(good.clone()), [Some(true), Some(true)]);
        assert_eq!(of(OverloadCase { n: 9_999, ..good.clone() }), [None, Some(true)]);
        assert_eq!(of(OverloadCase { p999_us: Some(0.21), ..good.clone() }), [Some(false), Some(true)]);
        assert_eq!(of(OverloadCase { torn: 1, ..good.clone() }), [Some(true), Some(false)]);
        assert_eq!(of(OverloadCase { dropped: 26, ..good }), [Some(true), Some(false)]);
    }
}
