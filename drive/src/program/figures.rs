//! Figures of the link and of ledgers as they stand in status lines and summaries.
//!
//! Pure copies of other crates' types, so that what is written to disk and pipes changes only on purpose. Times are
//! milliseconds, rates bit/s, shares 0 to 1.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokkyu_contract::Ledger;
use tokkyu_link::carrier::realtime::RealTimeReport;
use tokkyu_link::runtime::LinkStats;

use crate::safety::Cap;

/// A span in milliseconds.
pub fn ms(span: Duration) -> f64 {
    span.as_secs_f64() * 1e3
}

/// How fast the vehicle may be, and why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CapFigures {
    /// At most so fast; `null`: as fast as it can.
    pub most_kmh: Option<f64>,
    /// From what a camera sees to what the motors do about it, errors included; `null`: not known.
    pub latency_ms: Option<f64>,
    /// The pictures' part of it.
    pub pictures_ms: Option<f64>,
    /// The commands' part of it.
    pub commands_ms: Option<f64>,
}

impl From<Cap> for CapFigures {
    fn from(cap: Cap) -> CapFigures {
        CapFigures {
            most_kmh: cap.most_mps.map(|mps| f64::from(mps) * 3.6),
            latency_ms: cap.latency.map(ms),
            pictures_ms: cap.pictures.map(ms),
            commands_ms: cap.commands.map(ms),
        }
    }
}

/// A ledger: offered = delivered + late + expired + dropped + lost, once everything is settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerFigures {
    /// Samples handed over.
    pub offered: u64,
    /// Handed on within their lifespan.
    pub delivered: u64,
    /// Complete, but too old.
    pub late: u64,
    /// Given up because too old.
    pub expired: u64,
    /// Given up while fresh.
    pub dropped: u64,
    /// Nothing is known of them.
    pub lost: u64,
}

impl From<Ledger> for LedgerFigures {
    fn from(ledger: Ledger) -> LedgerFigures {
        let Ledger { offered, delivered, late, expired, dropped, lost } = ledger;
        LedgerFigures { offered, delivered, late, expired, dropped, lost }
    }
}

impl From<LedgerFigures> for Ledger {
    fn from(figures: LedgerFigures) -> Ledger {
        let LedgerFigures { offered, delivered, late, expired, dropped, lost } = figures;
        Ledger { offered, delivered, late, expired, dropped, lost }
    }
}

/// One thing asked of the scheduler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RealTimeGrant {
    /// Who asked: `link`, `cameras`, `commands`, ...
    pub thread: String,
    /// What was asked for.
    pub what: String,
    /// `None` if granted, else why not and what to do.
    pub refused: Option<String>,
}

impl RealTimeGrant {
    /// The entries of `report`.
    pub fn of(thread: &str, report: &RealTimeReport) -> Vec<RealTimeGrant> {
        let entry = |grant: &tokkyu_link::carrier::realtime::Grant| RealTimeGrant {
            thread: thread.to_owned(),
            what: grant.what.clone(),
            refused: grant.refused.clone(),
        };
        report.grants.iter().map(entry).collect()
    }
}

/// The link as this end sees it. Losses, rates and packets are those of its sending direction unless named otherwise;
/// counters begin anew with each session, those named `wire` and `handshakes` with the program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkFigures {
    /// Smoothed round trip.
    pub rtt_ms: f64,
    /// Smallest round trip of the last ten seconds.
    pub min_rtt_ms: f64,
    /// Share of packets lost.
    pub loss: f64,
    /// Index of dispersion of the losses: above 1 they come in bursts.
    pub dispersion: f64,
    /// What the path is thought to carry, on the wire.
    pub capacity_bps: f64,
    /// The capacity is not known yet.
    pub is_starting: bool,
    /// The path is silent.
    pub is_silent: bool,
    /// How often it fell silent.
    pub silences: u32,
    /// Queue our own bursts built.
    pub own_queue_ms: f64,
    /// Queue of others.
    pub foreign_queue_ms: f64,
    /// Peer clock − own clock, `None` before it is known.
    pub clock_offset_ns: Option<i64>,
    /// Bound of the offset's error.
    pub clock_error_ns: Option<u64>,
    /// Packets sent.
    pub packets_sent: u64,
    /// Of these, with data for the first time.
    pub packets_fresh: u64,
    /// Of these, with parity.
    pub packets_parity: u64,
    /// Of these, with data sent before.
    pub packets_repair: u64,
    /// Of these, with feedback.
    pub packets_feedback: u64,
    /// Of these, probes.
    pub packets_probe: u64,
    /// Datagram bytes sent.
    pub bytes_sent: u64,
    /// Packets received.
    pub packets_received: u64,
    /// Packets that came twice.
    pub packets_duplicate: u64,
    /// Packets that could not be read.
    pub packets_malformed: u64,
    /// Packets given up that arrived after all.
    pub spurious: u64,
    /// Packets of the peer beyond a limit.
    pub violations: u64,
    /// UDP packets handed to the kernel.
    pub wire_packets_sent: u64,
    /// Their bytes of UDP payload.
    pub wire_bytes_sent: u64,
    /// UDP packets read.
    pub wire_packets_received: u64,
    /// Their bytes of UDP payload.
    pub wire_bytes_received: u64,
    /// Times the socket was full.
    pub would_block: u64,
    /// Packets the kernel refused: too long, or no way out.
    pub unsendable: u64,
    /// Handshakes that became no session.
    pub failed_handshakes: u64,
    /// Processor time of the link's thread.
    pub thread_cpu_ms: f64,
}

impl LinkFigures {
    /// Share of the packets sent that are parity, and that are repairs.
    pub fn redundancy(&self) -> (f64, f64) {
        let sent = self.packets_sent.max(1) as f64;
        (self.packets_parity as f64 / sent, self.packets_repair as f64 / sent)
    }
}

/// JSON has no number for infinite or undefined.
fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

impl From<&LinkStats> for LinkFigures {
    fn from(stats: &LinkStats) -> LinkFigures {
        let (session, carrier) = (&stats.session, &stats.carrier);
        LinkFigures {
            rtt_ms: ms(session.rtt),
            min_rtt_ms: ms(session.min_rtt),
            loss: finite(session.loss),
            dispersion: finite(session.dispersion),
            capacity_bps: finite(session.rate_bps),
            is_starting: session.is_starting,
            is_silent: session.is_silent,
            silences: session.silences,
            own_queue_ms: ms(session.own_queue),
            foreign_queue_ms: ms(session.foreign_queue),
            clock_offset_ns: session.clock_offset.map(|(offset, _)| offset),
            clock_error_ns: session.clock_offset.and_then(|(_, error)| u64::try_from(error.as_nanos()).ok()),
            packets_sent: session.packets_sent,
            packets_fresh: session.packets_fresh,
            packets_parity: session.packets_parity,
            packets_repair: session.packets_repair,
            packets_feedback: session.packets_feedback,
            packets_probe: session.packets_probe,
            bytes_sent: session.bytes_sent,
            packets_received: session.packets_received,
            packets_duplicate: session.packets_duplicate,
            packets_malformed: session.packets_malformed,
            spurious: session.spurious,
            violations: session.violations,
            wire_packets_sent: carrier.packets_sent,
            wire_bytes_sent: carrier.packet_bytes_sent,
            wire_packets_received: carrier.packets_received,
            wire_bytes_received: carrier.packet_bytes_received,
            would_block: carrier.would_block,
            unsendable: carrier.too_big + carrier.unsendable,
            failed_handshakes: carrier.failed_handshakes.total(),
            thread_cpu_ms: ms(stats.thread_cpu),
        }
    }
}
