//! What a report is made into, with what the command line says of errors.

use std::path::Path;

use tokkyu_measure::report::{Form, RenderError, drawings, render};

use crate::exit::Failure;

/// A report in a form.
pub(super) fn rendered(result: &Path, form: Form) -> Result<String, Failure> {
    render(result, form).map_err(failure)
}

/// A report's plots.
pub(super) fn pictures(result: &Path) -> Result<Vec<String>, Failure> {
    drawings(result).map_err(failure)
}

/// What the `number`th plot of a result is called, from 1.
pub(super) fn picture_name(result: &Path, number: usize) -> String {
    format!("{}-plot-{number}.svg", result.file_stem().unwrap_or_default().to_string_lossy())
}

fn failure(error: RenderError) -> Failure {
    match error {
        RenderError::Drawing(error) => error.into(),
        other => Failure::usage(other),
    }
}
