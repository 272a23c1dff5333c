//! What the gate did, for the record of a drive: a bounded list of the latest happenings, and counts of all.
//!
//! Constant time, memory bounded by [`LONGEST`]. Invariant: every command given to the gate is in exactly one count,
//! so the counts of commands add up to the commands that came.

use std::collections::VecDeque;

use tokkyu_contract::MonoTime;

use super::intake::Refusal;
use super::state::Change;

/// Entries kept; equal ones in a row are one entry, so this covers more than its number of commands.
pub const LONGEST: usize = 256;

/// One kind of happening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A command was let through.
    Accepted,
    /// A reset was let through.
    Reset,
    /// An emergency stop came.
    EmergencyStop,
    /// One came from an end that does not drive.
    OtherStop,
    /// A command came from an end that does not drive.
    NotSeated,
    /// Another end drives from now on.
    NewDriver,
    /// A command was not let through.
    Refused(Refusal),
    /// The deadline passed without a fresh command.
    DeadlineMissed,
    /// Pictures ceased to reach the driver.
    Blind,
    /// The motors took too long to take what they were given.
    MotorsLate,
    /// The latency bounds the speed from now on, below the vehicle's highest.
    Slowed,
    /// The vehicle moved when its stop should have been over.
    Overrun,
    /// The operator's program began anew.
    NewSession,
    /// The gate changed its state.
    Changed(Change),
}

/// Equal happenings in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When the first of them was.
    pub first: MonoTime,
    /// When the last of them was.
    pub last: MonoTime,
    /// What they were.
    pub what: What,
    /// How many.
    pub count: u64,
}

/// How often each thing happened since the gate was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Commands let through.
    pub accepted: u64,
    /// Resets let through.
    pub resets: u64,
    /// Emergency stops, each of their commands.
    pub e_stops: u64,
    /// Emergency stops of ends that do not drive, each of their commands.
    pub other_stops: u64,
    /// Other commands of ends that do not drive.
    pub not_seated: u64,
    /// How often another end came to drive.
    pub drivers: u64,
    /// Refused as too old.
    pub too_old: u64,
    /// Refused because their age is not known well enough.
    pub age_unknown: u64,
    /// Refused as out of order.
    pub out_of_order: u64,
    /// Refused because the emergency stop is latched.
    pub latched: u64,
    /// Refused because the vehicle stood or stopped and was not enabled.
    pub not_enabled: u64,
    /// Deadlines that passed.
    pub deadlines_missed: u64,
    /// How often pictures ceased to reach the driver.
    pub blind: u64,
    /// How often the motors took too long.
    pub motors_late: u64,
    /// Stops after which the vehicle still moved.
    pub overruns: u64,
    /// How often the latency began to bound the speed while the vehicle drove.
    pub slowed: u64,
}

impl Counts {
    /// All commands that came, whatever became of them.
    pub const fn commands(&self) -> u64 {
        let refused = self.too_old + self.age_unknown + self.out_of_order + self.latched + self.not_enabled;
        self.accepted + self.resets + self.e_stops + self.other_stops + self.not_seated + refused
    }
}

/// The latest happenings and the counts of all.
#[derive(Default)]
pub struct Log {
    entries: VecDeque<Entry>,
    counts: Counts,
}

impl Log {
    pub(super) fn add(&mut self, now: MonoTime, what: What) {
        self.count(what);
        if let Some(entry) = self.entries.back_mut().filter(|entry| entry.what == what) {
            entry.last = now;
            entry.count += 1;
            return;
        }
        if self.entries.len() == LONGEST {
            self.entries.pop_front();
        }
        self.entries.push_back(Entry { first: now, last: now, what, count: 1 });
    }

    /// Counts, without an entry.
    pub(super) fn count(&mut self, what: What) {
        let counts = &mut self.counts;
        let counter = match what {
            What::Accepted => &mut counts.accepted,
            What::Reset => &mut counts.resets,
            What::EmergencyStop => &mut counts.e_stops,
            What::Refused(Refusal::TooOld) => &mut counts.too_old,
            What::Refused(Refusal::AgeUnknown) => &mut counts.age_unknown,
            What::Refused(Refusal::OutOfOrder) => &mut counts.out_of_order,
            What::Refused(Refusal::Latched) => &mut counts.latched,
            What::Refused(Refusal::NotEnabled) => &mut counts.not_enabled,
            What::DeadlineMissed => &mut counts.deadlines_missed,
            What::Blind => &mut counts.blind,
            What::MotorsLate => &mut counts.motors_late,
            What::Overrun => &mut counts.overruns,
            What::Slowed => &mut counts.slowed,
            What::OtherStop => &mut counts.other_stops,
            What::NotSeated => &mut counts.not_seated,
            What::NewDriver => &mut counts.drivers,
            What::NewSession | What::Changed(_) => return,
        };
        *counter += 1;
    }

    /// The latest happenings, oldest first, at most 256.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Counts of everything, also of what the list has dropped.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_happenings_in_a_row_are_one_entry_with_a_count() {
        let mut log = Log::default();
        for ms in 0..50 {
            log.add(MonoTime::from_millis(ms), What::Accepted);
        }
        log.add(MonoTime::from_millis(60), What::Reset);
        let entries: Vec<_> = log.entries().map(|entry| (entry.what, entry.count, entry.last)).collect();
        let expected =
            [(What::Accepted, 50, MonoTime::from_millis(49)), (What::Reset, 1, MonoTime::from_millis(60))];
        assert_eq!(entries, expected);
    }

    #[test]
    fn a_long_drive_keeps_the_latest_entries_and_every_count() {
        let mut log = Log::default();
        for ms in 0..10_000 {
            let what = if ms % 2 == 0 { What::Accepted } else { What::Refused(Refusal::TooOld) };
            log.add(MonoTime::from_millis(ms), what);
        }
        assert_eq!(log.entries().count(), LONGEST);
        assert_eq!(log.entries().next_back().map(|entry| entry.first), Some(MonoTime::from_millis(9_999)));
        assert_eq!((log.counts().accepted, log.counts().too_old), (5_000, 5_000));
        assert_eq!(log.counts().commands(), 10_000);
    }
}
