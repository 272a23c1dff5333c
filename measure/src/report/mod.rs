//! Reports: one HTML page that needs nothing else. Of a drive experiment from cases and their raw records, of one on
//! background traffic from its cases.
//!
//! Runs in the tool after a run. Invariants: the page refers to no other file or host; all text from outside is
//! escaped; plots are drawn from the records and the table from the case, and where the two disagree the page says
//! so. Size is bounded by the plots' columns, not by the samples. Rules: SPEC.md MEA-60 to MEA-69, MEA-89 to MEA-92.

mod axis;
mod contest;
mod contest_curves;
mod distribution;
mod html;
mod lbe;
mod page;
mod plot;
mod rtnet;
mod rtnet_plots;
mod stroke;
mod timeline;

use crate::environment::Environment;
use crate::join::{StreamTally, tally};
use crate::lbe::LbeCase;
use crate::record::Record;
use crate::result::{DriveCase, ResultFile};
use crate::rtnet::RtnetCase;

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

/// A plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the plot \"{plot}\": {reason}")]
pub struct ReportError {
    /// Which plot.
    pub plot: String,
    /// The drawing library's words.
    pub reason: String,
}

impl<'a> Report<'a> {
    /// A report of a whole result file; `records` holds each case's joined records, in the order of the cases.
    /// Cases beyond the end of `records` have none.
    pub fn of_file(title: &'a str, file: &'a ResultFile<DriveCase>, records: &'a [Vec<Record>]) -> Self {
        let records = records.iter().map(Vec::as_slice).chain(std::iter::repeat(&[][..]));
        let cases = file.cases.iter().zip(records).map(|(case, records)| ReportCase { case, records });
        Report { title, command: &file.command, environment: &file.environment, cases: cases.collect() }
    }

    /// The page, as HTML that is also well-formed XML.
    ///
    /// # Errors
    /// [`ReportError`] with the plot that could not be drawn.
    pub fn render(&self) -> Result<String, ReportError> {
        let shown: Vec<Shown> = self.cases.iter().map(Shown::new).collect();
        page::render(self, &shown)
    }
}

/// The page of a result with others beside us, one plot for each network; `records` as for [`Report::of_file`].
///
/// # Errors
/// [`ReportError`] with the plot that could not be drawn.
pub fn render_comparison(
    title: &str,
    file: &ResultFile<DriveCase>,
    records: &[Vec<Record>],
) -> Result<String, ReportError> {
    contest::render(title, file, records)
}

/// The page of a result on background traffic: goals, the paper beside ours, and a plot for each of its figures.
///
/// # Errors
/// [`ReportError`] with the plot that could not be drawn.
pub fn render_lbe(title: &str, file: &ResultFile<LbeCase>) -> Result<String, ReportError> {
    lbe::render(title, file)
}

/// The page of a result on the kernel's Ethernet path: goals, the answer to the paper's question, and all tables.
///
/// # Errors
/// A plot cannot be drawn.
pub fn render_rtnet(title: &str, file: &ResultFile<RtnetCase>) -> Result<String, ReportError> {
    rtnet::render(title, file)
}

/// A case with what its records say.
struct Shown<'a> {
    case: &'a DriveCase,
    records: &'a [Record],
    streams: Vec<StreamTally>,
}

impl<'a> Shown<'a> {
    fn new(source: &ReportCase<'a>) -> Self {
        Shown { case: source.case, records: source.records, streams: tally(source.records) }
    }

    fn cameras(&self) -> impl Iterator<Item = &StreamTally> + Clone {
        self.streams.iter().filter(|stream| stream.name.starts_with(crate::result::CAMERA_PREFIX))
    }

    /// True if the records give other outcomes than the case tells.
    fn disagrees(&self) -> bool {
        let told = self.case.streams.iter().map(|stream| (&stream.name, stream.ledger));
        !self.records.is_empty()
            && told.into_iter().any(|(name, ledger)| {
                let found = self.streams.iter().find(|stream| stream.name == *name);
                found.map(|stream| stream.measured.ledger).unwrap_or_default() != ledger
            })
    }
}
