//! How two cases compare: round by round.

use crate::study::{Figure, middle, ratio_of_pairs};

use super::case::LocalCase;
use super::size;

/// p50 of ours to that of another, at one size; nothing if there is no round of both.
pub(super) fn of_medians(ours: &LocalCase, other: &LocalCase) -> Option<Figure> {
    let ratio = ratio_of_pairs(&ours.medians(), &other.medians())?;
    Some(Figure::of_rounds(ratio, ours.n.min(other.n)).missing(ours.lost).named(size::told(ours.bytes)))
}

/// Of the period that spikes keep best, the share of its occurrences that are spikes (LAB-92).
pub(super) fn of_periods(case: &LocalCase) -> Option<Figure> {
    let share = middle(case.periodic_rounds.iter().copied())?;
    // The middle round decides: what is rare in it is no period, and single rounds may look like one by chance.
    let figure = Figure::of_value(share.value, case.n, share.rounds);
    Some(figure.named(format!("{} of {}", size::told(case.bytes), case.peer)))
}
