//! Two sessions joined by two modelled paths, in virtual time.
//!
//! Events happen in order of time; what happens at the same time happens in a fixed order (arrivals, timers, the
//! application, sending), so a run is the same to the bit for the same seed. The two ends have clocks that differ, as
//! real ones do. Hosts cost nothing: what is measured is the protocol.

use super::path::{Direction, Path, Profile};
use super::rival::{self, Rival};
use crate::core::{Event, Session, SessionConfig, Stats};
use tokkyu_contract::{Class, MonoTime};

/// QUIC, UDP, IPv4 and Ethernet headers of a datagram, as the path counts frames.
pub const FRAME_OVERHEAD: usize = 31 + 28 + 14;

/// The operator's clock is this far ahead of the vehicle's.
const CLOCK_OFFSET_NANOS: i64 = 1_234_567_890_123;

/// One of the two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Sends pictures, receives commands.
    Vehicle,
    /// Receives pictures, sends commands.
    Operator,
}

impl End {
    /// Both ends.
    pub const BOTH: [End; 2] = [End::Vehicle, End::Operator];

    fn index(self) -> usize {
        match self {
            End::Vehicle => 0,
            End::Operator => 1,
        }
    }
}

/// What the paths carry.
#[derive(Clone, Debug)]
pub enum Packet {
    /// A datagram between the sessions.
    Datagram(Vec<u8>),
    /// A frame of another flow.
    Rival {
        /// Which flow.
        flow: usize,
        /// Which of its frames.
        number: u64,
    },
}

/// A datagram on its way out, and what its session knew.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// When, virtual time.
    pub at: MonoTime,
    /// Whose it is.
    pub from: End,
    /// Its bytes, without what the carrier adds.
    pub bytes: usize,
    /// What it travels as.
    pub class: Class,
    /// The session's figures, this datagram included.
    pub stats: Stats,
}

/// A network with a session at each end.
pub struct Network {
    now: MonoTime,
    sessions: [Session; 2],
    paths: [Path<Packet>; 2],
    /// Flows of others from the vehicle to the operator.
    rivals: Vec<Rival>,
    events: Vec<(End, Event)>,
    buffer: Vec<u8>,
    /// None while nobody wants to know.
    sendings: Option<Vec<Sending>>,
    wire_bytes: u64,
    largest_frame: usize,
    idle_turns: u32,
}

impl Network {
    /// Two fresh sessions over `profile`. The round trip of a handshake is taken as twice the delays.
    pub fn new(profile: &Profile, seed: u64, config: SessionConfig) -> Self {
        let handshake = profile.up.delay + profile.down.delay;
        let config = SessionConfig { handshake_rtt: Some(handshake), ..config };
        Network {
            now: MonoTime::ZERO,
            sessions: [Session::new(config.clone()), Session::new(config)],
            paths: [
                profile.path(Direction::Up, seed, MonoTime::ZERO),
                profile.path(Direction::Down, seed, MonoTime::ZERO),
            ],
            rivals: Vec::new(),
            events: Vec::new(),
            buffer: Vec::new(),
            sendings: None,
            wire_bytes: 0,
            largest_frame: 0,
            idle_turns: 0,
        }
    }

    /// Virtual time.
    pub fn now(&self) -> MonoTime {
        self.now
    }

    /// Virtual time on the clock of `end`.
    pub fn clock(end: End, now: MonoTime) -> MonoTime {
        match end {
            End::Vehicle => now,
            End::Operator => now.offset(CLOCK_OFFSET_NANOS),
        }
    }

    /// Virtual time of a time on the clock of `end`.
    pub fn virtual_time(end: End, at: MonoTime) -> MonoTime {
        match end {
            _ if at == MonoTime::MAX => at,
            End::Vehicle => at,
            End::Operator => at.offset(-CLOCK_OFFSET_NANOS),
        }
    }

    /// The session of `end`.
    pub fn session(&mut self, end: End) -> &mut Session {
        &mut self.sessions[end.index()]
    }

    /// Bytes of all frames offered to the wire so far, both directions.
    pub fn wire_bytes(&self) -> u64 {
        self.wire_bytes
    }

    /// Bytes of the largest frame so far.
    pub fn largest_frame(&self) -> usize {
        self.largest_frame
    }

    /// The path from `end` to the other.
    pub fn path_from(&self, end: End) -> &Path<Packet> {
        &self.paths[end.index()]
    }

    /// Gives the datagrams that were sent since this was asked last, in order; at first none, from then on all.
    pub fn take_sendings(&mut self) -> Vec<Sending> {
        self.sendings.replace(Vec::new()).unwrap_or_default()
    }

    /// Offers raw bytes to the wire, as an attacker on the path would.
    pub fn inject(&mut self, from: End, datagram: Vec<u8>) {
        let frame = datagram.len() + FRAME_OVERHEAD;
        self.paths[from.index()].offer(self.now, frame, Packet::Datagram(datagram));
    }

    /// Lets a flow of somebody else share the path from the vehicle. Gives its index.
    pub fn add_rival(&mut self, rival: Rival) -> usize {
        self.rivals.push(rival);
        self.rivals.len() - 1
    }

    /// A flow of somebody else.
    pub fn rival(&self, flow: usize) -> &Rival {
        &self.rivals[flow]
    }

    /// What happened since this was asked last, in order.
    pub fn take_events(&mut self) -> Vec<(End, Event)> {
        std::mem::take(&mut self.events)
    }

    /// Lets time pass to `until`, or to the first event of a session.
    pub fn run_until(&mut self, until: MonoTime) {
        self.settle();
        while self.events.is_empty() {
            let next = self.next_time();
            if next > until {
                self.now = until;
                return;
            }
            self.idle_turns = if next > self.now { 0 } else { self.idle_turns + 1 };
            assert!(self.idle_turns < 10_000, "virtual time stands still at {}", self.now);
            self.now = self.now.max(next);
            self.settle();
        }
    }

    fn next_time(&self) -> MonoTime {
        let arrivals = self.paths.iter().filter_map(Path::next_due).min().unwrap_or(MonoTime::MAX);
        let timers = End::BOTH.map(|end| Self::virtual_time(end, self.sessions[end.index()].deadline()));
        let rivals = self.rivals.iter().map(Rival::next_time).min().unwrap_or(MonoTime::MAX);
        arrivals.min(timers[0]).min(timers[1]).min(rivals)
    }

    /// Everything that happens now.
    fn settle(&mut self) {
        for end in End::BOTH {
            self.arrive(end);
        }
        self.send_rivals();
        for end in End::BOTH {
            let clock = Self::clock(end, self.now);
            let session = &mut self.sessions[end.index()];
            if session.deadline() <= clock {
                session.on_timer(clock);
            }
            self.send(end);
            while let Some(event) = self.sessions[end.index()].poll_event() {
                self.events.push((end, event));
            }
        }
    }

    fn arrive(&mut self, end: End) {
        let (from, clock) = (1 - end.index(), Self::clock(end, self.now));
        while let Some(due) = self.paths[from].take_due(self.now) {
            // The carrier authenticates packets: a corrupted one does not reach the session.
            match due.packet {
                _ if due.corrupt_bit.is_some() => {}
                Packet::Datagram(datagram) => self.sessions[end.index()].on_datagram(clock, false, &datagram),
                Packet::Rival { flow, number } => self.rivals[flow].on_arrival(self.now, number),
            }
        }
    }

    fn send_rivals(&mut self) {
        for flow in 0..self.rivals.len() {
            while let Some(number) = self.rivals[flow].poll(self.now) {
                let packet = Packet::Rival { flow, number };
                self.paths[End::Vehicle.index()].offer(self.now, rival::FRAME_BYTES, packet);
            }
        }
    }

    fn send(&mut self, end: End) {
        let clock = Self::clock(end, self.now);
        while let Some(class) = self.sessions[end.index()].poll_transmit(clock, &mut self.buffer) {
            if let Some(sendings) = &mut self.sendings {
                let (bytes, stats) = (self.buffer.len(), self.sessions[end.index()].stats());
                sendings.push(Sending { at: self.now, from: end, bytes, class, stats });
            }
            let frame = self.buffer.len() + FRAME_OVERHEAD;
            self.wire_bytes += frame as u64;
            self.largest_frame = self.largest_frame.max(frame);
            self.paths[end.index()].offer(self.now, frame, Packet::Datagram(self.buffer.clone()));
        }
    }
}
