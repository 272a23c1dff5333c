//! What the clocks may have moved against each other, and since when (LNK-4).

use std::collections::VecDeque;

/// Moves remembered one by one.
const REMEMBERED: usize = 16;

/// Moves of one direction, by the time they were noticed at.
#[derive(Clone, Debug)]
pub(super) struct Moves<T> {
    /// With the sum of all before.
    moves: VecDeque<(T, i64)>,
    sum: i64,
    /// Of what is not younger than this nothing is known.
    forgotten: Option<T>,
}

impl<T> Default for Moves<T> {
    fn default() -> Self {
        Moves { moves: VecDeque::new(), sum: 0, forgotten: None }
    }
}

impl<T: Copy + Ord> Moves<T> {
    /// Nothing is known of what was at `at` or before.
    pub(super) fn anew(at: T) -> Self {
        Moves { forgotten: Some(at), ..Self::default() }
    }

    /// The clocks may have moved by `nanos` at `at` or before.
    pub(super) fn add(&mut self, at: T, nanos: i64) {
        if self.moves.len() == REMEMBERED {
            self.forgotten = self.forgotten.max(self.moves.pop_front().map(|(at, _)| at));
        }
        self.moves.push_back((at, self.sum));
        self.sum = self.sum.saturating_add(nanos);
    }

    /// What they may have moved since `at`; None where that is not known.
    pub(super) fn since(&self, at: T) -> Option<i64> {
        if self.forgotten.is_some_and(|forgotten| at <= forgotten) {
            return None;
        }
        let first = self.moves.iter().find(|(moved, _)| at <= *moved);
        Some(first.map_or(0, |(_, before)| self.sum - before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_add_up_from_the_one_that_was_noticed_not_before() {
        let mut moves = Moves::default();
        moves.add(10, 3);
        moves.add(20, 4);
        let since = |at| moves.since(at);
        assert_eq!([since(9), since(10), since(11), since(20), since(21)], [7, 7, 4, 4, 0].map(Some));
    }

    #[test]
    fn of_what_is_older_than_those_remembered_nothing_is_known() {
        let mut moves = Moves::default();
        (1..=20).for_each(|at| moves.add(at * 10, 1));
        assert_eq!((moves.since(40), moves.since(41), moves.since(200)), (None, Some(16), Some(1)));
        assert_eq!(Moves::anew(7).since(7), None);
        assert_eq!(Moves::anew(7).since(8), Some(0));
    }
}
