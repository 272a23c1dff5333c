//! What the experiment wants to show, and whether it did (LAB-88, LAB-90).
//!
//! Pure. Invariant: too few samples or rounds may miss a goal and never meet it.

use std::fmt;

use serde_json::{Value, json};

use super::case::LocalCase;
use super::overload::OverloadCase;
use super::peers::{Kind, Peer};
use super::ratio::{ROUNDS, Ratio};
use super::size::{self, Size};

/// Fewest samples in all rounds by whose medians a goal can be met.
const SAMPLES: u64 = 300;
/// Fewest calls by whose 99.9th percentile it can: ten are above it.
const CALLS: u64 = 10_000;

/// What became of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As wanted, and so is all that the rounds leave possible.
    Met,
    /// Not as wanted, and nothing that they leave possible is.
    Missed,
    /// The rounds leave both possible: more of them would tell.
    Undecided,
    /// Not run, or too little of it.
    NotJudged,
}

/// One goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What was wanted.
    pub wanted: String,
    /// The figure, the worst of all sizes; `None` if what it is made of was not run.
    pub figure: Option<f64>,
    /// Samples it is made of.
    pub n: u64,
    /// What became of it.
    pub verdict: Verdict,
    /// The figure of each size, and why it is not told.
    pub because: String,
    /// Of each size and of each peer that it is compared to.
    pub ratios: Vec<Ratio>,
}

impl Verdict {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Met => "met",
            Verdict::Missed => "missed",
            Verdict::Undecided => "undecided",
            Verdict::NotJudged => "not judged",
        }
    }

    /// Whether it is as wanted; `None` if that cannot be told.
    fn met(self) -> Option<bool> {
        match self {
            Verdict::Met => Some(true),
            Verdict::Missed => Some(false),
            Verdict::Undecided | Verdict::NotJudged => None,
        }
    }
}

impl Goal {
    /// As it stands in a result.
    pub fn to_json(&self) -> Value {
        let ratios: Vec<Value> = self.ratios.iter().map(Ratio::to_json).collect();
        json!({
            "wanted": self.wanted, "figure": self.figure, "n": self.n, "met": self.verdict.met(), "verdict": self.verdict.as_str(),
            "because": self.because, "ratios": ratios,
        })
    }

    fn not_run(wanted: String, because: &str) -> Goal {
        let (figure, ratios) = (None, Vec::new());
        Goal { wanted, figure, n: 0, verdict: Verdict::NotJudged, because: because.to_owned(), ratios }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (", self.verdict.as_str(), self.wanted)?;
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

impl Cases<'_> {
    fn of<'s>(&'s self, peer: &'s str) -> impl Iterator<Item = &'s LocalCase> {
        self.0.iter().filter(move |case| case.peer == peer)
    }

    fn at(&self, peer: &str, bytes: u64) -> Option<&LocalCase> {
        self.0.iter().find(|case| case.peer == peer && case.bytes == bytes)
    }

    fn against(&self, what: &str, ours: &str, other: &str, most: f64) -> Goal {
        let wanted = format!("{what}: p50 of {ours} at most {most} x {other}");
        let ratios = self.of(ours).filter_map(|case| Ratio::of(case, self.at(other, case.bytes)?)).collect();
        judged(wanted, ratios, |ratio| ratio <= most, false)
    }

    /// To fill 3 MB puts out of the caches what waking needs, and that is in the floor's latency too: its own ratio is told beside.
    fn flat(&self, ours: &str, most: f64) -> Goal {
        let [small, large] = [Size::SMALL, Size::LARGE];
        let wanted = format!("flat in size: p50 of {ours} with {large} at most {most} x {small}");
        let mut goal =
            judged(wanted, self.large_to_small(ours).into_iter().collect(), |ratio| ratio <= most, false);
        let floor = self.large_to_small("floor-futex").filter(|_| goal.figure.is_some());
        goal.because.extend(floor.map(|ratio| format!("; floor-futex {}", ratio.told())));
        goal
    }

    fn large_to_small(&self, peer: &str) -> Option<Ratio> {
        let at = |size: Size| self.at(peer, size.bytes().into());
        Ratio::of(at(Size::LARGE)?, at(Size::SMALL)?)
    }

    fn below_all(&self, ours: &str) -> Goal {
        let wanted = format!("p50 of {ours} below every rival's");
        let is_rival =
            |case: &&LocalCase| Peer::named(&case.peer).is_some_and(|peer| peer.kind() == Kind::Rival);
        let beside = |case: &LocalCase| {
            let rivals = self.0.iter().filter(is_rival).filter(|rival| rival.bytes == case.bytes);
            rivals.filter_map(|rival| Ratio::of(case, rival)).collect::<Vec<Ratio>>()
        };
        judged(wanted, self.of(ours).flat_map(beside).collect(), |ratio| ratio < 1.0, true)
    }

    /// Spikes come back at no period: of the one that they keep best, the middle round has spikes at so many of its occurrences at most (LAB-92).
    fn not_periodic(&self, ours: [&str; 2], most: f64) -> Goal {
        let [one, other] = ours;
        let wanted = format!(
            "no spikes (2 x the mean) at a period: {one} and {other} have them at {most} of its occurrences at most"
        );
        let shares = ours.iter().flat_map(|peer| self.of(peer)).filter_map(Ratio::of_periods).collect();
        let mut goal = judged(wanted, shares, |share| share <= most, true);
        let floor =
            self.of("floor-futex").filter_map(Ratio::of_periods).map(|share| share.ratio).reduce(f64::max);
        goal.because.extend(floor.map(|share| format!("; floor-futex {share:.2}")));
        goal
    }
}

/// By the worst of all sizes, and by what the rounds leave possible of each.
fn judged(wanted: String, ratios: Vec<Ratio>, is_met: impl Fn(f64) -> bool, tells_whom: bool) -> Goal {
    let Some(worst) = ratios.iter().map(|ratio| ratio.ratio).reduce(f64::max) else {
        return Goal::not_run(wanted, "was not run");
    };
    let n = ratios.iter().map(|ratio| ratio.n).min().unwrap_or(0);
    let rounds = ratios.iter().map(|ratio| ratio.rounds).min().unwrap_or(0);
    let told = |ratio: &Ratio| {
        let whom = if tells_whom { format!(" of {}", ratio.beside) } else { String::new() };
        ratio.told() + &whom
    };
    let mut because = worst_of_sizes(&ratios).into_iter().map(told).collect::<Vec<_>>().join(", ");
    let verdict = match (verdict(&ratios, is_met), rounds >= ROUNDS && n >= SAMPLES) {
        (Verdict::Met, false) => {
            because += &format!("; too little, give at least {ROUNDS} rounds and {SAMPLES} samples in all");
            Verdict::NotJudged
        }
        (verdict, _) => verdict,
    };
    Goal { wanted, figure: Some(worst), n, verdict, because, ratios }
}

fn verdict(ratios: &[Ratio], is_met: impl Fn(f64) -> bool) -> Verdict {
    match ratios {
        _ if ratios.iter().any(|Ratio { bounds: (low, _), .. }| !is_met(*low)) => Verdict::Missed,
        _ if ratios.iter().all(|Ratio { bounds: (_, high), .. }| is_met(*high)) => Verdict::Met,
        _ => Verdict::Undecided,
    }
}

/// Of each size the one that is told, in the order of sizes.
fn worst_of_sizes(ratios: &[Ratio]) -> Vec<&Ratio> {
    let mut told: Vec<&Ratio> = Vec::new();
    for ratio in ratios {
        match told.iter_mut().find(|other| other.bytes == ratio.bytes) {
            Some(other) if other.ratio < ratio.ratio => *other = ratio,
            Some(_) => {}
            None => told.push(ratio),
        }
    }
    told
}

fn calls(cases: &[OverloadCase], most: f64) -> Goal {
    let wanted =
        format!("publisher at 10 times the subscriber's rate: p99.9 of publish at most {most} x its p50");
    let ratios: Vec<(u64, f64)> = cases.iter().filter_map(|case| Some((case.bytes, case.ratio()?))).collect();
    let Some(worst) = ratios.iter().map(|(_, ratio)| *ratio).reduce(f64::max) else {
        return Goal::not_run(wanted, "was not run");
    };
    let n = cases.iter().map(|case| case.n).min().unwrap_or(0);
    let told = |(bytes, ratio): &(u64, f64)| format!("{} {ratio:.2}", size::told(*bytes));
    let mut because = ratios.iter().map(told).collect::<Vec<_>>().join(", ");
    let floors: Vec<_> =
        cases.iter().filter_map(|case| Some(told(&(case.bytes, case.floor_ratio()?)))).collect();
    if !floors.is_empty() {
        because += &format!("; four words that both threads change, beside each call: {}", floors.join(", "));
    }
    let verdict = match (worst <= most, n >= CALLS) {
        (false, _) => Verdict::Missed,
        (true, true) => Verdict::Met,
        (true, false) => {
            because += &format!("; n too small, give at least {CALLS}");
            Verdict::NotJudged
        }
    };
    Goal { wanted, figure: Some(worst), n, verdict, because, ratios: Vec::new() }
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
    let verdict = if torn + gap == 0 { Verdict::Met } else { Verdict::Missed };
    Goal { wanted, figure: Some((torn + gap) as f64), n, verdict, because, ratios: Vec::new() }
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
        assert_eq!((met.figure, met.verdict, met.n), (Some(1.1), Verdict::Met, 900));
        assert!(met.because.contains("64 B 1.02") && met.because.contains("3 MB 1.10"), "{met}");
        let flat = goal(&cases, "flat in size");
        assert_eq!(
            (flat.figure.map(|figure| (figure * 100.0).round()), flat.verdict),
            (Some(107.0), Verdict::Met)
        );
        assert!(flat.because.ends_with("3 MB 1.07; floor-futex 3 MB 1.00"), "{flat}");
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
        assert_eq!((met.figure, met.verdict), (Some(0.8), Verdict::Met));
        assert!(met.because.contains("roscpp-intra-ptr"), "{met}");
        cases.push(case("iceoryx", 64, 40.0));
        assert_eq!(goal(&cases, "below every rival").verdict, Verdict::Missed, "as fast is not below");
    }

    #[test]
    fn few_rounds_may_miss_and_never_meet() {
        let few = |p50_us| LocalCase { round_numbers: vec![0, 1], ..case("tokkyu-tcpros", 64, p50_us) };
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
        assert!(undecided.to_string().contains("64 B 0.95 (0.80–1.10)"), "{undecided}");
        let json = undecided.to_json();
        assert!(json["met"].is_null() && json["verdict"] == "undecided", "{json}");
        assert_eq!(
            (json["ratios"][0]["low"].as_f64(), json["ratios"][0]["rounds"].as_u64()),
            (Some(0.8), Some(24))
        );
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
        assert_eq!((met.figure, met.verdict), (Some(0.5), Verdict::Met));
        assert!(met.because.ends_with("64 B 0.50 of tokkyu-process; floor-futex 1.00"), "{met}");
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
