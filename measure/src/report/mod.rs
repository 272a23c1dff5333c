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
mod error;
mod html;
mod lbe;
mod page;
mod plot;
mod rtnet;
mod rtnet_plots;
mod source;
mod stroke;
mod timeline;

pub use error::ReportError;
use source::Shown;
pub use source::{Report, ReportCase};

use crate::drive::DriveCase;
use crate::lbe::LbeCase;
use crate::record::Record;
use crate::result::ResultFile;
use crate::rtnet::RtnetCase;

impl Report<'_> {
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
