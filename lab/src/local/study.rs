//! What is run when: rounds, in each of which every peer has every size once.

use std::time::Duration;

use tokkyu_measure::local::{Kind, Size};

use super::chance::Chance;
use super::peers::{Found, Peer};

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Study {
    /// Who runs.
    pub peers: Vec<Found>,
    /// Bytes of a message.
    pub sizes: Vec<Size>,
    /// Of each peer and size in each round.
    pub samples: u32,
    /// Samples before them.
    pub warm_up: u32,
    /// Repetitions.
    pub rounds: u32,
    /// Of their orders.
    pub seed: u64,
    /// From one sample to the next.
    pub period: Duration,
    /// `SCHED_FIFO` of both ends; 0: none.
    pub priority: u8,
}

/// One run of a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Who, and its program.
    pub found: Found,
    /// Bytes of a message.
    pub size: Size,
    /// From 0.
    pub round: u32,
    /// Recorded.
    pub samples: u32,
    /// Before them.
    pub warm_up: u32,
    /// From one sample to the next.
    pub period: Duration,
    /// `SCHED_FIFO`; 0: none.
    pub priority: u8,
}

/// A publisher at ten times the rate publishes ten times as many, in the time that the others take.
const FASTER: u32 = 10;
/// The most that a program takes (LOCAL-2).
const SAMPLES_MAX: u32 = 100_000;
/// Shortest period of a publisher that overloads, and how many bytes it can fill in a microsecond beside.
const OVERLOAD_PERIOD_US: u64 = 200;
const FILLED_PER_US: u64 = 1_500;
/// Starting, meeting and ending of a program.
const AROUND: Duration = Duration::from_millis(900);

impl Study {
    /// A round's cells: each once, in an order of that round's own, which is the same whenever it is run. All peers have a size before
    /// the next one comes: what is compared is not far apart, and a machine changes from minute to minute.
    pub fn cells(&self, round: u32) -> Vec<Cell> {
        let mut chance = Chance::seeded(self.seed.wrapping_sub(1).wrapping_add(round.into()));
        let mut sizes = self.sizes.clone();
        shuffle(&mut sizes, &mut chance);
        let of_size = |size: Size| {
            let mut cells: Vec<Cell> = self.peers.iter().map(|found| self.cell(found, size, round)).collect();
            shuffle(&mut cells, &mut chance);
            cells
        };
        sizes.into_iter().flat_map(of_size).collect()
    }

    fn cell(&self, found: &Found, size: Size, round: u32) -> Cell {
        let found = found.clone();
        let Study { samples, warm_up, period, priority, .. } = *self;
        if found.peer.kind() == Kind::Overload {
            let samples = samples.saturating_mul(FASTER).min(SAMPLES_MAX);
            let period =
                Duration::from_micros(OVERLOAD_PERIOD_US.max(u64::from(size.bytes()) / FILLED_PER_US));
            return Cell { found, size, round, samples, warm_up, period, priority };
        }
        Cell { found, size, round, samples, warm_up, period, priority }
    }

    /// The cells of all rounds.
    pub fn all_cells(&self) -> Vec<Cell> {
        (0..self.rounds).flat_map(|round| self.cells(round)).collect()
    }

    /// How long all rounds take, if nothing is late.
    pub fn expected(&self) -> Duration {
        self.cells(0).iter().map(Cell::expected).sum::<Duration>() * self.rounds
    }
}

impl Cell {
    /// Who.
    pub fn peer(&self) -> Peer {
        self.found.peer
    }

    /// How long it takes, if nothing is late.
    pub fn expected(&self) -> Duration {
        AROUND + self.period * (self.samples + self.warm_up)
    }

    /// What its files are called, in the round's folder.
    pub(super) fn file_name(&self) -> String {
        format!("{}-{}", self.peer(), self.size.bytes())
    }
}

/// Fisher and Yates.
fn shuffle<T>(things: &mut [T], chance: &mut Chance) {
    for left in (1..things.len()).rev() {
        things.swap(left, chance.below(left + 1));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn found(name: &str) -> Found {
        Found { peer: Peer::named(name).unwrap(), program: format!("/p/{name}").into() }
    }

    pub(crate) fn study(names: &[&str]) -> Study {
        Study {
            peers: names.iter().map(|name| found(name)).collect(),
            sizes: vec![Size::SMALL, Size::LARGE],
            samples: 300,
            warm_up: 20,
            rounds: 3,
            seed: 1,
            period: Duration::from_millis(5),
            priority: 10,
        }
    }

    #[test]
    fn each_round_has_every_peer_and_size_once_in_an_order_of_its_own() {
        let study = study(&["floor-futex", "iceoryx", "tokkyu-thread", "fastdds"]);
        let names = |round| study.cells(round).iter().map(Cell::file_name).collect::<Vec<_>>();
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names
        };
        let rounds: Vec<Vec<String>> = (0..6).map(names).collect();
        assert_eq!(sorted(rounds[0].clone()).len(), 8);
        for (at, round) in rounds.iter().enumerate() {
            assert_eq!(sorted(round.clone()), sorted(rounds[0].clone()));
            assert!(rounds[..at].iter().all(|other| other != round), "round {at} is in the order of another");
        }
        assert_eq!(names(3), rounds[3], "the same whenever it is run");
        let firsts: std::collections::BTreeSet<&String> = rounds.iter().map(|round| &round[0]).collect();
        assert!(firsts.len() > 1, "somebody is always first");
    }

    #[test]
    fn all_peers_have_a_size_before_the_next_one_comes_and_no_size_is_always_first() {
        let study = study(&["floor-futex", "iceoryx", "tokkyu-thread", "fastdds"]);
        let mut firsts = std::collections::BTreeSet::new();
        for round in 0..6 {
            let cells = study.cells(round);
            let (first, second) = cells.split_at(4);
            for half in [first, second] {
                assert!(half.iter().all(|cell| cell.size == half[0].size), "round {round}");
            }
            firsts.insert(first[0].size);
        }
        assert_eq!(firsts.len(), 2);
    }

    #[test]
    fn a_publisher_that_overloads_is_ten_times_as_fast_and_has_time_to_fill() {
        let study = study(&["tokkyu-overload", "tokkyu-thread"]);
        let of = |name: &str, size: Size| {
            let cells = study.cells(0);
            cells.into_iter().find(|cell| cell.peer().as_str() == name && cell.size == size).unwrap()
        };
        let small = of("tokkyu-overload", Size::SMALL);
        assert_eq!((small.samples, small.period), (3_000, Duration::from_micros(200)));
        assert!(of("tokkyu-overload", Size::LARGE).period > Duration::from_millis(2));
        assert_eq!(of("tokkyu-thread", Size::LARGE).samples, 300);
    }
}
