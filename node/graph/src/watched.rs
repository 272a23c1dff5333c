//! A parameter that is watched.

/// A parameter that is watched.
#[derive(Default)]
pub(crate) struct Watched {
    /// Whether the master knows, and has told the value.
    pub(crate) is_known: bool,
    /// How often it has told of a change by itself.
    pub(crate) updates: u32,
}
