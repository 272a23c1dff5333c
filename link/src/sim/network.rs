//! Two sessions joined by two modelled paths, in virtual time.
//!
//! Events happen in order of time; what happens at the same time happens in a fixed order (arrivals, timers, the
//! application, sending), so a run is the same to the bit for the same seed. The two ends have clocks that differ, as
//! real ones do. Hosts cost nothing: what is measured is the protocol.

use super::path::{Direction, Path, Profile};
use super::rival::{self, Rival};
use crate::core::{Event, PathId, Session, SessionConfig, Stats};
use std::time::Duration;
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
    /// On which path.
    pub path: PathId,
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
    /// From the vehicle and from the operator, by the number of the session's path.
    paths: Vec<[Path<Packet>; 2]>,
    /// Flows of others from the vehicle to the operator, on the first path.
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
        let config = SessionConfig { handshake_rtt: Some(handshake_rtt(profile)), ..config };
        Network {
            now: MonoTime::ZERO,
            sessions: [Session::new(config.clone()), Session::new(config)],
            paths: vec![both_ways(profile, seed, MonoTime::ZERO)],
            rivals: Vec::new(),
            events: Vec::new(),
            buffer: Vec::new(),
            sendings: None,
            wire_bytes: 0,
            largest_frame: 0,
            idle_turns: 0,
        }
    }

    /// Opens another path between the sessions, over `profile`. Gives its number.
    pub fn open_path(&mut self, profile: &Profile, seed: u64, config: &SessionConfig) -> PathId {
        let id = PathId(self.paths.len() as u8);
        self.paths.push(both_ways(profile, seed, self.now));
        self.tell_open(id, profile, config);
        id
    }

    /// Opens a path anew that went, with its number: what was under way on it is gone.
    pub fn open_path_again(&mut self, id: PathId, profile: &Profile, seed: u64, config: &SessionConfig) {
        self.paths[usize::from(id.0)] = both_ways(profile, seed, self.now);
        self.tell_open(id, profile, config);
    }

    fn tell_open(&mut self, id: PathId, profile: &Profile, config: &SessionConfig) {
        let config = SessionConfig { handshake_rtt: Some(handshake_rtt(profile)), ..config.clone() };
        for end in End::BOTH {
            let clock = Self::clock(end, self.now);
            self.sessions[end.index()].open_path(clock, id, &config.path());
        }
    }

    /// Both ends lose path `id`.
    pub fn close_path(&mut self, id: PathId) {
        for end in End::BOTH {
            let clock = Self::clock(end, self.now);
            self.sessions[end.index()].close_path(clock, id);
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

    /// The first path from `end` to the other.
    pub fn path_from(&self, end: End) -> &Path<Packet> {
        &self.paths[0][end.index()]
    }

    /// Gives the datagrams that were sent since this was asked last, in order; at first none, from then on all.
    pub fn take_sendings(&mut self) -> Vec<Sending> {
        self.sendings.replace(Vec::new()).unwrap_or_default()
    }

    /// Offers raw bytes to the wire, as an attacker on the path would.
    pub fn inject(&mut self, from: End, datagram: Vec<u8>) {
        let frame = datagram.len() + FRAME_OVERHEAD;
        self.paths[0][from.index()].offer(self.now, frame, Packet::Datagram(datagram));
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
        let arrivals = self.paths.iter().flatten().filter_map(Path::next_due).min().unwrap_or(MonoTime::MAX);
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
        for (at, path) in self.paths.iter_mut().enumerate() {
            while let Some(due) = path[from].take_due(self.now) {
                // The carrier authenticates packets: a corrupted one does not reach the session.
                match due.packet {
                    _ if due.corrupt_bit.is_some() => {}
                    Packet::Datagram(datagram) => {
                        let session = &mut self.sessions[end.index()];
                        session.on_datagram(clock, PathId(at as u8), false, &datagram);
                    }
                    Packet::Rival { flow, number } => self.rivals[flow].on_arrival(self.now, number),
                }
            }
        }
    }

    fn send_rivals(&mut self) {
        for flow in 0..self.rivals.len() {
            while let Some(number) = self.rivals[flow].poll(self.now) {
                let packet = Packet::Rival { flow, number };
                self.paths[0][End::Vehicle.index()].offer(self.now, rival::FRAME_BYTES, packet);
            }
        }
    }

    fn send(&mut self, end: End) {
        (0..self.paths.len()).for_each(|at| self.send_on(end, at));
    }

    fn send_on(&mut self, end: End, at: usize) {
        let (clock, path) = (Self::clock(end, self.now), PathId(at as u8));
        while let Some(class) = self.sessions[end.index()].poll_transmit(clock, path, &mut self.buffer) {
            if let Some(sendings) = &mut self.sendings {
                let (bytes, stats) = (self.buffer.len(), self.sessions[end.index()].stats());
                sendings.push(Sending { at: self.now, from: end, path, bytes, class, stats });
            }
            let frame = self.buffer.len() + FRAME_OVERHEAD;
            self.wire_bytes += frame as u64;
            self.largest_frame = self.largest_frame.max(frame);
            self.paths[at][end.index()].offer(self.now, frame, Packet::Datagram(self.buffer.clone()));
        }
    }
}

fn handshake_rtt(profile: &Profile) -> Duration {
    profile.up.delay + profile.down.delay
}

fn both_ways(profile: &Profile, seed: u64, start: MonoTime) -> [Path<Packet>; 2] {
    [profile.path(Direction::Up, seed, start), profile.path(Direction::Down, seed, start)]
}
