//! The order of a keep_all reliable flow (LNK-13, LNK-24): samples wait until those before them came or never will.

use super::inbox::Complete;
use crate::wire::unwrap_u32;
use std::collections::{BTreeMap, BTreeSet};
use tokkyu_contract::Outcome;

/// Numbers known not to come that are remembered ahead of a hole. With more, the order goes on behind the oldest: its
/// hole is older still.
const MAX_GONE: usize = 32;

/// A sample that waits for its turn.
#[derive(Debug)]
pub struct Held {
    /// The sample.
    pub complete: Complete,
    /// What its readers without order made of it.
    pub so_far: Outcome,
    /// Bytes taken for it from the memory bound.
    pub taken: usize,
}

/// Where a flow's order stands.
#[derive(Debug)]
pub struct Order {
    /// The number due next. All numbers here are sequence numbers without their wrap.
    next: u64,
    /// No older one comes any more.
    floor: u64,
    held: BTreeMap<u64, Held>,
    gone: BTreeSet<u64>,
}

impl Order {
    /// An order that begins with `sequence`.
    pub fn starting_at(sequence: u32) -> Self {
        let next = u64::from(sequence);
        Order { next, floor: next, held: BTreeMap::new(), gone: BTreeSet::new() }
    }

    fn number(&self, sequence: u32) -> u64 {
        unwrap_u32(sequence, self.next)
    }

    /// The order went on without it, or behind it.
    pub fn is_past(&self, sequence: u32) -> bool {
        // Before the first number lies nothing; a number unwraps to far ahead of it then.
        self.number(sequence) < self.next || (sequence.wrapping_sub(self.next as u32) as i32) < 0
    }

    /// Nothing older is missing.
    pub fn is_due(&self, sequence: u32) -> bool {
        self.number(sequence) == self.next
    }

    /// A sample came.
    pub fn hold(&mut self, held: Held) {
        self.held.insert(self.number(held.complete.id.sequence), held);
    }

    /// A sample will not come.
    pub fn skip(&mut self, sequence: u32) {
        if self.is_past(sequence) {
            return;
        }
        self.gone.insert(self.number(sequence));
        if self.gone.len() > MAX_GONE {
            let oldest = self.gone.pop_first().map_or(0, |oldest| oldest + 1);
            self.floor = self.floor.max(oldest);
        }
    }

    /// No sample older than `sequence` comes any more.
    pub fn on_floor(&mut self, sequence: u32) {
        if !self.is_past(sequence) {
            self.floor = self.floor.max(self.number(sequence));
        }
    }

    /// The next sample whose turn has come.
    pub fn release(&mut self) -> Option<Held> {
        loop {
            if self.gone.remove(&self.next) {
                self.next += 1;
                continue;
            }
            let first = self.held.first_key_value().map(|(number, _)| *number);
            if let Some(number) = first.filter(|number| *number <= self.next || *number < self.floor) {
                self.go_to(number + 1);
                return self.held.remove(&number);
            }
            if self.next >= self.floor {
                return None;
            }
            self.go_to(self.floor);
        }
    }

    fn go_to(&mut self, next: u64) {
        self.next = next;
        if self.gone.first().is_some_and(|gone| *gone < next) {
            self.gone = self.gone.split_off(&next);
        }
    }

    /// Everything that waits, in order: the flow is over.
    pub fn take_all(&mut self) -> impl Iterator<Item = Held> {
        std::mem::take(&mut self.held).into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use tokkyu_contract::{FlowId, MonoTime, PeerTime, TraceId};

    fn held(sequence: u32) -> Held {
        let id = TraceId { flow: FlowId(1), sequence };
        let (capture, first_packet) = (PeerTime::ZERO, MonoTime::ZERO);
        let complete = Complete { id, capture, first_packet, payload: Bytes::new() };
        Held { complete, so_far: Outcome::Dropped, taken: 0 }
    }

    fn released(order: &mut Order) -> Vec<u32> {
        std::iter::from_fn(|| order.release()).map(|held| held.complete.id.sequence).collect()
    }

    #[test]
    fn a_hole_holds_back_what_is_behind_it_until_it_comes_or_is_known_not_to() {
        let mut order = Order::starting_at(0);
        for sequence in [1, 2, 4, 6] {
            order.hold(held(sequence));
        }
        assert_eq!(released(&mut order), [0; 0]);
        order.hold(held(0));
        assert_eq!(released(&mut order), [0, 1, 2]);
        order.skip(5);
        assert_eq!(released(&mut order), [0; 0], "3 may still come");
        order.skip(3);
        assert_eq!(released(&mut order), [4, 6]);
        assert!(order.is_past(5) && order.is_due(7));
    }

    #[test]
    fn a_floor_releases_what_is_below_it_and_lets_the_order_go_on_there() {
        let mut order = Order::starting_at(0);
        for sequence in [2, 5, 8, 11] {
            order.hold(held(sequence));
        }
        order.on_floor(8);
        assert_eq!(released(&mut order), [2, 5, 8]);
        assert!(order.is_past(7) && order.is_due(9));
        order.on_floor(3);
        assert_eq!(released(&mut order), [0; 0], "a floor does not go back");
    }

    #[test]
    fn numbers_wrap() {
        let mut order = Order::starting_at(u32::MAX - 1);
        for sequence in [0, u32::MAX, 1, u32::MAX - 1] {
            order.hold(held(sequence));
        }
        assert_eq!(released(&mut order), [u32::MAX - 1, u32::MAX, 0, 1]);
        assert!(order.is_past(u32::MAX) && order.is_due(2));
    }

    #[test]
    fn what_is_far_below_the_beginning_is_past() {
        let order = Order::starting_at(0);
        assert!(order.is_past(u32::MAX) && order.is_past(u32::MAX / 2 + 1));
        assert!(!order.is_past(0) && !order.is_past(u32::MAX / 2));
    }

    #[test]
    fn numbers_known_not_to_come_are_bounded_and_the_order_goes_on() {
        let mut order = Order::starting_at(0);
        order.hold(held(1));
        for sequence in 0..10_000 {
            order.skip(2 + 2 * sequence);
            released(&mut order);
        }
        assert!(
            order.gone.len() <= MAX_GONE && order.next > 10_000,
            "{} at {}",
            order.gone.len(),
            order.next
        );
    }
}
