//! What an image counts: the sources are the same, its name is not.

/// An image.
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

/// This one.
pub(crate) const KIND: Kind = match env!("CARGO_BIN_NAME").as_bytes() {
    b"tokkyu-rtos-masked" => Kind::Masked,
    b"tokkyu-rtos-floats" => Kind::Floats,
    b"tokkyu-rtos-traced" => Kind::Traced,
    _ => Kind::Paths,
};

pub(crate) const MASKED: bool = matches!(KIND, Kind::Masked);
pub(crate) const FLOATS: bool = matches!(KIND, Kind::Floats);
pub(crate) const TRACED: bool = matches!(KIND, Kind::Traced);

/// What names of figures begin with.
pub(crate) const PREFIX: &str = match KIND {
    Kind::Paths => "",
    Kind::Masked => "masked_",
    Kind::Floats => "floats_",
    Kind::Traced => "traced_",
};
