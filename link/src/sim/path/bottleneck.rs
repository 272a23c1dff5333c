//! The narrow place of a direction: a tail-drop queue before a rate or a recorded capacity.
//!
//! Times are picoseconds since the path's start (2^64 ps are 213 days): at 1 Gbit/s a bit is 1000 ps, and any other
//! rate rounds by less than a picosecond a packet. Work is O(1) a packet, O(log slots) with a trace.
//!
//! Invariants: packets are served in the order offered; a packet that need not wait is never dropped; the bytes
//! waiting never exceed the limit.
use std::collections::VecDeque;
use std::sync::Arc;

use super::capacity_trace::{CapacityTrace, SLOT_BYTES};
use super::profile::{Capacity, RateChange};
use super::{ETHERNET_HEADER_BYTES, WIRE_OVERHEAD_BYTES};

const PS_PER_SECOND: u128 = 1_000_000_000_000;
const PS_PER_MS: u64 = 1_000_000_000;

/// Queue and server of one direction.
pub(super) struct Bottleneck {
    server: Server,
    limit_bytes: u64,
    /// Packets not yet begun: when each will be, and its frame bytes.
    waiting: VecDeque<(u64, u64)>,
    waiting_bytes: u64,
    high_water_bytes: u64,
}

enum Server {
    Unlimited,
    Rate(RateServer),
    Slots(SlotServer),
}

impl Bottleneck {
    pub(super) fn new(capacity: &Capacity, limit_bytes: u64) -> Self {
        let server = match capacity {
            Capacity::Unlimited => Server::Unlimited,
            Capacity::Rate { bps, changes } => Server::Rate(RateServer::new(*bps, changes)),
            Capacity::Trace(trace) => Server::Slots(SlotServer::new(Arc::clone(trace))),
        };
        Bottleneck { server, limit_bytes, waiting: VecDeque::new(), waiting_bytes: 0, high_water_bytes: 0 }
    }

    /// Lets a frame offered at `now_ps` through. Returns when its last bit is out, or `None` if the queue is full.
    pub(super) fn pass(&mut self, now_ps: u64, frame_bytes: u64) -> Option<u64> {
        self.forget_begun(now_ps);
        let begins_ps = self.server.next_start(now_ps);
        if begins_ps > now_ps {
            if self.waiting_bytes.saturating_add(frame_bytes) > self.limit_bytes {
                return None;
            }
            self.waiting.push_back((begins_ps, frame_bytes));
            self.waiting_bytes += frame_bytes;
            self.high_water_bytes = self.high_water_bytes.max(self.waiting_bytes);
        }
        Some(self.server.serve(begins_ps, frame_bytes))
    }

    pub(super) fn high_water_bytes(&self) -> u64 {
        self.high_water_bytes
    }

    fn forget_begun(&mut self, now_ps: u64) {
        while let Some(&(_, bytes)) = self.waiting.front().filter(|(begins_ps, _)| *begins_ps <= now_ps) {
            self.waiting_bytes -= bytes;
            self.waiting.pop_front();
        }
    }
}

impl Server {
    fn next_start(&self, now_ps: u64) -> u64 {
        match self {
            Server::Unlimited => now_ps,
            Server::Rate(rate) => now_ps.max(rate.free_at_ps),
            Server::Slots(slots) => slots.next_start(now_ps),
        }
    }

    fn serve(&mut self, begins_ps: u64, frame_bytes: u64) -> u64 {
        match self {
            Server::Unlimited => begins_ps,
            Server::Rate(rate) => rate.serve(begins_ps, frame_bytes),
            Server::Slots(slots) => slots.serve(begins_ps, frame_bytes),
        }
    }
}

/// Serialisation at a rate that may change at given times, also in the middle of a packet.
struct RateServer {
    bps: u64,
    /// Changes still to come: (at, new rate), earliest first.
    changes: VecDeque<(u64, u64)>,
    free_at_ps: u64,
}

impl RateServer {
    fn new(bps: u64, changes: &[RateChange]) -> Self {
        let mut changes: Vec<(u64, u64)> =
            changes.iter().map(|change| (super::model::ps_of(change.at), change.bps)).collect();
        changes.sort_by_key(|(at_ps, _)| *at_ps);
        RateServer { bps, changes: changes.into(), free_at_ps: 0 }
    }

    fn serve(&mut self, begins_ps: u64, frame_bytes: u64) -> u64 {
        // Work is in bit·ps/s, the product of a rate and a span, so that pieces at different rates add exactly.
        let mut work = u128::from(frame_bytes + WIRE_OVERHEAD_BYTES) * 8 * PS_PER_SECOND;
        let mut at_ps = begins_ps;
        self.free_at_ps = loop {
            while let Some(&(_, bps)) = self.changes.front().filter(|(change_ps, _)| *change_ps <= at_ps) {
                self.bps = bps;
                self.changes.pop_front();
            }
            let done_ps = if self.bps == 0 { u128::MAX } else { work.div_ceil(u128::from(self.bps)) };
            let change_ps = self.changes.front().map_or(u64::MAX, |(change_ps, _)| *change_ps);
            let left_ps = u128::from(change_ps - at_ps);
            if done_ps <= left_ps {
                break at_ps + done_ps as u64;
            }
            if change_ps == u64::MAX {
                break u64::MAX;
            }
            work -= left_ps * u128::from(self.bps);
            at_ps = change_ps;
        };
        self.free_at_ps
    }
}

/// Service in the slots of a recorded capacity: each carries bytes of as many packets as fit.
struct SlotServer {
    trace: Arc<CapacityTrace>,
    place: Place,
}

/// Where the next byte goes.
#[derive(Clone, Copy)]
struct Place {
    slot: u64,
    left_bytes: u64,
}

impl Place {
    fn at(slot: u64) -> Self {
        Place { slot, left_bytes: SLOT_BYTES }
    }
}

impl SlotServer {
    fn new(trace: Arc<CapacityTrace>) -> Self {
        SlotServer { trace, place: Place::at(0) }
    }

    fn place_from(&self, at_ps: u64) -> Place {
        let first = self.trace.first_slot_from(at_ps.div_ceil(PS_PER_MS));
        match self.place {
            Place { slot, .. } if slot < first => Place::at(first),
            Place { slot, left_bytes: 0 } => Place::at(slot + 1),
            place => place,
        }
    }

    fn next_start(&self, now_ps: u64) -> u64 {
        self.trace.slot_ms(self.place_from(now_ps).slot).saturating_mul(PS_PER_MS)
    }

    fn serve(&mut self, begins_ps: u64, frame_bytes: u64) -> u64 {
        let Place { slot, left_bytes } = self.place_from(begins_ps);
        let packet_bytes = frame_bytes.saturating_sub(ETHERNET_HEADER_BYTES).max(1);
        let beyond = packet_bytes.saturating_sub(left_bytes);
        let last = slot + beyond.div_ceil(SLOT_BYTES);
        // What the slots up to the last one carry, less what the packet takes of them.
        let left_bytes = left_bytes + (last - slot) * SLOT_BYTES - packet_bytes;
        self.place = Place { slot: last, left_bytes };
        self.trace.slot_ms(last).saturating_mul(PS_PER_MS)
    }
}
