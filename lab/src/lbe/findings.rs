//! From what a board said to the cases of a result.

use tokkyu_measure::lbe::{Foreground, LbeCase, Quartiles, Spread};

use super::cell::{COMPUTE, Cell, IDLE, REACT};
use super::scheme::Scheme;
use crate::board::{NS_PER_INSTRUCTION, Outcome, Round};

/// Preamble, check sequence and gap of each frame.
const FRAME_OVERHEAD_BYTES: u64 = 24;

/// The cases of one start of a board, in the order in which they were run. Those that did not come are not there.
pub fn cases(cell: &Cell, kernel: &str, outcome: &Outcome) -> Vec<LbeCase> {
    cell.names()
        .iter()
        .filter_map(|name| case(cell, kernel, name, &outcome.rounds(name).collect::<Vec<_>>()))
        .collect()
}

/// What a name of rounds stands for, and the bytes of a transfer.
fn what(name: &str) -> Option<(Foreground, u64)> {
    match name {
        COMPUTE => Some((Foreground::Compute, 0)),
        IDLE => Some((Foreground::Idle, 0)),
        REACT => Some((Foreground::React, 0)),
        transfer => match transfer.split_once(' ')? {
            ("post", bytes) => Some((Foreground::Post, bytes.parse().ok()?)),
            ("get", bytes) => Some((Foreground::Get, bytes.parse().ok()?)),
            _ => None,
        },
    }
}

fn case(cell: &Cell, kernel: &str, name: &str, rounds: &[&Round]) -> Option<LbeCase> {
    let (direction, bytes) = what(name)?;
    let times = sorted(rounds, |round| round.duration_ns as f64 / 1e6);
    let instructions = sorted(rounds, |round| round.busy_ns as f64 / NS_PER_INSTRUCTION as f64);
    let switches = sorted(rounds, |round| round.switches as f64);
    let frames: u64 = rounds.iter().map(|round| round.background.frames + round.foreground.frames).sum();
    let busy_ns: u64 = rounds.iter().map(|round| round.busy_ns).sum();
    Some(LbeCase {
        kernel: kernel.to_owned(),
        scheme: cell.scheme.to_string(),
        background: cell.background.to_string(),
        direction,
        bytes,
        link_kbps: cell.link.up_kbps,
        processors: cell.processors,
        n: rounds.len(),
        median_ms: percentile(&times, 50)?,
        rounds_ms: rounds.iter().map(|round| round.duration_ns as f64 / 1e6).collect(),
        p95_ms: percentile(&times, 95)?,
        best_ms: *times.first()?,
        worst_ms: *times.last()?,
        spread: Spread {
            ms: quartiles(&times),
            instructions: quartiles(&instructions),
            context_switches: quartiles(&switches),
        },
        ratio_to_none: None,
        baseline: baseline(cell, direction).to_string(),
        instructions: percentile(&instructions, 50)?,
        instructions_per_packet: (frames > 0)
            .then(|| busy_ns as f64 / NS_PER_INSTRUCTION as f64 / frames as f64),
        context_switches: percentile(&switches, 50)?,
        background_bytes: rounds.iter().map(|round| round.background.bytes).sum(),
        background_share: share(cell, rounds),
        notes: cell.notes(),
    })
}

/// What a queue does for its foreground is seen in transfers alone.
fn baseline(cell: &Cell, direction: Foreground) -> Scheme {
    match direction {
        Foreground::Post | Foreground::Get => cell.scheme.baseline(),
        Foreground::Compute | Foreground::Idle | Foreground::React => Scheme::None,
    }
}

fn sorted(rounds: &[&Round], of: impl Fn(&Round) -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = rounds.iter().map(|round| of(round)).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Nearest rank.
fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

fn quartiles(sorted: &[f64]) -> Option<Quartiles> {
    Some(Quartiles { p25: percentile(sorted, 25)?, p75: percentile(sorted, 75)? })
}

fn share(cell: &Cell, rounds: &[&Round]) -> f64 {
    let bits: u64 = rounds
        .iter()
        .map(|round| (round.background.bytes + round.background.frames * FRAME_OVERHEAD_BYTES) * 8)
        .sum();
    // What a round of a single packet took is not how long it was looked at.
    let looked_ns: u64 = rounds.iter().map(|round| round.looked_ns).sum();
    match looked_ns {
        0 => 0.0,
        ns => bits as f64 / (f64::from(cell.link.up_kbps) * ns as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Background, SLOW, Work};
    use super::*;
    use crate::board::Line;
    use crate::board::plan::Direction;
    use crate::board::report::Frames;

    fn cell() -> Cell {
        let work = Work::Transfers { directions: vec![Direction::Post], sizes: vec![1000], repeats: 3 };
        Cell { scheme: Scheme::Lbe, background: Background::Tcp(8), link: SLOW, work, seed: 1, processors: 1 }
    }

    fn round(number: u32, ms: u64) -> Line {
        Line::Round(Round {
            name: "post 1000".to_owned(),
            round: number,
            duration_ns: ms * 1_000_000,
            looked_ns: ms * 1_000_000,
            busy_ns: 2_000_000,
            background: Frames { frames: 2, bytes: 3028 },
            foreground: Frames { frames: 8, bytes: 1500 },
            ..Round::default()
        })
    }

    #[test]
    fn figures_are_over_all_rounds_of_a_name() {
        let outcome =
            Outcome { lines: vec![round(0, 300), round(1, 200), round(2, 250)], ..Outcome::default() };
        let found = cases(&cell(), "6.1", &outcome);
        assert_eq!(found.len(), 1, "the idle time did not come");
        let case = &found[0];
        assert_eq!((case.n, case.median_ms, case.p95_ms), (3, 250.0, 300.0));
        assert_eq!(case.rounds_ms, [300.0, 200.0, 250.0]);
        assert_eq!(case.spread.ms, Some(Quartiles { p25: 200.0, p75: 300.0 }));
        assert_eq!(case.spread.context_switches, Some(Quartiles { p25: 0.0, p75: 0.0 }));
        assert_eq!((case.direction, case.bytes, case.background_bytes), (Foreground::Post, 1000, 9084));
        assert_eq!((case.instructions, case.instructions_per_packet), (1e6, Some(1e5)));
        let expected = (9084.0 + 6.0 * 24.0) * 8.0 / (384.0 * 750.0);
        assert!((case.background_share - expected).abs() < 1e-9, "{}", case.background_share);
    }
}
