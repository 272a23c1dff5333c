//! Figures of a session.

use crate::core::path::PathId;
use std::time::Duration;

/// Figures of a session. Of several paths those of the best one, where they are of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Packets sent, of all kinds.
    pub packets_sent: u64,
    /// Packets sent with a shard or sample for the first time, data only.
    pub packets_fresh: u64,
    /// Packets with parity.
    pub packets_parity: u64,
    /// Packets with something sent before.
    pub packets_repair: u64,
    /// Packets with feedback.
    pub packets_feedback: u64,
    /// Packets to measure a path, with a copy of what goes on another one or with nothing (LNK-94).
    pub packets_copied: u64,
    /// Probes.
    pub packets_probe: u64,
    /// Datagram bytes sent.
    pub bytes_sent: u64,
    /// Packets received, duplicates left out.
    pub packets_received: u64,
    /// Packets that came twice.
    pub packets_duplicate: u64,
    /// Packets that could not be parsed (LNK-20).
    pub packets_malformed: u64,
    /// Packets given up that arrived after all.
    pub spurious: u64,
    /// Packets and samples of the peer that exceeded a limit (LNK-6), tables that were invalid.
    pub violations: u64,
    /// Smoothed round trip.
    pub rtt: Duration,
    /// Smallest round trip of the last ten seconds.
    pub min_rtt: Duration,
    /// Share of packets lost on our way out.
    pub loss: f64,
    /// Index of dispersion of the losses.
    pub dispersion: f64,
    /// Rate the path is thought to carry, bit/s on the wire.
    pub rate_bps: f64,
    /// Queue our burst built.
    pub own_queue: Duration,
    /// Queue of others.
    pub foreign_queue: Duration,
    /// Peer clock − own clock, nanoseconds, but for turns of 2³² µs (LNK-4), with the bound of its error;
    /// None before it is known.
    pub clock_offset: Option<(i64, Duration)>,
    /// How often the path fell silent.
    pub silences: u32,
    /// State of the path.
    pub is_silent: bool,
    /// The capacity is not known yet.
    pub is_starting: bool,
    /// What samples of the peer count that are incomplete, or wait for their order, the table or later readers (LNK-7,
    /// LNK-8).
    pub memory_in: usize,
    /// Bytes of samples on their way out.
    pub memory_out: usize,
}

/// Figures of one of a session's paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathStats {
    /// Which.
    pub path: PathId,
    /// Packets on it go unanswered.
    pub is_silent: bool,
    /// Flows other than control that have their home there.
    pub flows: usize,
    /// Smoothed round trip.
    pub rtt: Duration,
    /// Share of packets lost on our way out.
    pub loss: f64,
    /// Rate it is thought to carry, bit/s on the wire; None before anything was seen of it.
    pub rate_bps: Option<f64>,
}
