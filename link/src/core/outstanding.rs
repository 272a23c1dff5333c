//! What a flow may come to take at the receiver: samples not settled, and those an ordered reader may still hold
//! (LNK-9).

use std::collections::VecDeque;

/// Costs of a flow's samples, from the oldest the receiver may hold.
#[derive(Debug, Default)]
pub struct Outstanding {
    /// Of samples from the oldest open one on, settled or not.
    open: VecDeque<Place>,
    /// Of samples before it, behind one that was given up: held until the receiver is known to go on without that.
    behind: VecDeque<(u32, usize)>,
    bytes: usize,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    cost: usize,
    /// Given up: the receiver must be told by a floor.
    given_up: bool,
}

impl Outstanding {
    /// A sample with the next number.
    pub fn push(&mut self, cost: usize) {
        self.bytes += cost;
        self.open.push_back(Place { cost, given_up: false });
    }

    /// The sample `at` places behind the oldest open one was given up: the receiver waits for it until a floor comes.
    pub fn give_up(&mut self, at: usize) {
        if let Some(place) = self.open.get_mut(at) {
            place.given_up = true;
        }
    }

    /// The oldest open sample, numbered `sequence`, is settled, and no older one is open.
    pub fn pop(&mut self, sequence: u32) {
        let Some(place) = self.open.pop_front() else { return };
        if place.given_up || !self.behind.is_empty() {
            self.behind.push_back((sequence, place.cost));
        } else {
            self.bytes -= place.cost;
        }
    }

    /// The receiver knows that nothing below `floor` comes.
    pub fn on_floor_confirmed(&mut self, floor: u32) {
        let is_below = |sequence: u32| (sequence.wrapping_sub(floor) as i32) < 0;
        while self.behind.front().is_some_and(|(sequence, _)| is_below(*sequence)) {
            self.bytes -= self.behind.pop_front().map_or(0, |(_, cost)| cost);
        }
    }

    /// Nobody reads the flow any more.
    pub fn on_unwanted(&mut self) {
        self.bytes -= self.behind.drain(..).map(|(_, cost)| cost).sum::<usize>();
    }

    /// Bytes the receiver may come to hold.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Numbers from the oldest the receiver may hold on.
    pub fn numbers(&self) -> usize {
        self.open.len() + self.behind.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outstanding(costs: &[usize]) -> Outstanding {
        let mut outstanding = Outstanding::default();
        costs.iter().for_each(|cost| outstanding.push(*cost));
        outstanding
    }

    #[test]
    fn delivered_samples_are_free_at_once() {
        let mut outstanding = outstanding(&[10, 20, 30]);
        outstanding.pop(0);
        outstanding.pop(1);
        assert_eq!((outstanding.bytes(), outstanding.numbers()), (30, 1));
    }

    #[test]
    fn what_stands_behind_a_sample_given_up_counts_until_the_floor_is_confirmed() {
        let mut outstanding = outstanding(&[10, 20, 30, 40]);
        outstanding.give_up(1);
        (0..3).for_each(|sequence| outstanding.pop(sequence));
        assert_eq!(outstanding.bytes(), 90, "the first is free");
        outstanding.on_floor_confirmed(1);
        assert_eq!(outstanding.bytes(), 90, "the floor is below the hole");
        outstanding.on_floor_confirmed(3);
        assert_eq!((outstanding.bytes(), outstanding.numbers()), (40, 1));
    }

    #[test]
    fn nothing_is_waited_for_when_nobody_reads() {
        let mut outstanding = outstanding(&[10, 20]);
        outstanding.give_up(0);
        outstanding.pop(0);
        outstanding.on_unwanted();
        assert_eq!(outstanding.bytes(), 20);
    }
}
