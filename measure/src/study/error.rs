//! What keeps a page from being drawn.

/// A plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the plot \"{plot}\": {reason}")]
pub struct ReportError {
    /// Which plot.
    pub plot: String,
    /// The drawing library's words.
    pub reason: String,
}
