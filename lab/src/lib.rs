//! Virtual networks, experiments and reports.
pub mod drive;
pub mod wire;
