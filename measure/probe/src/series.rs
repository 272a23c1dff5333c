//! What both ends of a run agree on: how many, how far apart, and which of them count.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::error::{ProbeError, failed};

/// The worst that are kept one by one.
pub const WORST: usize = 10;

/// Samples of a run that count: those at its edges fall together with the start and the end of loads and programs.
#[derive(Clone, Copy, Debug)]
pub struct Edges {
    pub count: u32,
    pub edge: u32,
}

impl Edges {
    pub fn inside(self, sequence: u32) -> bool {
        (self.edge..self.count.saturating_sub(self.edge)).contains(&sequence)
    }
}

/// The worst of all, worst first.
pub fn worst<T: Copy>(all: impl Iterator<Item = T>, badness: impl Fn(&T) -> i64) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort_by_key(|one| std::cmp::Reverse(badness(one)));
    all.truncate(WORST);
    all
}

/// All samples as CSV, for who wants to look closer.
pub fn keep(path: Option<&Path>, header: &str, rows: impl Iterator<Item = String>) -> Result<(), ProbeError> {
    let Some(path) = path else { return Ok(()) };
    let write = || {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "{header}")?;
        rows.into_iter().try_for_each(|row| writeln!(file, "{row}"))?;
        file.flush()
    };
    write().map_err(failed(path.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_do_not_count() {
        let edges = Edges { count: 5, edge: 1 };
        assert_eq!((0..7).filter(|n| edges.inside(*n)).collect::<Vec<_>>(), [1, 2, 3]);
        assert!(!(0..5).any(|n| Edges { count: 5, edge: 3 }.inside(n)));
    }

    #[test]
    fn the_worst_come_first() {
        let all = worst((0..100).chain([500]), |n| *n);
        assert_eq!((all.len(), all[0], all[1]), (WORST, 500, 99));
    }
}
