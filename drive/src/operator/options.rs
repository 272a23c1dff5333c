//! What the operator's program is told at its start.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::{Robot, Site};

use crate::program::{Driver, StatusMode};

/// Options of [`run`](super::run), one for each flag of `tokkyu operator`. What is `None` or empty comes from `site`.
#[derive(Clone, Debug)]
pub struct OperatorOptions {
    /// The robot's flows (`--robot`).
    pub robot: Robot,
    /// Limits and places (`--site`).
    pub site: Site,
    /// Where to listen (`--listen`).
    pub listen: Option<SocketAddr>,
    /// File of our private key (`--identity`).
    pub identity: Option<PathBuf>,
    /// Files or folders of public keys that may be the vehicle's (`--trust`).
    pub trust: Vec<PathBuf>,
    /// Where records of each sample are written (`--records`).
    pub records: Option<PathBuf>,
    /// Where the summary is written, JSON (`--summary`).
    pub summary: Option<PathBuf>,
    /// End when the vehicle has gone, or 2 s after picture number `samples` of every camera was due, once pictures
    /// came (`--samples`).
    pub samples: Option<u32>,
    /// End after this time from the first session (`--duration`).
    pub duration: Option<Duration>,
    /// When the first command is sent, on this machine's monotonic clock (`--start-at`); when the vehicle is there if
    /// `None`.
    pub start_at: Option<MonoTime>,
    /// `SCHED_FIFO` priority of the link's thread, at most the site's (`--priority`); 0 asks for nothing real-time.
    pub priority: Option<u8>,
    /// How the status is told (`--status`).
    pub status: StatusMode,
    /// The vehicle runs on this machine, so its capture stamps are on our clock and need no estimate (`--same-clock`).
    pub same_clock: bool,
    /// Where every picture is kept (`--save`).
    pub save: Option<PathBuf>,
    /// Who drives (`--control`); the keyboard in a view on a terminal, else nobody, when `None`.
    pub control: Option<Driver>,
}

impl Default for OperatorOptions {
    /// A robot without flows at the default site: nothing to do until `robot` is set.
    fn default() -> OperatorOptions {
        OperatorOptions {
            robot: Robot { name: String::new(), flows: Vec::new() },
            site: Site::default(),
            listen: None,
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
            save: None,
            control: None,
        }
    }
}
