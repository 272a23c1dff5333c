//! Packets of a path: their header, and what is noted of them as they go.

use super::Path;
use crate::core::sent::{Content, NewPacket, Settled};
use crate::wire::Header;
use tokkyu_contract::MonoTime;

/// A packet being filled.
pub struct Packet {
    /// What must be made good when it is lost.
    pub content: Content,
    /// Whether it calls for an answer.
    pub watched: bool,
}

impl Path {
    /// Begins the next packet in `out`, which asks for feedback at once, or not.
    pub fn begin(&self, now: MonoTime, ask: bool, out: &mut Vec<u8>) {
        out.clear();
        Header {
            ask,
            long_lost: self.hole.is_hole(),
            is_cut: self.size.is_cut(),
            feedback_interval: (self.feedback_interval().as_micros() / 50) as u8,
            number: self.log.next_number() as u32,
            sent_us: now.as_micros() as u32,
        }
        .write(out);
    }

    /// Begins the next packet of a burst, which waited for the pacer; some of them ask for feedback at once.
    pub fn begin_paced(&mut self, now: MonoTime, has_fragments: bool, out: &mut Vec<u8>) {
        self.burst.on_paced(now, has_fragments);
        self.begin(now, self.burst.packets == 0 || self.rate.wants_answer(), out);
    }

    /// A packet of `bytes` goes now; what the log forgets for it is settled. `paced`: it waited for the pacer.
    pub fn record(
        &mut self,
        now: MonoTime,
        bytes: usize,
        packet: &Packet,
        paced: bool,
        settled: &mut Settled,
    ) {
        let new = NewPacket {
            at: now,
            bytes,
            burst: if self.burst.is_open { self.burst.number } else { 0 },
            in_burst: self.burst.packets,
            content: packet.content,
            watched: packet.watched,
        };
        self.log.record(new, settled);
        self.burst.packets += 1;
        if packet.watched {
            self.monitor.on_sent(now);
        }
        let (wire_bytes, bps) = (self.size.wire_bytes(bytes), self.rate.pacing_bps());
        if paced {
            self.pacer.on_sent(now, wire_bytes, bps);
            self.rate.on_sent();
        } else {
            self.pacer.on_unpaced(now, wire_bytes, bps);
        }
    }
}
