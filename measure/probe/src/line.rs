//! What a probe says, a line each (PRB-1).

use std::io::{self, Write};
use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use crate::counters::Counters;
use crate::figures::Figures;
use crate::realtime::Reached;
use crate::stamp::Source;

/// One line of a probe's output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// All that can fail before the measurement is done (PRB-2).
    Ready(Ready),
    /// Of `load serve`.
    Listening {
        /// Where.
        at: SocketAddr,
    },
    /// Of `send`.
    Sent(Sent),
    /// Of `receive`.
    Received(Received),
    /// Of `request`.
    RoundTrips(RoundTrips),
    /// Of `answer`.
    Answered(Answered),
    /// Of `load`.
    Loaded(Loaded),
    /// Of `counters`.
    Counters(Counters),
    /// The end; without it nothing above counts.
    Done {},
}

/// What was reached before the first sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// How the measuring thread runs.
    #[serde(flatten)]
    pub reached: Reached,
    /// Whose stamps will be told.
    pub stamps: Source,
    /// Where it listens, if it does: port 0 was any that is free.
    pub at: Option<SocketAddr>,
}

/// How a series by the clock went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// So many were due.
    pub count: u32,
    /// Reason and how often.
    pub refused: Vec<(String, u32)>,
    /// Due to woken.
    pub wake: Figures,
    /// The send call.
    pub call: Figures,
    /// Woken to driver: the call's part of it, the queueing discipline, and the device's queue.
    pub to_driver: Figures,
    /// By the port's clock: how far each interval is from the period.
    pub port_jitter: Figures,
    /// The wall clock was set meanwhile: what is counted to the driver says nothing.
    pub stepped: bool,
    /// Those that reached the driver last, of those that woke or left late.
    pub worst: Vec<Departed>,
}

/// One frame of a series, ns from when it was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Departed {
    /// Its number.
    pub sequence: u32,
    /// When it was due, by `CLOCK_MONOTONIC`; the others count from here.
    pub due_ns: i64,
    /// The thread ran.
    pub woken_ns: i64,
    /// The send call was over.
    pub returned_ns: i64,
    /// The driver had it; `None`: nobody said so.
    pub driver_ns: Option<i64>,
}

/// What came of a series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Received {
    /// So many were to come.
    pub count: u32,
    /// So many did not.
    pub lost: u32,
    /// Came again.
    pub repeated: u32,
    /// Not of this run.
    pub strange: u32,
    /// After one with a higher number.
    pub reordered: u32,
    /// Between neighbours that both came.
    pub interval: Figures,
    /// How far each interval is from the period.
    pub jitter: Figures,
    /// Stamp to program, where the stamp is the kernel's.
    pub up: Figures,
    /// The wall clock was set meanwhile: stamps of the kernel say nothing.
    pub stepped: bool,
    /// Those farthest from the period.
    pub worst: Vec<Interval>,
}

/// An interval that was far from the period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interval {
    /// Number of its end.
    pub sequence: u32,
    /// Its length.
    pub interval_ns: i64,
}

/// Requests and their answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTrips {
    /// So many requests.
    pub count: u32,
    /// Never answered.
    pub lost: u32,
    /// Answered when nobody waited any more.
    pub late: u32,
    /// Not of this run.
    pub strange: u32,
    /// Send call to the answer in the program.
    pub rtt: Figures,
    /// Send call to driver.
    pub out: Figures,
    /// At the far end.
    pub far: Figures,
    /// Kernel to program.
    #[serde(rename = "in")]
    pub back: Figures,
    /// The rest.
    pub wires: Figures,
    /// The wall clock was set meanwhile: the legs say nothing.
    pub stepped: bool,
    /// The longest.
    pub worst: Vec<RoundTrip>,
}

/// One round trip and its legs, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundTrip {
    /// Its number.
    pub sequence: u32,
    /// When it was sent, by `CLOCK_MONOTONIC`.
    pub at_ns: i64,
    /// All of it.
    pub rtt_ns: i64,
    /// Send call to driver; `None`: nobody said so.
    pub out_ns: Option<i64>,
    /// At the far end.
    pub far_ns: i64,
    /// Kernel to program.
    pub in_ns: i64,
}

/// What was answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// So many answers left.
    pub count: u32,
    /// Not of this run.
    pub strange: u32,
    /// Answers that the kernel did not take.
    pub refused: u32,
    /// The kernel's stamp of a request to the send call of its answer.
    pub residence: Figures,
    /// Send call of an answer to driver, where the kernel says so.
    #[serde(default)]
    pub to_driver: Figures,
    /// The wall clock was set meanwhile.
    pub stepped: bool,
}

/// What a bulk flow moved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    /// All of them.
    pub bytes: u64,
    /// From the connection on.
    pub took_ns: i64,
    /// In each tenth of a second.
    pub tenths: Vec<u64>,
}

impl Line {
    /// One line of an end's output.
    ///
    /// # Errors
    /// It is none: that program is no probe, or of another version.
    pub fn from_json(text: &str) -> Result<Line, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Without the end of the line.
    pub fn to_json(&self) -> String {
        // Its keys are strings and its numbers finite, so there is nothing to refuse.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Says one line.
pub fn say(line: &Line) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", line.to_json())?;
    out.flush()
}
