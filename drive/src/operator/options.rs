//! What the operator's program is told at its start.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::SeatRequest;
use crate::program::{Driver, EndOptions};

/// Options of [`run`](super::run), one for each flag of `tokkyu operator`. What is `None` comes from the site.
#[derive(Clone, Debug, Default)]
pub struct OperatorOptions {
    /// What the vehicle's program is told too.
    pub end: EndOptions,
    /// Where to listen (`--listen`).
    pub listen: Option<SocketAddr>,
    /// Where every picture is kept (`--save`).
    pub save: Option<PathBuf>,
    /// Who drives (`--control`); the keyboard in a view on a terminal, else nobody, when `None`.
    pub control: Option<Driver>,
    /// What to do about the seat without being told by keys (`--seat`).
    pub seat: Option<SeatRequest>,
}
