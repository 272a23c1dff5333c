//! A peer made by hand: it writes its packets itself, so that it can also write what no session would.

use tokkyu_contract::{Class, FlowId, MonoTime, Qos, TraceId};
use tokkyu_link::core::{Event, PathId, Session};
use tokkyu_link::wire::{EndpointKind, Entry, Feedback, Fragment, Frame, Header, Table, Whole};

/// Memory bound the peer tells.
pub const MEMORY: u64 = 64 << 20;

/// The hand that writes the packets. Its clock is virtual time.
#[derive(Default)]
pub struct Peer {
    pub number: u32,
    table_sequence: u32,
    /// Number its next publication gets (LNK-31).
    pub next_flow: u16,
}

impl Peer {
    /// A packet with the next number.
    pub fn packet(&mut self, now: MonoTime, frames: &[Frame<'_>]) -> Vec<u8> {
        let mut out = Vec::new();
        let number = self.number;
        self.number = number.wrapping_add(1);
        Header {
            ask: false,
            long_lost: false,
            is_cut: false,
            feedback_interval: 20,
            number,
            sent_us: now.as_micros() as u32,
        }
        .write(&mut out);
        frames.iter().for_each(|frame| frame.write(&mut out));
        out
    }

    pub fn send(&mut self, now: MonoTime, session: &mut Session, frames: &[Frame<'_>]) {
        let packet = self.packet(now, frames);
        session.on_datagram(now, PathId::FIRST, false, &packet);
    }

    /// A sample in one packet, captured now.
    pub fn sample(&mut self, now: MonoTime, session: &mut Session, id: TraceId, payload: &[u8]) {
        let capture_us = now.as_micros() as u32;
        self.send(now, session, &[Frame::Sample(Whole { id, capture_us, payload })]);
    }

    /// The table, however large. Publications it named before and does not name now are withdrawn.
    pub fn table(&mut self, now: MonoTime, session: &mut Session, entries: Vec<Entry>) {
        let named = entries.iter().filter(|entry| entry.kind == EndpointKind::Publication);
        self.next_flow =
            named.map(|entry| entry.flow.0.wrapping_add(1)).fold(self.next_flow.max(1), u16::max);
        let next = FlowId(self.next_flow);
        let bytes = Table { memory_bytes: MEMORY, next, entries }.to_bytes();
        self.table_bytes(now, session, &bytes);
    }

    pub fn table_bytes(&mut self, now: MonoTime, session: &mut Session, bytes: &[u8]) {
        let id = TraceId { flow: FlowId::SESSION, sequence: self.table_sequence };
        self.table_sequence += 1;
        if bytes.len() < 1_000 {
            return self.sample(now, session, id, bytes);
        }
        self.fragments(now, session, id, bytes);
    }

    /// A sample in shards of 1000 bytes, captured now.
    pub fn fragments(&mut self, now: MonoTime, session: &mut Session, id: TraceId, payload: &[u8]) {
        let shards = shards_of(payload, 1_000);
        for (index, shard) in shards.iter().enumerate() {
            self.send(now, session, &[Frame::Fragment(fragment(now, id, shards.len(), index, shard))]);
        }
    }
}

/// A fragment captured now.
pub fn fragment(now: MonoTime, id: TraceId, k: usize, index: usize, shard: &[u8]) -> Fragment<'_> {
    Fragment { id, capture_us: now.as_micros() as u32, k: k as u16, index: index as u16, shard }
}

/// The data shards of a payload (LNK-21).
pub fn shards_of(payload: &[u8], shard_bytes: usize) -> Vec<Vec<u8>> {
    let k = (payload.len() + 4).div_ceil(shard_bytes);
    let mut data = payload.to_vec();
    data.resize(k * shard_bytes - 4, 0);
    data.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    data.chunks(shard_bytes).map(<[u8]>::to_vec).collect()
}

/// A feedback that says packets up to `highest` came, all that its bitmap reaches.
pub fn feedback(highest: u32) -> Feedback {
    Feedback {
        highest,
        highest_rx_us: 0,
        hold_us: 0,
        received_bytes: 0,
        ce: 0,
        words: 2,
        bitmap: [u64::MAX; tokkyu_link::wire::MAX_FEEDBACK_WORDS],
    }
}

/// One line of a table.
pub fn entry(kind: EndpointKind, flow: u16, topic: &str, qos: Qos) -> Entry {
    Entry {
        kind,
        flow: FlowId(flow),
        class: Class::Realtime,
        qos,
        rate_mhz: 0,
        size_bytes: 0,
        topic: topic.to_owned(),
        type_name: String::new(),
    }
}

/// Everything the session tells, and everything it sends thrown away.
pub fn drain(now: MonoTime, session: &mut Session) -> Vec<Event> {
    if session.deadline() <= now {
        session.on_timer(now);
    }
    let mut out = Vec::new();
    while session.poll_transmit(now, PathId::FIRST, &mut out).is_some() {}
    std::iter::from_fn(|| session.poll_event()).collect()
}
