//! Notices that the link's thread hangs. That it died it tells itself.
//!
//! Pure. The thread renews its figures every 250 ms at least. Turns of the main loop are counted and not time, so that a program
//! that was stopped (Ctrl-Z, a debugger) and goes on does not take its own sleep for the other's death.

use tokkyu_contract::MonoTime;

/// Turns of about 50 ms without new figures: ten seconds.
const PATIENCE_TURNS: u32 = 200;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct LinkWatch {
    seen: MonoTime,
    turns: u32,
}

impl LinkWatch {
    /// One turn, at which the figures are those of `at`. True when the link's thread must hang.
    pub(crate) fn is_gone(&mut self, at: MonoTime) -> bool {
        self.turns = if at == self.seen { self.turns.saturating_add(1) } else { 0 };
        self.seen = at;
        self.turns >= PATIENCE_TURNS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_never_change_are_those_of_a_thread_that_hangs() {
        let mut watch = LinkWatch::default();
        assert!((1..PATIENCE_TURNS).all(|_| !watch.is_gone(MonoTime::ZERO)));
        assert!(watch.is_gone(MonoTime::ZERO));
        assert!(!watch.is_gone(MonoTime::from_millis(1)));
    }
}
