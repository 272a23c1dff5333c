//! What an image counts: the sources are the same, the constant `KIND` of its root is not.

/// An image, each of which is one of them.
#[allow(dead_code)]
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Paths, from a call to who goes on (main.rs).
    Paths,
    /// How long interrupts are masked (masked.rs).
    Masked,
    /// Paths between tasks that use floating-point registers (floats.rs).
    Floats,
    /// Paths that are written down (traced.rs).
    Traced,
}

pub(crate) const MASKED: bool = matches!(crate::KIND, Kind::Masked);
pub(crate) const FLOATS: bool = matches!(crate::KIND, Kind::Floats);
pub(crate) const TRACED: bool = matches!(crate::KIND, Kind::Traced);

/// What names of figures begin with.
pub(crate) const PREFIX: &str = match crate::KIND {
    Kind::Paths => "",
    Kind::Masked => "masked_",
    Kind::Floats => "floats_",
    Kind::Traced => "traced_",
};
