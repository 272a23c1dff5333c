//! The experiments by the name that stands in their result files.

use std::path::Path;

use serde_json::Value;

use super::{Bridge, Drive, Dualos, Lbe, Local, Rtnet, Rtos, Ttsp, page};
use crate::result::{ResultError, ResultFile};
use crate::study::{Experiment, Report, ReportError};

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For a terminal.
    Text,
    /// For documents.
    Markdown,
    /// HTML.
    Page,
}

/// A result that no report could be made of.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// It cannot be read.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// A plot cannot be drawn.
    #[error(transparent)]
    Drawing(#[from] ReportError),
    /// Nobody knows its experiment.
    #[error("{path} is of the experiment {experiment:?}; a report is made of results of {known} alone")]
    Unknown {
        /// The file.
        path: String,
        /// In it.
        experiment: String,
        /// All names.
        known: String,
    },
}

type Write = fn(&Path, Form) -> Result<String, RenderError>;

const KNOWN: [(&str, Write); 8] = [
    known::<Bridge>(),
    known::<Drive>(),
    known::<Dualos>(),
    known::<Lbe>(),
    known::<Local>(),
    known::<Rtnet>(),
    known::<Rtos>(),
    known::<Ttsp>(),
];

const fn known<E: Experiment>() -> (&'static str, Write) {
    (E::NAME, write::<E>)
}

/// The report of a result file, whichever experiment it is of.
///
/// # Errors
/// [`RenderError`] with file and reason.
pub fn render(path: &Path, form: Form) -> Result<String, RenderError> {
    let experiment = ResultFile::<Value>::read(path)?.experiment;
    match KNOWN.iter().find(|(name, _)| *name == experiment) {
        Some((_, write)) => write(path, form),
        None => Err(RenderError::Unknown {
            path: path.display().to_string(),
            experiment,
            known: KNOWN.map(|(name, _)| name).join(", "),
        }),
    }
}

fn write<E: Experiment>(path: &Path, form: Form) -> Result<String, RenderError> {
    let file = ResultFile::<E::Case, E::More>::read(path)?;
    Ok(written(&E::report(&file, path.parent().unwrap_or(Path::new(""))), form)?)
}

fn written(report: &Report<'_>, form: Form) -> Result<String, ReportError> {
    match form {
        Form::Text => Ok(report.to_text()),
        Form::Markdown => Ok(report.to_markdown()),
        Form::Page => page(report),
    }
}
