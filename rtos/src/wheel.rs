//! What is due at a time, on one processor: wheels of 64 places, each wheel 64 times as slow as the one below.
//!
//! Guarded by the processor's lock. To put something in and to take it out takes the same number of steps whatever else
//! is there; what is far comes down wheel by wheel, one event at a call, as its time comes near. Source: G. Varghese and T. Lauck,
//! Hashed and hierarchical timing wheels, SOSP 1987.
//!
//! An event's wheel is that of the highest digit (base 64) in which its time differs from the wheel's own, so that those of one time are
//! always at one place, in the order in which they came (SPEC.md RTK-42).

use crate::cell::{Byte, Half, Link, Long};

const DIGIT: u32 = 6;
const PLACES: usize = 1 << DIGIT;
/// Times differ by less than 2^33 µs, so that the seventh digit differs by one at most: its place says which.
const WHEELS: usize = 7;
const NOWHERE: u16 = u16::MAX;

/// A time that does not come.
pub(crate) const NEVER: u64 = u64::MAX;

/// Whose event it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The end of a task's wait.
    Task(u16),
    Cyclic(u16),
    Alarm(u16),
}

/// Something that is due at a time.
#[derive(Debug)]
pub(crate) struct Event {
    next: Link<Event>,
    prev: Link<Event>,
    at_us: Long,
    place: Half,
    kind: Byte,
    number: Half,
}

impl Event {
    pub(crate) const fn new() -> Self {
        Self {
            next: Link::none(),
            prev: Link::none(),
            at_us: Long::new(0),
            place: Half::new(NOWHERE),
            kind: Byte::new(0),
            number: Half::new(0),
        }
    }

    pub(crate) fn belongs_to(&self, owner: Owner) {
        let (kind, number) = match owner {
            Owner::Task(number) => (0, number),
            Owner::Cyclic(number) => (1, number),
            Owner::Alarm(number) => (2, number),
        };
        self.kind.set(kind);
        self.number.set(number);
        self.place.set(NOWHERE);
    }

    pub(crate) fn owner(&self) -> Owner {
        match self.kind.get() {
            0 => Owner::Task(self.number.get()),
            1 => Owner::Cyclic(self.number.get()),
            _ => Owner::Alarm(self.number.get()),
        }
    }

    pub(crate) fn at_us(&self) -> u64 {
        self.at_us.get()
    }

    /// Whether it is in a wheel.
    pub(crate) fn is_set(&self) -> bool {
        self.place.get() != NOWHERE
    }
}

/// What a step answers.
pub(crate) enum Step {
    /// This is due. It is still in the wheel.
    Due(&'static Event),
    /// One event came down a wheel: there may be more to do.
    Moved,
    /// Nothing is due.
    Rest,
}

#[derive(Debug)]
pub(crate) struct Wheel {
    now_us: Long,
    /// The place whose events are coming down, and its time. Until all are down, `now_us` stands before it, so that what
    /// comes meanwhile for the same time goes behind them.
    coming_down: Half,
    down_at_us: Long,
    taken: [Long; WHEELS],
    heads: [[Link<Event>; PLACES]; WHEELS],
}

impl Wheel {
    pub(crate) const fn new() -> Self {
        Self {
            now_us: Long::new(0),
            coming_down: Half::new(NOWHERE),
            down_at_us: Long::new(0),
            taken: [const { Long::new(0) }; WHEELS],
            heads: [const { [const { Link::none() }; PLACES] }; WHEELS],
        }
    }

    pub(crate) fn clear(&self, now_us: u64) {
        self.now_us.set(now_us);
        self.coming_down.set(NOWHERE);
        self.taken.iter().for_each(|taken| taken.set(0));
        self.heads.iter().flatten().for_each(|head| head.set(None));
    }

    /// Has `event` come up at `at_us`, or at once if that is over.
    pub(crate) fn insert(&self, event: &'static Event, at_us: u64) {
        event.at_us.set(at_us);
        self.put(event, self.now_us.get());
    }

    fn put(&self, event: &'static Event, seen_from_us: u64) {
        let at_us = event.at_us.get().max(seen_from_us);
        let differs = (at_us ^ seen_from_us) | 1;
        let wheel = (differs.ilog2() / DIGIT).min(WHEELS as u32 - 1);
        let place = (at_us >> (wheel * DIGIT)) as usize % PLACES;
        let wheel = wheel as usize;
        event.place.set((wheel * PLACES + place) as u16);
        let head = &self.heads[wheel][place];
        let Some(first) = head.get() else {
            event.next.set(Some(event));
            event.prev.set(Some(event));
            head.set(Some(event));
            self.taken[wheel].set(self.taken[wheel].get() | 1 << place);
            return;
        };
        // In a ring everybody has one before it, if only itself.
        let last = first.prev.get().unwrap_or(first);
        event.next.set(Some(first));
        event.prev.set(Some(last));
        first.prev.set(Some(event));
        last.next.set(Some(event));
    }

    /// Takes it out, if it is in.
    pub(crate) fn remove(&self, event: &'static Event) {
        if !event.is_set() {
            return;
        }
        let at = usize::from(event.place.get());
        let (wheel, place) = (at / PLACES % WHEELS, at % PLACES);
        event.place.set(NOWHERE);
        let head = &self.heads[wheel][place];
        let after = event.next.get().filter(|after| !core::ptr::eq(*after, event));
        let Some(after) = after else {
            head.set(None);
            self.taken[wheel].set(self.taken[wheel].get() & !(1 << place));
            return;
        };
        if let Some(before) = event.prev.get() {
            before.next.set(Some(after));
            after.prev.set(Some(before));
        }
        if head.is(event) {
            head.set(Some(after));
        }
    }

    /// Goes on towards `until_us`, by one event.
    pub(crate) fn step(&self, until_us: u64) -> Step {
        let found = self.next();
        let Some((wheel, place, due_us)) = found.filter(|(_, _, due_us)| *due_us <= until_us) else {
            self.now_us.set(self.now_us.get().max(until_us));
            return Step::Rest;
        };
        let Some(first) = self.heads[wheel][place].get() else { return Step::Rest };
        if wheel == 0 {
            self.now_us.set(self.now_us.get().max(due_us));
            return Step::Due(first);
        }
        self.coming_down.set((wheel * PLACES + place) as u16);
        self.down_at_us.set(due_us);
        self.remove(first);
        self.put(first, due_us);
        Step::Moved
    }

    /// When something is next to be done, at the earliest.
    pub(crate) fn due_us(&self) -> Option<u64> {
        self.next().map(|(_, _, due_us)| due_us)
    }

    /// The first place that has something, and when its time comes.
    fn next(&self) -> Option<(usize, usize, u64)> {
        let down = usize::from(self.coming_down.get());
        if down != usize::from(NOWHERE) {
            let (wheel, place) = (down / PLACES % WHEELS, down % PLACES);
            if self.taken[wheel].get() & 1 << place != 0 {
                return Some((wheel, place, self.down_at_us.get()));
            }
            self.coming_down.set(NOWHERE);
            self.now_us.set(self.down_at_us.get());
        }
        // A wheel's places all come before those of the next.
        let now_us = self.now_us.get();
        (0..WHEELS).find_map(|wheel| self.next_of(wheel, now_us))
    }

    fn next_of(&self, wheel: usize, now_us: u64) -> Option<(usize, usize, u64)> {
        let taken = self.taken[wheel].get();
        if taken == 0 {
            return None;
        }
        let shift = wheel as u32 * DIGIT;
        let digit = (now_us >> shift) as u32 % PLACES as u32;
        let ahead = taken.rotate_right(digit).trailing_zeros();
        let place = (digit + ahead) as usize % PLACES;
        Some((wheel, place, ((now_us >> shift) + u64::from(ahead)) << shift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::boxed::Box;
    use std::vec::Vec;

    fn events(count: usize) -> &'static [Event] {
        let made: Vec<Event> = (0..count).map(|_| Event::new()).collect();
        let made = Vec::leak(made);
        made.iter().enumerate().for_each(|(number, event)| event.belongs_to(Owner::Task(number as u16)));
        made
    }

    fn wheel(now_us: u64) -> &'static Wheel {
        let wheel = Box::leak(Box::new(Wheel::new()));
        wheel.clear(now_us);
        wheel
    }

    /// What comes up until then, with its time.
    fn run(wheel: &'static Wheel, until_us: u64) -> Vec<(u64, Owner)> {
        let mut up = Vec::new();
        loop {
            match wheel.step(until_us) {
                Step::Due(event) => {
                    wheel.remove(event);
                    up.push((event.at_us(), event.owner()));
                }
                Step::Moved => {}
                Step::Rest => return up,
            }
        }
    }

    /// Numbers that look like none in particular, the same in every run.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        core::iter::successors(Some(seed), |x| {
            Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
        })
        .map(|x| x >> 31)
    }

    #[test]
    fn everything_comes_up_at_its_time_in_the_order_of_times_and_of_asking() {
        for start in [0, 63, 4_095, (1 << 36) - 5, (1 << 42) - 1_000, u64::from(u32::MAX) - 7] {
            let (wheel, events) = (wheel(start), events(400));
            let mut wanted: Vec<(u64, Owner)> = Vec::new();
            for (event, number) in events.iter().zip(numbers(start + 1)) {
                let after = [number % 70, number % 5_000, number % 4_000_000_000][(number % 3) as usize];
                wheel.insert(event, start + after);
                wanted.push((start + after, event.owner()));
            }
            wanted.sort_by_key(|(at, _)| *at);
            assert_eq!(run(wheel, start + 4_000_000_000), wanted, "from {start}");
        }
    }

    #[test]
    fn nothing_comes_up_early_and_the_rest_tells_when_to_look_again() {
        let (wheel, events) = (wheel(1_000), events(2));
        wheel.insert(&events[0], 70_000);
        wheel.insert(&events[1], 70_001);
        let mut looks = 0;
        let mut at_us = 1_000;
        while at_us < 70_000 {
            assert_eq!(run(wheel, at_us), []);
            at_us = wheel.due_us().expect("there is something");
            looks += 1;
        }
        assert_eq!(at_us, 70_000);
        assert!(looks <= WHEELS, "{looks}");
        assert_eq!(run(wheel, 70_000).len(), 1);
        assert_eq!(run(wheel, 70_001).len(), 1);
        assert_eq!(wheel.due_us(), None);
    }

    #[test]
    fn what_is_asked_for_while_others_come_down_comes_behind_them() {
        let (wheel, events) = (wheel(0), events(4));
        events[..3].iter().for_each(|event| wheel.insert(event, 5_000));
        // The first of them has come down when the fourth comes.
        while matches!(wheel.step(4_990), Step::Moved) && wheel.now_us.get() < 4_096 {}
        wheel.insert(&events[3], 5_000);
        let order: Vec<Owner> = run(wheel, 5_000).into_iter().map(|(_, owner)| owner).collect();
        assert_eq!(order, [0, 1, 2, 3].map(Owner::Task));
    }

    #[test]
    fn what_is_taken_out_does_not_come_up_wherever_it_is() {
        let (wheel, events) = (wheel(0), events(300));
        events.iter().zip(numbers(9)).for_each(|(event, number)| wheel.insert(event, number % 300_000));
        let mut up = run(wheel, 100_000).len();
        let out = events
            .iter()
            .filter(|event| event.is_set())
            .step_by(2)
            .inspect(|event| wheel.remove(event))
            .count();
        up += run(wheel, 300_000).len();
        assert_eq!(up + out, 300);
        assert!(wheel.taken.iter().all(|taken| taken.get() == 0));
        wheel.remove(&events[0]);
    }

    #[test]
    fn what_is_over_comes_up_at_once() {
        let (wheel, events) = (wheel(5_000), events(1));
        wheel.insert(&events[0], 12);
        assert_eq!(run(wheel, 5_000), [(12, Owner::Task(0))]);
    }
}
