//! The middle of rounds, between which ends they tell it to be, and ratios of what was measured in the same round.
//!
//! A round is the same minutes of the same machine for both that are compared: what the machine does then is in neither the ratio nor its
//! ends. It would be in a ratio of two medians of rounds.

use crate::repetitions::median;

/// What may lie beyond each end: 2.5 %, so that 95 % are between them.
const BEYOND: f64 = 0.025;

/// The median of rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Middle {
    /// The median.
    pub value: f64,
    /// With 95 chances of 100 the true one is not below; the least of fewer than six rounds.
    pub low: f64,
    /// The same on the other side.
    pub high: f64,
    /// How many rounds.
    pub rounds: usize,
}

/// The middle of values; nothing of none. What is no number is left out.
pub fn middle(values: impl IntoIterator<Item = f64>) -> Option<Middle> {
    let mut sorted: Vec<f64> = values.into_iter().filter(|value| !value.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    let value = median(sorted.iter().copied())?;
    let (low, high) = ends(&sorted)?;
    Some(Middle { value, low, high, rounds: sorted.len() })
}

/// The middle of the ratios of what has the same round's number in both; nothing if there is no such round.
pub fn ratio_of_pairs(ours: &[(u32, f64)], other: &[(u32, f64)]) -> Option<Middle> {
    let of_other = |round: u32| other.iter().find(|(number, _)| *number == round).map(|(_, value)| *value);
    let ratio =
        |(round, value): &(u32, f64)| Some(value / of_other(*round)?).filter(|ratio| ratio.is_finite());
    middle(ours.iter().filter_map(ratio))
}

/// Of a median, free of any distribution: as many of `n` values are below it as of `n` tosses of a coin show heads, so the values of
/// these ranks are on either side of it (David and Nagaraja 2003, Order Statistics, 7.1). All six are on one side of the true median once
/// in 32 times, all five once in 16: of fewer than six, the outermost are what there is.
fn ends(sorted: &[f64]) -> Option<(f64, f64)> {
    let n = sorted.len();
    // Chances of 0, 1, ... heads: each follows from the one before. The first of 1000 rounds, the most there are, is 1e-301.
    let mut chance = 0.5_f64.powi(i32::try_from(n).ok()?);
    let (mut at_most, mut rank) = (chance, 0);
    while at_most <= BEYOND && rank < n / 2 {
        rank += 1;
        chance *= (n - rank + 1) as f64 / rank as f64;
        at_most += chance;
    }
    // `rank` is the first number of heads that is not seldom: so many values lie beyond each end, less one.
    let beyond = rank.saturating_sub(1);
    Some((*sorted.get(beyond)?, *sorted.get(n.checked_sub(1 + beyond)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look drawn, the same for the same seed (Marsaglia's xorshift).
    fn drawn(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        move || {
            for _ in 0..3 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
            }
            (state >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Rounds on a machine that is up to twice as slow in some, for both alike, and `noise` for one alone.
    fn beside(factor: f64, noise: f64, rounds: u32, seed: u64) -> Middle {
        let mut drawn = drawn(seed);
        let (mut ours, mut other) = (Vec::new(), Vec::new());
        for round in 0..rounds {
            let machine_us = 40.0 * (1.0 + drawn());
            ours.push((round, machine_us * factor * (1.0 + noise * (drawn() - 0.5))));
            other.push((round, machine_us));
        }
        ratio_of_pairs(&ours, &other).unwrap()
    }

    #[test]
    fn what_the_machine_does_to_both_is_in_neither_ratio_nor_ends() {
        let ratio = beside(1.05, 0.0, 40, 5);
        for figure in [ratio.value, ratio.low, ratio.high] {
            assert!((figure - 1.05).abs() < 1e-9, "{ratio:?}");
        }
    }

    #[test]
    fn the_truth_is_between_the_ends_nineteen_times_of_twenty_and_more_rounds_narrow_them() {
        let within = |ratio: &Middle| ratio.low <= 1.05 && 1.05 <= ratio.high;
        for rounds in [6, 20, 101] {
            let found = (0..2_000).filter(|seed| within(&beside(1.05, 0.6, rounds, *seed))).count();
            assert!((1_880..1_990).contains(&found), "{rounds} rounds: {found} of 2000");
        }
        let wide = |ratio: Middle| ratio.high - ratio.low;
        assert!(wide(beside(1.05, 0.6, 400, 1)) < wide(beside(1.05, 0.6, 20, 1)) / 2.0);
    }

    #[test]
    fn ends_are_the_values_of_the_ranks_that_tables_give() {
        let values = |n: u32| (1..=n).map(f64::from).collect::<Vec<_>>();
        // Conover, Practical Nonparametric Statistics, table of the sign test at 2.5 % on each side.
        for (n, low, high) in
            [(6, 1.0, 6.0), (10, 2.0, 9.0), (20, 6.0, 15.0), (25, 8.0, 18.0), (100, 40.0, 61.0)]
        {
            assert_eq!(ends(&values(n)), Some((low, high)), "{n}");
        }
        assert_eq!(ends(&values(1_000)).map(|(low, _)| low), Some(469.0));
    }

    #[test]
    fn of_few_rounds_the_outermost_are_told() {
        let found = middle([3.0, 1.0, 2.0]).unwrap();
        assert_eq!((found.value, found.low, found.high, found.rounds), (2.0, 1.0, 3.0, 3));
        assert_eq!(middle([7.0]).map(|one| (one.low, one.high)), Some((7.0, 7.0)));
        assert_eq!(middle([]), None);
    }

    #[test]
    fn rounds_are_paired_by_their_numbers() {
        let all: Vec<(u32, f64)> = (0..8).map(|round| (round, f64::from(10 * (round + 1)))).collect();
        let ratio = ratio_of_pairs(&all[1..], &all).unwrap();
        assert_eq!((ratio.rounds, ratio.value, ratio.low, ratio.high), (7, 1.0, 1.0, 1.0));
        assert_eq!(ratio_of_pairs(&all[..1], &all[1..]), None);
    }
}
