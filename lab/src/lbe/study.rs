//! The whole experiment: which boards are started for which question.

use super::background::Background;
use super::cell::{Cell, FAST, SLOW, Work};
use super::scheme::Scheme;
use crate::board::Clock;
use crate::board::plan::Direction;

/// A single packet is soon sent, and a longest wait wants many of them: so many for each round of everything else.
const PACKETS_OF_A_ROUND: u32 = 15;
/// Rounds of the computation: some hundred virtual milliseconds.
const COMPUTE_ROUNDS: u64 = 100_000_000;
/// The same in the host's time, where it takes about as long on an emulated processor.
const HOST_ROUNDS: u64 = 1_000_000_000;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Study {
    /// In this order.
    pub schemes: Vec<Scheme>,
    /// Beside each of the schemes that has one.
    pub backgrounds: Vec<Background>,
    /// Bytes of the requests.
    pub sizes: Vec<u64>,
    /// Rounds of everything.
    pub repeats: u32,
    /// Of all pauses.
    pub seed: u64,
}

impl Study {
    /// One for each start of a board.
    pub fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for scheme in &self.schemes {
            let beside = match scheme.has_background() {
                true => self.backgrounds.iter().copied().filter(|one| scheme.carries(*one)).collect(),
                false => vec![Background::None],
            };
            for background in beside {
                cells.extend(self.works(*scheme, background).into_iter().map(|(link, work, processors)| {
                    Cell { scheme: *scheme, background, link, work, seed: self.seed, processors }
                }));
            }
        }
        cells
    }

    fn works(&self, scheme: Scheme, background: Background) -> Vec<(super::Link, Work, u32)> {
        let directions = vec![Direction::Post, Direction::Get];
        let transfers = Work::Transfers { directions, sizes: self.sizes.clone(), repeats: self.repeats };
        let mut works = vec![(SLOW, transfers, 1)];
        if scheme.has_background() {
            works.push((SLOW, Work::React { packets: self.repeats * PACKETS_OF_A_ROUND }, 1));
        }
        if scheme.is_computed() {
            works.push((FAST, Work::Compute { rounds: COMPUTE_ROUNDS, repeats: self.repeats }, 1));
        }
        if (scheme, background) == (Scheme::Lbe, Background::Udp) {
            works.push((FAST, Work::Compute { rounds: HOST_ROUNDS, repeats: 3 }, 2));
        }
        works
    }
}

impl Cell {
    /// How the time of its board moves.
    pub fn clock(&self) -> Clock {
        match self.processors {
            1 => Clock::Counted,
            processors => Clock::Host { processors },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transport_that_yields_is_not_run_beside_udp() {
        let study = Study {
            schemes: Scheme::all().collect(),
            backgrounds: vec![Background::Udp, Background::Tcp(8)],
            sizes: vec![1_000],
            repeats: 1,
            seed: 1,
        };
        let cells = study.cells();
        let beside = |scheme, background| {
            cells.iter().any(|cell| (cell.scheme, cell.background) == (scheme, background))
        };
        for scheme in [Scheme::TcpLp, Scheme::Ledbat] {
            assert!(beside(scheme, Background::Tcp(8)) && !beside(scheme, Background::Udp), "{scheme}");
        }
        assert!(beside(Scheme::Lbe, Background::Udp));
    }
}
