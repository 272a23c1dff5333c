//! One p50 over another, and between which bounds the rounds tell it to be (LAB-88).
//!
//! Pure. A round is the same minutes of the same machine for both, so rounds are drawn in pairs: the bootstrap of percentiles
//! (Efron 1979), over rounds and not over samples, for what a run of a program finds stays as long as it lasts.

use serde_json::{Value, json};
use tokkyu_measure::repetitions::median;

use super::case::LocalCase;
use super::chance::Chance;
use super::size::Size;

/// Fewest rounds by which a ratio can be told: five fall on the same side by chance once in 16 times, six once in 32.
pub(super) const ROUNDS: usize = 6;
/// How often as many rounds as there are are drawn from them, and how many draws are left out at either end: 2.5 % of them.
const DRAWS: usize = 2_000;
const LEFT_OUT: usize = 50;
const SEED: u64 = 88;

/// A figure at one size: what of, what it is compared to.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// Of a message.
    pub bytes: u64,
    /// The figure.
    pub ratio: f64,
    /// With 95 chances of 100 it is between these; the figure itself where that cannot be told.
    pub bounds: (f64, f64),
    /// The peer that it is compared to.
    pub beside: String,
    /// Samples, of who has fewer.
    pub n: u64,
    /// Rounds of both.
    pub rounds: usize,
}

impl Ratio {
    /// Of the p50s of two cases.
    pub(super) fn of(ours: &LocalCase, other: &LocalCase) -> Option<Ratio> {
        let ratio = Some(ours.p50_us? / other.p50_us?).filter(|ratio| ratio.is_finite())?;
        let pairs = pairs(ours, other);
        let told = Some(&pairs).filter(|pairs| pairs.len() >= ROUNDS).and_then(|pairs| bounds(pairs));
        let (low, high) = told.unwrap_or((ratio, ratio));
        Some(Ratio {
            bytes: ours.bytes,
            ratio,
            // Rounds of one alone are in its p50 and in no pair.
            bounds: (low.min(ratio), high.max(ratio)),
            beside: other.peer.clone(),
            n: ours.n.min(other.n),
            rounds: pairs.len(),
        })
    }

    /// Of a period's occurrences, the share that are spikes (LAB-92).
    pub(super) fn of_periods(case: &LocalCase) -> Option<Ratio> {
        let ratio = median(case.periodic_rounds.iter().copied())?;
        let (n, rounds) = (case.n, case.periodic_rounds.len());
        Some(Ratio { bytes: case.bytes, ratio, bounds: (ratio, ratio), beside: case.peer.clone(), n, rounds })
    }

    /// The size and the figure, with its bounds where they are others.
    pub(super) fn told(&self) -> String {
        let size = told_size(self.bytes);
        match self.bounds {
            (low, high) if low < high => format!("{size} {:.2} ({low:.2}–{high:.2})", self.ratio),
            _ => format!("{size} {:.2}", self.ratio),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let (low, high) = self.bounds;
        json!({ "bytes": self.bytes, "beside": self.beside, "ratio": self.ratio, "low": low, "high": high, "n": self.n, "rounds": self.rounds })
    }
}

pub(super) fn told_size(bytes: u64) -> String {
    let size = u32::try_from(bytes).ok().and_then(Size::of);
    size.map_or_else(|| format!("{bytes} B"), |size| size.to_string())
}

/// Medians of the rounds in which both have one.
fn pairs(ours: &LocalCase, other: &LocalCase) -> Vec<(f64, f64)> {
    let of_other = |round: u32| other.medians().find(|(number, _)| *number == round).map(|(_, us)| us);
    ours.medians().filter_map(|(round, us)| Some((us, of_other(round)?))).collect()
}

fn bounds(pairs: &[(f64, f64)]) -> Option<(f64, f64)> {
    let mut chance = Chance::seeded(SEED);
    let mut ratios: Vec<f64> = (0..DRAWS).filter_map(|_| drawn(pairs, &mut chance)).collect();
    ratios.sort_by(f64::total_cmp);
    Some((*ratios.get(LEFT_OUT)?, *ratios.get(DRAWS - 1 - LEFT_OUT)?))
}

/// As many rounds as there are, each of them any of them.
fn drawn(pairs: &[(f64, f64)], chance: &mut Chance) -> Option<f64> {
    let rounds: Vec<(f64, f64)> = pairs.iter().map(|_| pairs[chance.below(pairs.len())]).collect();
    let middle = |of: fn(&(f64, f64)) -> f64| median(rounds.iter().map(of));
    Some(middle(|pair| pair.0)? / middle(|pair| pair.1)?).filter(|ratio| ratio.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_rounds(peer: &str, rounds: &[(u32, f64)]) -> LocalCase {
        LocalCase {
            peer: peer.to_owned(),
            bytes: 64,
            n: 900,
            p50_us: median(rounds.iter().map(|(_, us)| *us)),
            round_numbers: rounds.iter().map(|(round, _)| *round).collect(),
            p50_rounds_us: rounds.iter().map(|(_, us)| *us).collect(),
            ..LocalCase::default()
        }
    }

    /// Rounds on a machine that is up to twice as slow in some, for both alike, and `noise` for one alone.
    fn beside(factor: f64, noise: f64, rounds: u32) -> Ratio {
        let mut chance = Chance::seeded(5);
        let mut drawn = || chance.below(1_000) as f64 / 1_000.0;
        let (mut ours, mut other) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            let machine_us = 40.0 * (1.0 + drawn());
            ours.push((round, machine_us * factor * (1.0 + noise * (drawn() - 0.5))));
            other.push((round, machine_us));
        }
        Ratio::of(&of_rounds("tokkyu-thread", &ours), &of_rounds("floor-futex", &other)).unwrap()
    }

    #[test]
    fn what_the_machine_does_to_both_is_in_no_bound() {
        let ratio = beside(1.05, 0.0, 40);
        let (low, high) = ratio.bounds;
        assert!((ratio.ratio - 1.05).abs() < 1e-9, "{ratio:?}");
        assert!((low - 1.05).abs() < 1e-9 && (high - 1.05).abs() < 1e-9, "{ratio:?}");
    }

    #[test]
    fn more_rounds_tell_it_better_and_the_truth_is_within() {
        let wide = |ratio: &Ratio| ratio.bounds.1 - ratio.bounds.0;
        let (few, many) = (beside(1.05, 0.6, 10), beside(1.05, 0.6, 400));
        assert!(wide(&many) < wide(&few) / 2.0, "{few:?} {many:?}");
        for ratio in [&few, &many] {
            assert!(ratio.bounds.0 < 1.05 && 1.05 < ratio.bounds.1, "{ratio:?}");
        }
        assert_eq!(beside(1.05, 0.6, 10), few, "the same whenever it is drawn");
    }

    #[test]
    fn rounds_are_paired_by_their_numbers_and_few_tell_nothing() {
        let all: Vec<(u32, f64)> = (0..8).map(|round| (round, f64::from(10 * (round + 1)))).collect();
        let without_first = Ratio::of(&of_rounds("iceoryx", &all[1..]), &of_rounds("fastdds", &all)).unwrap();
        assert_eq!(without_first.rounds, 7);
        // Pairs are of the same round, so each draw's ratio is 1; what the missing round does to the p50 is within the bounds.
        assert_eq!(without_first.bounds, (1.0, without_first.ratio));
        let few = Ratio::of(&of_rounds("iceoryx", &all[..5]), &of_rounds("fastdds", &all)).unwrap();
        assert_eq!((few.rounds, few.bounds), (5, (few.ratio, few.ratio)));
    }
}
