//! Two sessions on a wire the test holds in its hands: every packet is seen, and lost when the test says so.
//!
//! The wire has a delay and no rate. Clocks differ as in the modelled network.

use super::{payload, publication, subscription};
use std::collections::BTreeMap;
use std::time::Duration;
use tokkyu_contract::{Class, FlowId, MonoTime, Qos, TraceId};
use tokkyu_link::core::{Event, PathId, Session, SessionConfig};
use tokkyu_link::sim::network::{End, Network};
use tokkyu_link::wire::{Frame, Header, Reader};

/// A packet on the wire.
#[derive(Clone, Debug)]
pub struct Packet {
    pub at: MonoTime,
    pub from: End,
    /// Counts the packets of this direction, from 0.
    pub nth: usize,
    pub bytes: usize,
    pub frames: Vec<Seen>,
    pub lost: bool,
}

/// A frame of a packet, without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    Fragment { id: TraceId, k: u16, index: u16 },
    Sample { id: TraceId },
    Feedback,
    Floor { id: TraceId },
    Probe,
}

impl Seen {
    fn of(frame: &Frame<'_>) -> Seen {
        match frame {
            Frame::Fragment(f) => Seen::Fragment { id: f.id, k: f.k, index: f.index },
            Frame::Sample(s) => Seen::Sample { id: s.id },
            Frame::Feedback(_) => Seen::Feedback,
            Frame::Floor(id) => Seen::Floor { id: *id },
            Frame::Probe | Frame::Padding(_) | Frame::Extension { .. } => Seen::Probe,
        }
    }

    /// The sample the frame carries a part of.
    pub fn sample(&self) -> Option<TraceId> {
        match self {
            Seen::Fragment { id, .. } | Seen::Sample { id } => Some(*id),
            _ => None,
        }
    }
}

impl Packet {
    pub fn carries(&self, flow: FlowId) -> bool {
        self.frames.iter().any(|frame| frame.sample().is_some_and(|id| id.flow == flow))
    }
}

type Losing = Box<dyn FnMut(&Packet) -> bool>;

/// Two sessions, a delay, and a test that decides what is lost.
pub struct Bench {
    pub now: MonoTime,
    pub tap: Vec<Packet>,
    pub events: Vec<(MonoTime, End, Event)>,
    sessions: [Session; 2],
    sent: [usize; 2],
    delay: Duration,
    under_way: BTreeMap<(MonoTime, usize), (End, Vec<u8>)>,
    loses: Losing,
}

impl Bench {
    pub fn new(delay: Duration, config: SessionConfig, loses: impl FnMut(&Packet) -> bool + 'static) -> Self {
        let config = SessionConfig { handshake_rtt: Some(delay * 2), ..config };
        Bench {
            now: MonoTime::ZERO,
            tap: Vec::new(),
            events: Vec::new(),
            sessions: [Session::new(config.clone()), Session::new(config)],
            sent: [0; 2],
            delay,
            under_way: BTreeMap::new(),
            loses: Box::new(loses),
        }
    }

    pub fn session(&mut self, end: End) -> &mut Session {
        &mut self.sessions[index(end)]
    }

    pub fn advertise(&mut self, end: End, topic: &str, class: Class, qos: Qos) -> FlowId {
        self.session(end).advertise(publication(topic, class, qos)).expect("within the limits")
    }

    pub fn subscribe(&mut self, end: End, topic: &str, qos: Qos) -> FlowId {
        self.session(end).subscribe(subscription(topic, qos)).expect("within the limits")
    }

    pub fn publish(&mut self, end: End, flow: FlowId, tag: u32, bytes: usize) -> u32 {
        let clock = Network::clock(end, self.now);
        let payload = payload::tagged(tag, bytes);
        self.session(end).publish(clock, flow, clock, &payload).expect("the sample is taken")
    }

    pub fn run_to(&mut self, until: MonoTime) {
        let mut standing = 0;
        loop {
            self.turn();
            let next = self.next_time();
            if next > until {
                self.now = until;
                return;
            }
            standing = if next > self.now { 0 } else { standing + 1 };
            assert!(standing < 10_000, "virtual time stands still at {}", self.now);
            self.now = self.now.max(next);
        }
    }

    /// Events of `end`, oldest first.
    pub fn events_of(&self, end: End) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |(_, at, _)| *at == end).map(|(_, _, event)| event)
    }

    /// Tags of what was delivered for one subscription, in order.
    pub fn tags(&self, end: End, reader: FlowId) -> Vec<u32> {
        self.events_of(end)
            .filter_map(|event| match event {
                Event::Delivered(d) if d.subscription == reader => Some(payload::tag_of(&d.payload)),
                _ => None,
            })
            .collect()
    }

    fn next_time(&self) -> MonoTime {
        let arrival = self.under_way.keys().next().map_or(MonoTime::MAX, |(at, _)| *at);
        End::BOTH
            .map(|end| Network::virtual_time(end, self.sessions[index(end)].deadline()))
            .into_iter()
            .fold(arrival, MonoTime::min)
    }

    fn turn(&mut self) {
        while let Some(entry) = self.under_way.first_entry().filter(|entry| entry.key().0 <= self.now) {
            let (to, datagram) = entry.remove();
            let clock = Network::clock(to, self.now);
            self.session(to).on_datagram(clock, PathId::FIRST, false, &datagram);
        }
        for end in End::BOTH {
            let clock = Network::clock(end, self.now);
            if self.session(end).deadline() <= clock {
                self.session(end).on_timer(clock);
            }
            self.send(end, clock);
            let at = self.now;
            while let Some(event) = self.session(end).poll_event() {
                self.events.push((at, end, event));
            }
        }
    }

    fn send(&mut self, end: End, clock: MonoTime) {
        let mut datagram = Vec::new();
        while self.session(end).poll_transmit(clock, PathId::FIRST, &mut datagram).is_some() {
            let nth = self.sent[index(end)];
            self.sent[index(end)] += 1;
            let frames = frames_of(&datagram);
            let mut packet =
                Packet { at: self.now, from: end, nth, bytes: datagram.len(), frames, lost: false };
            packet.lost = (self.loses)(&packet);
            if !packet.lost {
                let to = if end == End::Vehicle { End::Operator } else { End::Vehicle };
                self.under_way.insert((self.now + self.delay, self.tap.len()), (to, datagram.clone()));
            }
            self.tap.push(packet);
        }
    }
}

fn index(end: End) -> usize {
    usize::from(end == End::Operator)
}

fn frames_of(datagram: &[u8]) -> Vec<Seen> {
    let mut reader = Reader::new(datagram);
    Header::read(&mut reader).expect("a session sends packets with a header");
    let mut frames = Vec::new();
    while !reader.is_empty() {
        frames.push(Seen::of(&Frame::read(&mut reader).expect("a session sends frames that parse")));
    }
    frames
}

/// Loses the packets of one direction that carry `flow`, the first `count` of them.
pub fn lose_first(from: End, flow: FlowId, count: usize) -> impl FnMut(&Packet) -> bool {
    let mut left = count;
    move |packet| {
        let hit = packet.from == from && packet.carries(flow) && left > 0;
        left -= usize::from(hit);
        hit
    }
}
