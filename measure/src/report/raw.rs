//! The raw records of a result's cases, read when a plot wants them and once.

use std::cell::OnceCell;

use crate::drive::{CAMERA_PREFIX, DriveCase};
use crate::join::{StreamTally, tally};
use crate::record::Record;

/// Records by the number of the case, in the order of the result.
pub struct Raw<'a> {
    read: Box<dyn Fn(usize) -> Vec<Record> + 'a>,
    kept: Vec<OnceCell<Vec<Record>>>,
}

impl<'a> Raw<'a> {
    /// Of so many cases. `read`: what a case's joined records are (see [`crate::join::join`]), none if there are none; then it has no
    /// plots.
    pub fn new(cases: usize, read: impl Fn(usize) -> Vec<Record> + 'a) -> Raw<'a> {
        Raw { read: Box::new(read), kept: (0..cases).map(|_| OnceCell::new()).collect() }
    }

    /// Of one case.
    pub(super) fn of(&self, number: usize) -> &[Record] {
        self.kept.get(number).map_or(&[], |kept| kept.get_or_init(|| (self.read)(number)))
    }
}

impl std::fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Raw of {} cases", self.kept.len())
    }
}

/// A case with what its records say.
pub(super) struct Shown<'a> {
    pub(super) case: &'a DriveCase,
    pub(super) records: &'a [Record],
    pub(super) streams: Vec<StreamTally>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(case: &'a DriveCase, records: &'a [Record]) -> Self {
        Shown { case, records, streams: tally(records) }
    }

    pub(super) fn cameras(&self) -> impl Iterator<Item = &StreamTally> + Clone {
        self.streams.iter().filter(|stream| stream.name.starts_with(CAMERA_PREFIX))
    }

    /// True if the records give other outcomes than the case tells.
    pub(super) fn disagrees(&self) -> bool {
        let told = self.case.streams.iter().map(|stream| (&stream.name, stream.ledger));
        !self.records.is_empty()
            && told.into_iter().any(|(name, ledger)| {
                let found = self.streams.iter().find(|stream| stream.name == *name);
                found.map(|stream| stream.measured.ledger).unwrap_or_default() != ledger
            })
    }
}
