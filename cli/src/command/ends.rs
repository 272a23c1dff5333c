//! What `tokkyu vehicle` and `tokkyu operator` have in common: their files, and flags that mean the same at both ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, value_parser};
use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::{Robot, Site, robot, site};
use tokkyu_drive::program::{DriveError, EndOptions, StatusMode};
use tokkyu_link::runtime::site::Overrides;

use super::words;
use crate::exit::Failure;

/// Flags of everything that is one end of a link. What is not given comes from site.yaml.
#[derive(Debug, Args)]
pub struct LinkFlags {
    /// The robot's flows
    #[arg(long, value_name = "FILE", default_value = "robot.yaml")]
    robot: PathBuf,
    /// Limits and places of this machine; the defaults if not given and there is no site.yaml
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
    /// Own private key
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
    /// Public key, or folder of public keys, that the peer may have; may be given more than once
    #[arg(long, value_name = "FILE")]
    trust: Vec<PathBuf>,
    /// SCHED_FIFO priority of the link's thread, never above the site's; 0 for none
    #[arg(long, value_parser = value_parser!(u8).range(0..=99))]
    priority: Option<u8>,
}

impl LinkFlags {
    /// The robot's flows.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn robot(&self) -> Result<Robot, Failure> {
        Ok(robot::load(&self.robot)?)
    }

    /// This machine's limits and places.
    ///
    /// # Errors
    /// Everything that is wrong with the file.
    pub fn site(&self) -> Result<Site, Failure> {
        site(self.site.as_deref())
    }

    /// What goes before the site's file.
    pub fn overrides(&self) -> Overrides {
        let (identity, trust) = (self.identity.clone(), self.trust.clone());
        Overrides { identity, trust, priority: self.priority, ..Overrides::default() }
    }
}

/// Flags of both programs.
#[derive(Debug, Args)]
pub struct EndFlags {
    #[command(flatten)]
    link: LinkFlags,
    /// Write what became of every sample to this file
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Write a summary of the run to this file (JSON)
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// End after so many pictures of each camera
    #[arg(long, value_parser = value_parser!(u32).range(1..))]
    samples: Option<u32>,
    /// End after this time, such as "10 min"
    #[arg(long, value_name = "SPAN", value_parser = words::span)]
    duration: Option<Duration>,
    /// First tick on this machine's monotonic clock, nanoseconds; when the peer is there if not given
    #[arg(long, value_name = "NS", value_parser = words::mono_time)]
    start_at: Option<MonoTime>,
    /// The peer runs on this machine: stamps need no estimate of the other clock
    #[arg(long)]
    same_clock: bool,
    /// How to tell what goes on: view, plain, json or none
    #[arg(long, value_name = "HOW", default_value = "view", value_parser = |word: &str| word.parse::<StatusMode>())]
    status: StatusMode,
}

impl EndFlags {
    /// The options these flags stand for, with the declaration and the site's limits read.
    ///
    /// # Errors
    /// Everything that is wrong with either file.
    pub fn options(self) -> Result<EndOptions, Failure> {
        Ok(EndOptions {
            robot: self.link.robot()?,
            site: self.link.site()?,
            link: self.link.overrides(),
            records: self.records,
            summary: self.summary,
            samples: self.samples,
            duration: self.duration,
            start_at: self.start_at,
            status: self.status,
            same_clock: self.same_clock,
        })
    }
}

/// The site at `path`; where none is given, `site.yaml`, and the defaults if there is none.
///
/// # Errors
/// Everything that is wrong with the file.
pub fn site(path: Option<&Path>) -> Result<Site, Failure> {
    let usual = Path::new("site.yaml");
    match path {
        Some(path) => Ok(site::load(path)?),
        None if usual.exists() => Ok(site::load(usual)?),
        None => Ok(Site::default()),
    }
}

impl From<DriveError> for Failure {
    fn from(error: DriveError) -> Failure {
        Failure::new(error.exit_code(), error)
    }
}
