//! What both programs tell while they run, as values that are written as JSON and read back.
//!
//! One line of standard output is one [`Line`]; SPEC.md DRV-75. Fields may be added; a reader passes over those it
//! does not know.

use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokkyu_contract::MonoTime;
use tokkyu_link::core::PathStats;
use tokkyu_link::runtime::{self, LinkStats};

use super::figures::{LinkFigures, RealTimeGrant};
use crate::view::snapshot::{LinkRow, PathRow};

/// One line of `--status json`; `S` is the program's status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line<S> {
    /// The first line: the program runs.
    Ready(Ready),
    /// Every 250 ms.
    Status(S),
    /// Something happened.
    Event(Happening),
}

/// The program runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// `vehicle` or `operator`.
    pub program: String,
    /// The robot's name.
    pub robot: String,
    /// The address of the socket.
    pub local: SocketAddr,
    /// `CLOCK_MONOTONIC` of this machine.
    pub at_ns: u64,
    /// What the scheduler granted the link's thread.
    pub real_time: Vec<RealTimeGrant>,
}

/// Something happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happening {
    /// `CLOCK_MONOTONIC` of this machine.
    pub at_ns: u64,
    /// In words.
    pub text: String,
}

impl Happening {
    /// `text`, at `now`.
    pub fn new(now: MonoTime, text: impl Into<String>) -> Happening {
        Happening { at_ns: now.as_nanos(), text: text.into() }
    }
}

/// Where the link stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    /// No peer yet.
    #[default]
    Connecting,
    /// A session is up; sessions count from 1.
    Up(u64),
    /// The last session or attempt ended, and why.
    Down(String),
}

impl From<&runtime::LinkState> for LinkState {
    fn from(state: &runtime::LinkState) -> LinkState {
        match state {
            runtime::LinkState::Connecting => LinkState::Connecting,
            runtime::LinkState::Up { session } => LinkState::Up(*session),
            runtime::LinkState::Down(reason) => LinkState::Down(reason.to_string()),
            runtime::LinkState::Died(died) => LinkState::Down(died.to_string()),
        }
    }
}

/// The link at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkStatus {
    /// Where it stands.
    pub state: LinkState,
    /// Bits sent in a second since the status before, UDP payload.
    pub send_bps: u64,
    /// Bits received in a second since the status before, UDP payload.
    pub receive_bps: u64,
    /// Bits in a second granted to our streams.
    pub granted_bps: u64,
    /// Each path to the other end that is part of the session.
    #[serde(default)]
    pub paths: Vec<PathStatus>,
    /// Everything else that is known.
    pub figures: LinkFigures,
}

/// A path to the other end at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathStatus {
    /// Its number, from 1: that of `operator` or `listen`, then those of `link.paths`.
    pub number: u8,
    /// It does not answer.
    pub is_silent: bool,
    /// Topics that go on it; commands go on all.
    pub flows: usize,
    /// Round trip.
    pub rtt_ms: f64,
    /// Share of our packets that it loses, 0 to 1.
    pub loss: f64,
    /// Bits in a second that it is thought to carry; `None` before anything is known.
    pub capacity_bps: Option<u64>,
}

impl From<&PathStats> for PathStatus {
    fn from(stats: &PathStats) -> PathStatus {
        PathStatus {
            number: stats.path.0 + 1,
            is_silent: stats.is_silent,
            flows: stats.flows,
            rtt_ms: stats.rtt.as_secs_f64() * 1e3,
            loss: stats.loss,
            capacity_bps: stats.rate_bps.map(|bps| bps as u64),
        }
    }
}

/// Turns counters into rates: remembers the ones before.
#[derive(Debug, Default)]
pub(crate) struct LinkMeter {
    before: Option<(MonoTime, u64, u64)>,
}

impl LinkMeter {
    /// The status that `stats` give.
    pub(crate) fn read(&mut self, stats: &LinkStats, granted_bps: u64) -> LinkStatus {
        let figures = LinkFigures::from(stats);
        let (sent, received) = (figures.wire_bytes_sent, figures.wire_bytes_received);
        let before = self.before.replace((stats.at, sent, received));
        let (send_bps, receive_bps) = before.map_or((0, 0), |(at, sent_before, received_before)| {
            let seconds = stats.at.since(at).as_secs_f64();
            (rate(sent - sent_before, seconds), rate(received - received_before, seconds))
        });
        let (state, paths) =
            (LinkState::from(&stats.state), stats.paths.iter().map(PathStatus::from).collect());
        LinkStatus { state, send_bps, receive_bps, granted_bps, paths, figures }
    }
}

fn rate(bytes: u64, seconds: f64) -> u64 {
    if seconds > 0.0 { (bytes as f64 * 8.0 / seconds) as u64 } else { 0 }
}

impl From<&PathStatus> for PathRow {
    fn from(status: &PathStatus) -> PathRow {
        let rtt = Duration::try_from_secs_f64(status.rtt_ms / 1e3).ok();
        PathRow { number: status.number, rtt: rtt.filter(|_| !status.is_silent) }
    }
}

impl From<&LinkStatus> for LinkRow {
    fn from(status: &LinkStatus) -> LinkRow {
        let figures = &status.figures;
        let (parity, repair) = figures.redundancy();
        LinkRow {
            send_bps: status.send_bps,
            granted_bps: status.granted_bps,
            capacity_bps: figures.capacity_bps as u64,
            rtt: Duration::try_from_secs_f64(figures.rtt_ms / 1e3).ok().filter(|rtt| !rtt.is_zero()),
            loss_percent: figures.loss * 100.0,
            parity_percent: parity * 100.0,
            repair_percent: repair * 100.0,
            paths: status.paths.iter().map(PathRow::from).collect(),
        }
    }
}
