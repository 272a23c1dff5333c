//! Who runs next.

/// Chooses the next step of a run.
pub trait Order {
    /// Of the processors that can go on (indices, rising, at least one) the one that does. `before` went on last.
    fn choose(&mut self, able: &[usize], before: usize) -> usize;
}

/// Each goes on until it waits for something, then the next.
#[derive(Clone, Copy, Debug, Default)]
pub struct InTurn;

impl Order for InTurn {
    fn choose(&mut self, able: &[usize], before: usize) -> usize {
        if able.contains(&before) {
            return before;
        }
        able.iter().copied().find(|index| *index > before).unwrap_or(able[0])
    }
}
