//! All runs of a machine: every choice of who goes on next, up to so many interruptions.
//!
//! A processor is interrupted where it could have gone on and another does. Faults that need many are rare, and each one more
//! multiplies the runs: M. Musuvathi and S. Qadeer, Iterative context bounding, PLDI 2007.

use crate::order::Order;

/// A choice that was made: the place among those that could go on, and how many there were.
#[derive(Clone, Copy, Debug)]
struct Choice {
    taken: usize,
    of: usize,
}

/// Goes through the runs one after the other.
#[derive(Debug)]
struct Runs {
    path: Vec<Choice>,
    at: usize,
    interruptions: u32,
    most: u32,
}

impl Order for Runs {
    fn choose(&mut self, able: &[usize], before: usize) -> usize {
        // The one that goes on anyway comes first: taking another is an interruption.
        let goes_on = able.contains(&before);
        let mut order: Vec<usize> = able.iter().copied().filter(|index| *index != before).collect();
        if goes_on {
            order.insert(0, before);
        }
        let of = if goes_on && self.interruptions == self.most { 1 } else { order.len() };
        if self.at == self.path.len() {
            self.path.push(Choice { taken: 0, of });
        }
        let choice = self.path[self.at];
        assert_eq!(choice.of, of, "a run is not the same when it is run again");
        self.at += 1;
        if goes_on && choice.taken != 0 {
            self.interruptions += 1;
        }
        order[choice.taken]
    }
}

impl Runs {
    /// On to the next run; `false` after the last.
    fn next(&mut self) -> bool {
        self.path.truncate(self.at);
        self.at = 0;
        self.interruptions = 0;
        while let Some(choice) = self.path.last_mut() {
            choice.taken += 1;
            if choice.taken < choice.of {
                return true;
            }
            self.path.pop();
        }
        false
    }
}

/// What was gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explored {
    /// Runs.
    pub runs: u64,
    /// Choices in the longest of them.
    pub longest: usize,
}

/// Calls `run` with an order for each run there is, with at most so many interruptions.
pub fn explore(interruptions: u32, mut run: impl FnMut(&mut dyn Order)) -> Explored {
    let mut runs = Runs { path: Vec::new(), at: 0, interruptions: 0, most: interruptions };
    let mut explored = Explored { runs: 0, longest: 0 };
    loop {
        run(&mut runs);
        explored.runs += 1;
        explored.longest = explored.longest.max(runs.at);
        if !runs.next() {
            return explored;
        }
    }
}
