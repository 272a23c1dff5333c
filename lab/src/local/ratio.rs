//! How p50s of two peers compare: the median of their rounds' ratios, and between which bounds the rounds tell it to be (LAB-88).
//!
//! Pure. A round is the same seconds of the same machine for both, so what the machine does then is in neither the ratio nor the
//! bounds; it would be in a ratio of two medians of rounds.

use serde_json::{Value, json};
use tokkyu_measure::repetitions::median;

use super::case::LocalCase;
use super::size;

/// Fewest rounds that tell bounds: all six are on one side of the true median once in 32 times, all five once in 16.
pub(super) const ROUNDS: usize = 6;
/// What may lie beyond each bound: 2.5 %, so that 95 % are between them.
const BEYOND: f64 = 0.025;

/// A figure at one size: what of, what it is compared to.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// Of a message.
    pub bytes: u64,
    /// The median of the rounds' ratios.
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
    /// Of the p50s of two cases; nothing if there is no round of both.
    pub(super) fn of(ours: &LocalCase, other: &LocalCase) -> Option<Ratio> {
        let ratios = of_rounds(ours, other);
        let ratio = median(ratios.iter().copied())?;
        Some(Ratio {
            bytes: ours.bytes,
            ratio,
            bounds: bounds(&ratios).unwrap_or((ratio, ratio)),
            beside: other.peer.clone(),
            n: ours.n.min(other.n),
            rounds: ratios.len(),
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
        let size = size::told(self.bytes);
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

/// Of each round in which both have a median, from the least.
fn of_rounds(ours: &LocalCase, other: &LocalCase) -> Vec<f64> {
    let of_other = |round: u32| other.medians().find(|(number, _)| *number == round).map(|(_, us)| us);
    let ratio = |(round, us): (u32, f64)| Some(us / of_other(round)?).filter(|ratio| ratio.is_finite());
    let mut ratios: Vec<f64> = ours.medians().filter_map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

/// Of a median, free of any distribution: as many of `n` values are below it as of `n` tosses of a coin show heads, so the values of
/// these ranks are on either side of it (David and Nagaraja 2003, Order Statistics, 7.1).
fn bounds(sorted: &[f64]) -> Option<(f64, f64)> {
    let n = sorted.len();
    // Chances of 0, 1, ... heads: each follows from the one before. The first of 1000 rounds, the most there are, is 1e-301.
    let mut chance = 0.5_f64.powi(i32::try_from(n).ok()?);
    let (mut at_most, mut rank) = (chance, 0);
    while at_most <= BEYOND && rank < n / 2 {
        rank += 1;
        chance *= (n - rank + 1) as f64 / rank as f64;
        at_most += chance;
    }
    // `rank` is the first number of heads that is not seldom: so many values lie beyond each bound, less one.
    let beyond = rank.checked_sub(1)?;
    Some((sorted[beyond], sorted[n - 1 - beyond]))
}

#[cfg(test)]
mod tests {
    use super::super::chance::Chance;
    use super::*;

    fn case_of(peer: &str, rounds: &[(u32, f64)]) -> LocalCase {
        LocalCase {
            peer: peer.to_owned(),
            bytes: 64,
            n: 900,
            round_numbers: rounds.iter().map(|(round, _)| *round).collect(),
            p50_rounds_us: rounds.iter().map(|(_, us)| *us).collect(),
            ..LocalCase::default()
        }
    }

    /// Rounds on a machine that is up to twice as slow in some, for both alike, and `noise` for one alone.
    fn beside(factor: f64, noise: f64, rounds: u32, seed: u64) -> Ratio {
        let mut chance = Chance::seeded(seed);
        let mut drawn = || chance.below(1_000) as f64 / 1_000.0;
        let (mut ours, mut other) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            let machine_us = 40.0 * (1.0 + drawn());
            ours.push((round, machine_us * factor * (1.0 + noise * (drawn() - 0.5))));
            other.push((round, machine_us));
        }
        Ratio::of(&case_of("tokkyu-thread", &ours), &case_of("floor-futex", &other)).unwrap()
    }

    #[test]
    fn what_the_machine_does_to_both_is_in_neither_figure_nor_bounds() {
        let ratio = beside(1.05, 0.0, 40, 5);
        for figure in [ratio.ratio, ratio.bounds.0, ratio.bounds.1] {
            assert!((figure - 1.05).abs() < 1e-9, "{ratio:?}");
        }
    }

    #[test]
    fn the_truth_is_within_the_bounds_nineteen_times_of_twenty_and_more_rounds_narrow_them() {
        let within = |ratio: &Ratio| ratio.bounds.0 <= 1.05 && 1.05 <= ratio.bounds.1;
        for rounds in [6, 20, 101] {
            let found = (0..2_000).filter(|seed| within(&beside(1.05, 0.6, rounds, *seed))).count();
            assert!((1_880..1_990).contains(&found), "{rounds} rounds: {found} of 2000");
        }
        let wide = |ratio: Ratio| ratio.bounds.1 - ratio.bounds.0;
        assert!(wide(beside(1.05, 0.6, 400, 1)) < wide(beside(1.05, 0.6, 20, 1)) / 2.0);
    }

    #[test]
    fn bounds_are_the_values_of_the_ranks_that_tables_give() {
        let values = |n: u32| (1..=n).map(f64::from).collect::<Vec<_>>();
        // Conover, Practical Nonparametric Statistics, table of the sign test at 2.5 % on each side.
        for (n, low, high) in
            [(6, 1.0, 6.0), (10, 2.0, 9.0), (20, 6.0, 15.0), (25, 8.0, 18.0), (100, 40.0, 61.0)]
        {
            assert_eq!(bounds(&values(n)), Some((low, high)), "{n}");
        }
        assert_eq!(bounds(&values(5)), None);
        assert_eq!(bounds(&values(1_000)).map(|(low, _)| low), Some(469.0));
        assert_eq!(bounds(&[]), None);
    }

    #[test]
    fn rounds_are_paired_by_their_numbers() {
        let all: Vec<(u32, f64)> = (0..8).map(|round| (round, f64::from(10 * (round + 1)))).collect();
        let ratio = Ratio::of(&case_of("iceoryx", &all[1..]), &case_of("fastdds", &all)).unwrap();
        assert_eq!((ratio.rounds, ratio.ratio, ratio.bounds), (7, 1.0, (1.0, 1.0)));
        assert_eq!(Ratio::of(&case_of("iceoryx", &all[..1]), &case_of("fastdds", &all[1..])), None);
    }
}
