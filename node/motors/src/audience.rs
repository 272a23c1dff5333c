//! Who subscribes to the command, by the word of the node's network thread. NODE-129.

use std::sync::atomic::{AtomicU64, Ordering};

use tokkyu_bridge::motors::Subscribers;

/// One word, so that both numbers are of one moment: who asks runs at a real-time priority, and waits for nobody. Above how
/// many came, below how many there are.
#[derive(Debug, Default)]
pub(crate) struct Audience(AtomicU64);

impl Audience {
    /// Somebody came, or left. One thread says so.
    pub(crate) fn on_change(&self, is_new: bool) {
        let Subscribers { now, came } = self.look();
        let (now, came) = if is_new { (now + 1, came + 1) } else { (now.saturating_sub(1), came) };
        self.0.store((came & u64::from(u32::MAX)) << 32 | now & u64::from(u32::MAX), Ordering::Release);
    }

    pub(crate) fn look(&self) -> Subscribers {
        let word = self.0.load(Ordering::Acquire);
        Subscribers { now: word & u64::from(u32::MAX), came: word >> 32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NODE-129: one that goes and one that comes leave their number as it was.
    #[test]
    fn both_numbers_are_the_same_only_if_nobody_came_or_went() {
        let audience = Audience::default();
        let mut seen = vec![audience.look()];
        for is_new in [true, true, false, true, false, false] {
            audience.on_change(is_new);
            seen.push(audience.look());
        }
        let numbers: Vec<(u64, u64)> = seen.iter().map(|seen| (seen.now, seen.came)).collect();
        assert_eq!(numbers, [(0, 0), (1, 1), (2, 2), (1, 2), (2, 3), (1, 3), (0, 3)]);
    }
}
