//! What a report is made of: cases, and what their raw records say.

use crate::drive::{CAMERA_PREFIX, DriveCase};
use crate::environment::Environment;
use crate::join::{StreamTally, tally};
use crate::record::Record;
use crate::result::ResultFile;

/// What a report is made of.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// Heading of the page.
    pub title: &'a str,
    /// Command line that ran the experiment.
    pub command: &'a str,
    /// Machine it ran on.
    pub environment: &'a Environment,
    /// Cases in the order they are shown.
    pub cases: Vec<ReportCase<'a>>,
}

/// One case with its raw records.
#[derive(Clone, Copy, Debug)]
pub struct ReportCase<'a> {
    /// The case.
    pub case: &'a DriveCase,
    /// Joined records (see [`crate::join::join`]); empty if there are none, then the case has no plots.
    pub records: &'a [Record],
}

impl<'a> Report<'a> {
    /// A report of a whole result file; `records` holds each case's joined records, in the order of the cases.
    /// Cases beyond the end of `records` have none.
    pub fn of_file(title: &'a str, file: &'a ResultFile<DriveCase>, records: &'a [Vec<Record>]) -> Self {
        let records = records.iter().map(Vec::as_slice).chain(std::iter::repeat(&[][..]));
        let cases = file.cases.iter().zip(records).map(|(case, records)| ReportCase { case, records });
        Report { title, command: &file.command, environment: &file.environment, cases: cases.collect() }
    }
}

/// A case with what its records say.
pub(super) struct Shown<'a> {
    pub(super) case: &'a DriveCase,
    pub(super) records: &'a [Record],
    pub(super) streams: Vec<StreamTally>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(source: &ReportCase<'a>) -> Self {
        Shown { case: source.case, records: source.records, streams: tally(source.records) }
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
