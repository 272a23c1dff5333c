//! Parts of the summary that both programs write at their end.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use tokkyu_contract::{Ledger, MonoTime, WallTime};
use tokkyu_link::carrier::clock;
use tokkyu_link::runtime::LinkStats;
use tokkyu_measure::{Environment, GitState, Given, Sources, StorageError, storage};

use super::{LedgerFigures, RealTimeGrant};

/// Both clocks of this machine at one moment, to bring records of two machines onto one calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockPair {
    /// `CLOCK_MONOTONIC`.
    pub mono_ns: u64,
    /// Time since 1970-01-01 00:00 UTC.
    pub wall_ns: u64,
}

impl ClockPair {
    /// Reads both.
    pub fn read() -> ClockPair {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        ClockPair {
            mono_ns: clock::now().as_nanos(),
            wall_ns: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
        }
    }

    /// The pair as times.
    pub const fn times(self) -> (MonoTime, WallTime) {
        (MonoTime::from_nanos(self.mono_ns), WallTime::from_nanos(self.wall_ns))
    }
}

/// Processor time spent, in seconds. Children (ffmpeg) count once they have ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuFigures {
    /// The process in user mode.
    pub user_s: f64,
    /// The process in the kernel.
    pub system_s: f64,
    /// Both.
    pub process_s: f64,
    /// Children that have ended.
    pub children_s: f64,
    /// Of the process: the link's thread.
    pub link_thread_s: f64,
}

impl CpuFigures {
    /// What was spent so far. What the system does not tell is 0.
    pub fn read(stats: &LinkStats) -> CpuFigures {
        let seconds = |time: TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
        let spent =
            |who| getrusage(who).map_or((0.0, 0.0), |u| (seconds(u.user_time()), seconds(u.system_time())));
        let (user_s, system_s) = spent(UsageWho::RUSAGE_SELF);
        let (children_user_s, children_system_s) = spent(UsageWho::RUSAGE_CHILDREN);
        CpuFigures {
            user_s,
            system_s,
            process_s: user_s + system_s,
            children_s: children_user_s + children_system_s,
            link_thread_s: stats.thread_cpu.as_secs_f64(),
        }
    }
}

/// One stream over the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamFigures {
    /// Its flow's name.
    pub stream: String,
    /// By the program's count, which has one entry for each sample of the run.
    pub ledger: LedgerFigures,
    /// By the link's count, which has only what it was handed (sender) or heard of (receiver).
    pub link_ledger: Option<LedgerFigures>,
    /// Bytes of samples handed to the link, or delivered by it.
    pub payload_bytes: u64,
}

/// The program's and the link's counts of each stream, which both keep in the order of announcement. A link whose
/// thread died has none.
pub(crate) fn stream_figures<'a>(
    of_link: &[(String, Ledger)],
    of_program: impl Iterator<Item = (&'a str, Ledger, u64)>,
) -> Vec<StreamFigures> {
    let of_link = of_link.iter().map(|(_, ledger)| Some(LedgerFigures::from(*ledger)));
    let figures = |((stream, ledger, payload_bytes), link_ledger): ((&str, Ledger, u64), _)| StreamFigures {
        stream: stream.to_owned(),
        ledger: ledger.into(),
        link_ledger,
        payload_bytes,
    };
    of_program.zip(of_link.chain(std::iter::repeat(None))).map(figures).collect()
}

/// The machine, at the start of a run.
pub(crate) fn environment(start: ClockPair) -> Environment {
    Sources::default().capture(Given {
        date: Some(start.times().1),
        tool_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        git: GitState::of_build(),
        ..Given::default()
    })
}

/// Adds what the scheduler granted.
pub(crate) fn note_grants(environment: &mut Environment, grants: &[RealTimeGrant]) {
    let all_of = |what: &str| {
        let mut asked = grants.iter().filter(|grant| grant.what.starts_with(what)).peekable();
        asked.peek().is_some().then(|| asked.all(|grant| grant.refused.is_none()))
    };
    environment.sched_fifo = Some(all_of("SCHED_FIFO").unwrap_or(false));
    environment.mlockall = Some(all_of("locked memory").unwrap_or(false));
}

/// Writes `summary` to `path`, whole or not at all.
pub(crate) fn write(path: Option<&Path>, summary: &impl Serialize) -> Result<(), StorageError> {
    let Some(path) = path else { return Ok(()) };
    let text = serde_json::to_vec_pretty(summary).expect("a summary has only strings as keys");
    storage::replace(path, &text)
}
