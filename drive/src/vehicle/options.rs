//! What the vehicle's program is told at its start.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::program::{EndOptions, Video};

/// Options of [`run`](super::run), one for each flag of `tokkyu vehicle`. What is `None` comes from the site.
#[derive(Clone, Debug, Default)]
pub struct VehicleOptions {
    /// What the operator's program is told too.
    pub end: EndOptions,
    /// Where the operator listens (`--operator`).
    pub operator: Option<SocketAddr>,
    /// Local address of the socket; any port of any address of the operator's family when `None`.
    pub bind: Option<SocketAddr>,
    /// Shown by every camera in place of its own source (`--video`).
    pub video: Option<Video>,
    /// Go on dialling an operator that refuses us (`--keep-trying`).
    pub keep_trying: bool,
    /// Where the emergency stop is kept over a restart (`--state`); nowhere if `None`.
    pub state: Option<PathBuf>,
}
