//! What the vehicle's program is told at its start.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::{Robot, Site};

use crate::program::{StatusMode, Video};

/// Options of [`run`](super::run), one for each flag of `tokkyu vehicle`. What is `None` or empty comes from `site`.
#[derive(Clone, Debug)]
pub struct VehicleOptions {
    /// The robot's flows (`--robot`).
    pub robot: Robot,
    /// Limits and places (`--site`).
    pub site: Site,
    /// Where the operator listens (`--operator`).
    pub operator: Option<SocketAddr>,
    /// Local address of the socket; any port of any address of the operator's family when `None`.
    pub bind: Option<SocketAddr>,
    /// File of our private key (`--identity`).
    pub identity: Option<PathBuf>,
    /// Files or folders of public keys that may be the operator's (`--trust`).
    pub trust: Vec<PathBuf>,
    /// Where records of each sample are written (`--records`).
    pub records: Option<PathBuf>,
    /// Where the summary is written, JSON (`--summary`).
    pub summary: Option<PathBuf>,
    /// End after this many pictures of each camera, warm-up included (`--samples`).
    pub samples: Option<u32>,
    /// End after this time from the first tick (`--duration`).
    pub duration: Option<Duration>,
    /// The first tick, on this machine's monotonic clock (`--start-at`); when the operator is there if `None`.
    pub start_at: Option<MonoTime>,
    /// `SCHED_FIFO` priority of the link's thread, at most the site's (`--priority`); 0 asks for nothing real-time.
    pub priority: Option<u8>,
    /// How the status is told (`--status`).
    pub status: StatusMode,
    /// The operator runs on this machine, so its stamps are on our clock and need no estimate (`--same-clock`). The
    /// gate goes by the estimate all the same.
    pub same_clock: bool,
    /// Shown by every camera in place of its own source (`--video`).
    pub video: Option<Video>,
    /// Go on dialling an operator that refuses us (`--keep-trying`).
    pub keep_trying: bool,
}

impl Default for VehicleOptions {
    /// A robot without flows at the default site: nothing to do until `robot` is set.
    fn default() -> VehicleOptions {
        VehicleOptions {
            robot: Robot { name: String::new(), flows: Vec::new() },
            site: Site::default(),
            operator: None,
            bind: None,
            identity: None,
            trust: Vec::new(),
            records: None,
            summary: None,
            samples: None,
            duration: None,
            start_at: None,
            priority: None,
            status: StatusMode::default(),
            same_clock: false,
            video: None,
            keep_trying: false,
        }
    }
}
