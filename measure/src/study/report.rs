//! What is told of a result: goals, sections of tables, lines and plots, who failed, who was skipped.
//!
//! A report is made once and written three times: as text and as Markdown (`words.rs`), and as a page (`report/whole.rs`). A plot is drawn
//! when a page wants it, and not before.

use crate::contest::Skipped;
use crate::environment::Environment;
use crate::result::{Fault, ResultFile};
use crate::table::Table;

use super::error::ReportError;
use super::goal::Goal;

/// Everything that is told of a result.
#[derive(Debug)]
pub struct Report<'a> {
    /// Heading.
    pub title: String,
    /// Command line that ran the experiment.
    pub command: &'a str,
    /// Machine it ran on.
    pub environment: &'a Environment,
    /// How many cases there are.
    pub cases: usize,
    /// What became of what was wanted.
    pub goals: Vec<Goal>,
    /// In the order in which they are read.
    pub sections: Vec<Section<'a>>,
    /// Runs that failed and are in no figure.
    pub faults: &'a [Fault],
    /// Who was asked for and is not on this machine.
    pub skipped: &'a [Skipped],
    /// What of the whole run is to be known.
    pub notes: &'a [String],
}

/// What belongs together, under a title.
#[derive(Debug)]
pub struct Section<'a> {
    /// Empty: what comes belongs to the section before.
    pub title: String,
    /// Of another section.
    pub is_part: bool,
    /// Where it is told.
    pub place: Place,
    /// In this order.
    pub parts: Vec<Part<'a>>,
}

/// Where a section is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In text, in documents and on the page.
    Everywhere,
    /// Not on a terminal.
    Documents,
    /// On the page alone.
    Page,
}

/// One piece of a section.
pub enum Part<'a> {
    /// A table; on a page the rows `ours` are set off, and behind a line that opens it with `fold`.
    Table {
        /// The same cells everywhere.
        table: Table,
        /// Numbers of rows.
        ours: Vec<usize>,
        /// What the line says.
        fold: Option<String>,
    },
    /// A paragraph.
    Text(String),
    /// A paragraph that explains, smaller on a page.
    Remark(String),
    /// A list.
    Lines(Vec<String>),
    /// What became of a requirement.
    Verdict {
        /// As required.
        pass: bool,
        /// In a sentence.
        text: String,
    },
    /// A drawing with caption and legend, as markup; on pages alone.
    Plot(Plot<'a>),
    /// Names and what they stand for, behind a line that opens them; on pages alone.
    Words {
        /// What the line says.
        fold: String,
        /// A row each.
        rows: Vec<(String, String)>,
    },
    /// Text as it is, behind a line that opens it; on pages alone.
    Verbatim {
        /// What the line says.
        fold: String,
        /// The text.
        text: String,
    },
}

/// Draws when it is asked to.
pub struct Plot<'a>(Box<dyn Fn() -> Result<String, ReportError> + 'a>);

impl<'a> Plot<'a> {
    /// Of a function that makes the markup.
    pub fn new(draw: impl Fn() -> Result<String, ReportError> + 'a) -> Plot<'a> {
        Plot(Box::new(draw))
    }

    /// The markup.
    ///
    /// # Errors
    /// The drawing library refuses.
    pub fn draw(&self) -> Result<String, ReportError> {
        (self.0)()
    }
}

impl<'a> Report<'a> {
    /// What every result has; goals and sections are the experiment's own.
    pub fn of<C, M>(title: &str, file: &'a ResultFile<C, M>) -> Report<'a> {
        Report {
            title: title.to_owned(),
            command: &file.command,
            environment: &file.environment,
            cases: file.cases.len(),
            goals: Vec::new(),
            sections: Vec::new(),
            faults: &file.faults,
            skipped: &file.skipped,
            notes: &file.notes,
        }
    }
}

impl<'a> Section<'a> {
    /// With nothing in it yet.
    pub fn new(title: impl Into<String>) -> Section<'a> {
        Section { title: title.into(), is_part: false, place: Place::Everywhere, parts: Vec::new() }
    }

    /// Of another section, which stands before it.
    #[must_use]
    pub fn part(self) -> Section<'a> {
        Section { is_part: true, ..self }
    }

    /// There, and nowhere else.
    #[must_use]
    pub fn told_in(self, place: Place) -> Section<'a> {
        Section { place, ..self }
    }

    /// With one more piece.
    #[must_use]
    pub fn with(mut self, part: Part<'a>) -> Section<'a> {
        self.parts.push(part);
        self
    }

    /// With more pieces.
    #[must_use]
    pub fn with_all(mut self, parts: impl IntoIterator<Item = Part<'a>>) -> Section<'a> {
        self.parts.extend(parts);
        self
    }

    /// With a table.
    #[must_use]
    pub fn with_table(self, table: Table) -> Section<'a> {
        self.with(Part::table(table))
    }

    /// With a plot.
    #[must_use]
    pub fn with_plot(self, draw: impl Fn() -> Result<String, ReportError> + 'a) -> Section<'a> {
        self.with(Part::Plot(Plot::new(draw)))
    }

    /// With a list, where there is anything to list.
    #[must_use]
    pub fn with_lines(self, lines: impl IntoIterator<Item = String>) -> Section<'a> {
        let lines: Vec<String> = lines.into_iter().collect();
        if lines.is_empty() { self } else { self.with(Part::Lines(lines)) }
    }
}

impl Part<'_> {
    /// A table, none of whose rows is set off.
    pub fn table(table: Table) -> Self {
        Part::Table { table, ours: Vec::new(), fold: None }
    }

    /// Whether text and Markdown leave it out.
    pub(super) fn is_on_page_alone(&self) -> bool {
        matches!(self, Part::Plot(_) | Part::Words { .. } | Part::Verbatim { .. })
    }
}

impl std::fmt::Debug for Plot<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Plot")
    }
}

impl std::fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Part::Table { table, .. } => f.debug_tuple("Table").field(table).finish(),
            Part::Text(text) | Part::Remark(text) => f.debug_tuple("Text").field(text).finish(),
            Part::Lines(lines) => f.debug_tuple("Lines").field(lines).finish(),
            Part::Verdict { pass, text } => f.debug_tuple("Verdict").field(pass).field(text).finish(),
            Part::Plot(_) | Part::Words { .. } | Part::Verbatim { .. } => f.write_str("OnPageAlone"),
        }
    }
}
