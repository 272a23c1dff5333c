//! Outcomes close: offered = delivered + late + expired + dropped + lost.
//!
//! Every hop keeps one [`Ledger`] for each flow. A late or lost sample is an outcome, never an "error".

use core::fmt;
use core::ops::AddAssign;

/// What became of one sample at one hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Handed on within its lifespan.
    Delivered,
    /// Complete, but older than its lifespan, so not handed on.
    Late,
    /// Grew older than its lifespan before it was complete; given up on purpose.
    Expired,
    /// Given up on purpose while still fresh: history depth, a newer sample, or no room.
    Dropped,
    /// Nothing is known of it: never confirmed, never seen.
    Lost,
}

impl Outcome {
    /// All outcomes, best first.
    pub const ALL: [Outcome; 5] =
        [Outcome::Delivered, Outcome::Late, Outcome::Expired, Outcome::Dropped, Outcome::Lost];

    /// The word used in records and tables.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::Delivered => "delivered",
            Outcome::Late => "late",
            Outcome::Expired => "expired",
            Outcome::Dropped => "dropped",
            Outcome::Lost => "lost",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Counts of samples by outcome at one hop of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Samples handed to the hop.
    pub offered: u64,
    /// See [`Outcome::Delivered`].
    pub delivered: u64,
    /// See [`Outcome::Late`].
    pub late: u64,
    /// See [`Outcome::Expired`].
    pub expired: u64,
    /// See [`Outcome::Dropped`].
    pub dropped: u64,
    /// See [`Outcome::Lost`].
    pub lost: u64,
}

impl Ledger {
    /// A sample was handed to the hop.
    pub fn offer(&mut self) {
        self.offered += 1;
    }

    /// A sample that was offered before came to its end.
    pub fn settle(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Delivered => self.delivered += 1,
            Outcome::Late => self.late += 1,
            Outcome::Expired => self.expired += 1,
            Outcome::Dropped => self.dropped += 1,
            Outcome::Lost => self.lost += 1,
        }
    }

    /// Samples that came to an end, whichever.
    pub const fn settled(&self) -> u64 {
        self.delivered + self.late + self.expired + self.dropped + self.lost
    }

    /// Samples the hop still holds. Negative would mean one was settled twice; see [`Ledger::closes`].
    pub const fn open(&self) -> u64 {
        self.offered.saturating_sub(self.settled())
    }

    /// True when every sample offered came to exactly one end.
    pub const fn closes(&self) -> bool {
        self.offered == self.settled()
    }
}

impl AddAssign for Ledger {
    fn add_assign(&mut self, other: Ledger) {
        self.offered += other.offered;
        self.delivered += other.delivered;
        self.late += other.late;
        self.expired += other.expired;
        self.dropped += other.dropped;
        self.lost += other.lost;
    }
}

impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "offered {} = delivered {} + late {} + expired {} + dropped {} + lost {}",
            self.offered, self.delivered, self.late, self.expired, self.dropped, self.lost
        )?;
        if self.closes() { Ok(()) } else { write!(f, " (does not close: {} settled)", self.settled()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_closes_only_when_each_sample_has_one_end() {
        let mut ledger = Ledger::default();
        assert!(ledger.closes());
        for outcome in Outcome::ALL {
            ledger.offer();
            assert!(!ledger.closes(), "{outcome} is still open");
            assert_eq!(ledger.open(), 1);
            ledger.settle(outcome);
            assert!(ledger.closes(), "{outcome} is settled");
        }
        ledger.settle(Outcome::Delivered);
        assert!(!ledger.closes(), "a sample settled twice must show");
    }

    #[test]
    fn ledgers_add_up_field_by_field() {
        let mut sum = Ledger { offered: 2, delivered: 1, lost: 1, ..Ledger::default() };
        sum += Ledger { offered: 3, late: 1, expired: 1, dropped: 1, ..Ledger::default() };
        assert_eq!(sum, Ledger { offered: 5, delivered: 1, late: 1, expired: 1, dropped: 1, lost: 1 });
        assert!(sum.closes());
    }
}
