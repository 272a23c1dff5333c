//! Periodic flows, and what became of each of their samples at both ends.

use super::{World, other, payload, publication};
use std::collections::BTreeMap;
use std::time::Duration;
use tokkyu_contract::{Class, Durability, FlowId, MonoTime, Outcome, Qos, TraceId};
use tokkyu_link::core::{Event, Publication, PublishError};
use tokkyu_link::sim::network::{End, Network};

/// A flow that is published at a fixed period, with its reader at the other end.
pub struct Stream {
    pub from: End,
    pub flow: FlowId,
    pub reader: FlowId,
    pub bytes: usize,
    pub period: Duration,
    pub qos: Qos,
    pub due: MonoTime,
    /// Publishing that was refused because the memory bound was reached.
    pub refused: u32,
    captures: BTreeMap<u32, MonoTime>,
}

/// What became of one sample.
#[derive(Clone, Copy, Debug)]
pub struct Fate {
    pub capture: MonoTime,
    pub arrival: Option<MonoTime>,
    pub deliveries: u32,
    pub sender: Option<Outcome>,
    pub receiver: Option<Outcome>,
}

impl Fate {
    fn fresh(capture: MonoTime) -> Self {
        Fate { capture, arrival: None, deliveries: 0, sender: None, receiver: None }
    }

    pub fn latency(&self) -> Option<Duration> {
        self.arrival.map(|arrival| arrival.since(self.capture))
    }
}

impl World {
    /// Advertises and subscribes a flow. The sender knows its period.
    pub fn stream(&mut self, from: End, class: Class, qos: Qos, bytes: usize, period: Duration) -> Stream {
        self.streams += 1;
        let topic = format!("stream/{}", self.streams);
        let known =
            Publication { period: Some(period), size_bytes: bytes as u32, ..publication(&topic, class, qos) };
        let flow = self.network.session(from).advertise(known).expect("within the limits");
        let reader = self.subscribe(other(from), &topic, qos);
        let due = self.now();
        Stream { from, flow, reader, bytes, period, qos, due, refused: 0, captures: BTreeMap::new() }
    }

    /// Publishes every stream at its period until `end`; samples due at the same time go in the order given.
    pub fn drive(&mut self, streams: &mut [&mut Stream], end: MonoTime) {
        while let Some(due) = streams.iter().map(|stream| stream.due).min().filter(|due| *due < end) {
            self.run_to(due);
            for stream in streams.iter_mut().filter(|stream| stream.due == due) {
                self.publish_next(stream);
            }
        }
        self.run_to(end);
    }

    fn publish_next(&mut self, stream: &mut Stream) {
        let (now, clock) = (self.now(), Network::clock(stream.from, self.now()));
        let bytes = payload::tagged(stream.captures.len() as u32, stream.bytes);
        match self.network.session(stream.from).publish(clock, stream.flow, clock, &bytes) {
            Ok(sequence) => {
                stream.captures.insert(sequence, now);
            }
            Err(PublishError::Full { .. }) => stream.refused += 1,
            Err(error) => panic!("{error}"),
        }
        stream.due += stream.period;
    }

    /// What became of the samples of `stream`, by sequence number.
    pub fn fates(&self, stream: &Stream) -> BTreeMap<u32, Fate> {
        let mut fates: BTreeMap<u32, Fate> =
            stream.captures.iter().map(|(sequence, capture)| (*sequence, Fate::fresh(*capture))).collect();
        for note in &self.notes {
            let (id, at_sender) = match &note.event {
                Event::Delivered(d) if d.subscription == stream.reader => (d.id, false),
                Event::Missed { id, .. } if id.flow == stream.flow => (*id, false),
                Event::Settled { id, .. } if id.flow == stream.flow => (*id, true),
                _ => continue,
            };
            if at_sender != (note.end == stream.from) {
                continue;
            }
            // What is sent to a late joiner (LNK-14) has a number that nobody was told.
            if stream.qos.durability == Durability::TransientLocal {
                fates.entry(id.sequence).or_insert(Fate::fresh(note.at));
            }
            enter(&mut fates, id, note.at, &note.event);
        }
        fates
    }

    /// Latencies of the samples of `stream` captured from `from` on that were delivered.
    pub fn latencies(&self, stream: &Stream, from: MonoTime) -> Vec<Duration> {
        let fates = self.fates(stream);
        fates.values().filter(|fate| fate.capture >= from).filter_map(Fate::latency).collect()
    }
}

fn enter(fates: &mut BTreeMap<u32, Fate>, id: TraceId, at: MonoTime, event: &Event) {
    let fate = fates.get_mut(&id.sequence).unwrap_or_else(|| panic!("{id} was never published"));
    match event {
        Event::Delivered(_) => {
            fate.deliveries += 1;
            fate.arrival.get_or_insert(at);
        }
        Event::Missed { outcome, .. } => {
            assert_eq!(fate.receiver.replace(*outcome), None, "{id} missed twice");
        }
        Event::Settled { outcome, .. } => {
            assert_eq!(fate.sender.replace(*outcome), None, "{id} settled twice");
        }
        _ => {}
    }
}
