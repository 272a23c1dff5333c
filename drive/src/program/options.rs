//! What both programs are told at their start, and what follows from it alone.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tokkyu_contract::yaml::vehicle::Vehicle;
use tokkyu_contract::yaml::{Robot, Site};
use tokkyu_contract::{Class, MonoTime};
use tokkyu_link::carrier::{PublicKey, TrustStore};
use tokkyu_link::runtime::site::{self, Overrides};
use tokkyu_link::runtime::{Link, LinkConfig, Role};

use super::{ClockPair, DriveError, Ready, RealTimeGrant, StatusMode};

/// Options of both ends, one for each flag. What is `None` or empty comes from `site`.
#[derive(Clone, Debug)]
pub struct EndOptions {
    /// The robot's flows (`--robot`).
    pub robot: Robot,
    /// Limits and places (`--site`).
    pub site: Site,
    /// What goes before the site's file (`--identity`, `--trust`, `--priority`).
    pub link: Overrides,
    /// Where records of each sample are written (`--records`); a file that exists is refused.
    pub records: Option<PathBuf>,
    /// Where the summary is written, JSON (`--summary`).
    pub summary: Option<PathBuf>,
    /// End after this many pictures of each camera, warm-up included (`--samples`); the operator counts from the first one it
    /// sees, and ends when the vehicle has gone, or 2 s after the last of them.
    pub samples: Option<u32>,
    /// End after this time: from the vehicle's first tick, from the operator's first session (`--duration`).
    pub duration: Option<Duration>,
    /// The first tick, on this machine's monotonic clock (`--start-at`); when the peer is there if `None`.
    pub start_at: Option<MonoTime>,
    /// How the status is told (`--status`).
    pub status: StatusMode,
    /// The peer runs on this machine, so its stamps are on our clock and need no estimate (`--same-clock`). The gate goes by
    /// the estimate all the same.
    pub same_clock: bool,
}

impl Default for EndOptions {
    /// A robot without flows at the default site: nothing to do until `robot` is set.
    fn default() -> EndOptions {
        EndOptions {
            robot: Robot { name: String::new(), flows: Vec::new(), vehicle: Vehicle::default() },
            site: Site::default(),
            link: Overrides::default(),
            records: None,
            summary: None,
            samples: None,
            duration: None,
            start_at: None,
            status: StatusMode::default(),
            same_clock: false,
        }
    }
}

impl EndOptions {
    /// Our public key.
    ///
    /// # Errors
    /// None is given, or its file cannot be used.
    pub fn own_key(&self) -> Result<PublicKey, DriveError> {
        Ok(self.link.own_key(&self.site)?)
    }

    /// The keys a peer may have.
    ///
    /// # Errors
    /// None is given, a file cannot be used, or the one that may come is none of them.
    pub fn peers(&self) -> Result<TrustStore, DriveError> {
        Ok(self.link.peers(&self.site)?)
    }

    /// Starts the link with our key.
    pub(crate) fn start_link(&self, role: Role, bind: SocketAddr) -> Result<Link, DriveError> {
        Ok(Link::start(LinkConfig::at_site(role, bind, &self.site, &self.link)?)?)
    }

    /// The `SCHED_FIFO` priority of a thread that serves `class`.
    pub fn fifo(&self, class: Class) -> Option<u8> {
        site::fifo(&self.site, class, self.link.priority)
    }

    /// What is told once the program runs.
    pub(crate) fn ready(&self, program: &str, link: &Link, clocks: ClockPair) -> Ready {
        Ready {
            program: program.to_owned(),
            robot: self.robot.name.clone(),
            local: link.local_address(),
            at_ns: clocks.mono_ns,
            real_time: RealTimeGrant::of("link", link.real_time()),
        }
    }

    /// There is no flow this program has anything to do with.
    pub(crate) fn nothing_to_do(&self) -> DriveError {
        DriveError::NothingToDo { robot: self.robot.name.clone() }
    }
}
