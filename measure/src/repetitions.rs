//! Runs of the same case put together: which cases are repetitions of one another, which of them count, and the middle of
//! their figures.
//!
//! Pure. Invariants: an invalid or interrupted run counts nowhere; a figure that a run does not have is left out of the
//! median and never taken for zero. Rules: SPEC.md MEA-42, MEA-72.

use crate::drive::DriveCase;

/// Cases that differ in nothing but run and seed, each group in the order of its runs, groups in the order of their first.
pub fn groups<'a>(cases: impl IntoIterator<Item = &'a DriveCase>) -> Vec<Vec<&'a DriveCase>> {
    let mut groups: Vec<Vec<&DriveCase>> = Vec::new();
    for case in cases {
        match groups.iter_mut().find(|group| same(group[0], case)) {
            Some(group) => group.push(case),
            None => groups.push(vec![case]),
        }
    }
    groups
}

fn same(one: &DriveCase, other: &DriveCase) -> bool {
    let words = |case: &DriveCase| [&case.network, &case.peer, &case.variant, &case.qos].map(String::clone);
    let rest = |case: &DriveCase| (case.images, case.simulated);
    words(one) == words(other) && rest(one) == rest(other)
}

/// A run counts if its figures may be believed and it came to its end.
pub fn counts(case: &DriveCase) -> bool {
    !case.invalid && !case.interrupted
}

/// The middle value, or the mean of the two in the middle; `None` of none.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_both() {
        assert_eq!(median([9.0, 1.0, 4.0]), Some(4.0));
        assert_eq!(median([9.0, 1.0, 4.0, 2.0]), Some(3.0));
        assert_eq!(median([]), None);
    }

    #[test]
    fn another_peer_or_variant_is_another_case_and_another_seed_is_not() {
        let case = |peer: &str, variant: &str, seed| DriveCase {
            peer: peer.into(),
            variant: variant.into(),
            seed,
            ..DriveCase::default()
        };
        let cases = [
            case("zenoh", "tuned", 1),
            case("zenoh", "default", 1),
            case("tokkyu", "default", 1),
            case("zenoh", "tuned", 2),
        ];
        assert_eq!(groups(&cases).iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 1]);
    }
}
