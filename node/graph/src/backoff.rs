//! When to try again.

use core::time::Duration;

/// Twice as long each time, up to a most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    next: Duration,
    most: Duration,
}

const FIRST: Duration = Duration::from_millis(100);

impl Backoff {
    pub(crate) const fn up_to(most: Duration) -> Backoff {
        Backoff { next: FIRST, most }
    }

    /// How long to wait now.
    pub(crate) fn wait(&mut self) -> Duration {
        let now = self.next;
        self.next = (now * 2).min(self.most);
        now
    }

    /// It worked: the next failure begins anew.
    pub(crate) fn reset(&mut self) {
        self.next = FIRST;
    }
}
