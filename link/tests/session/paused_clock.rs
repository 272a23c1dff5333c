//! A machine whose monotonic clock stands for a while, as that of a paused virtual machine does (LNK-4): what waited for it
//! must not look young, and its age is known again soon.

use crate::world::{at_ms, link_qos, ms, publication, reliable, subscription, with_lifespan};
use std::collections::BTreeMap;
use std::time::Duration;
use tokkyu_contract::{Class, FlowId, MonoTime};
use tokkyu_link::core::{Delivered, Event, PathId, Session, SessionConfig};

const VEHICLE: usize = 0;
const OPERATOR: usize = 1;
/// One way.
const DELAY: Duration = Duration::from_millis(10);
const COMMANDS_EVERY: Duration = Duration::from_millis(20);
const PICTURES_EVERY: Duration = Duration::from_millis(100);
/// What the gate lets through: younger than this, by an age that is known as well.
const LIFESPAN: Duration = Duration::from_millis(150);
/// The operator's clock is so far ahead.
const AHEAD: Duration = Duration::from_secs(1_234);

/// A command that reached the vehicle, with its true age.
struct Came {
    issued: MonoTime,
    true_age: Duration,
    delivered: Delivered,
}

impl Came {
    fn passes(&self) -> bool {
        self.delivered.age <= LIFESPAN && self.delivered.age_error <= LIFESPAN
    }
}

/// Two sessions, of which the vehicle stands still from `pause` on for `span`.
struct Rig {
    now: MonoTime,
    sessions: [Session; 2],
    pause: MonoTime,
    span: Duration,
    wire: BTreeMap<(MonoTime, u64), (usize, Vec<u8>)>,
    sent: u64,
    came: Vec<Came>,
    camera: FlowId,
}

impl Rig {
    fn new(pause: MonoTime, span: Duration) -> (Rig, FlowId) {
        let config = SessionConfig { handshake_rtt: Some(DELAY * 2), ..SessionConfig::default() };
        let mut sessions = [Session::new(config.clone()), Session::new(config)];
        let qos = with_lifespan(reliable(1), LIFESPAN.as_millis() as u64);
        sessions[VEHICLE].subscribe(subscription("drive", qos)).unwrap();
        let flow = sessions[OPERATOR].advertise(publication("drive", Class::Control, qos)).unwrap();
        let camera = sessions[VEHICLE].advertise(publication("camera", Class::Realtime, link_qos())).unwrap();
        sessions[OPERATOR].subscribe(subscription("camera", link_qos())).unwrap();
        let (now, wire) = (MonoTime::ZERO, BTreeMap::new());
        (Rig { now, sessions, pause, span, wire, sent: 0, came: Vec::new(), camera }, flow)
    }

    fn stands(&self, end: usize) -> bool {
        end == VEHICLE && self.now >= self.pause && self.now < self.pause + self.span
    }

    /// What the clock of `end` says.
    fn clock(&self, end: usize) -> MonoTime {
        match end {
            VEHICLE if self.now < self.pause => self.now,
            VEHICLE => self.now.saturating_sub(self.span.min(self.now.since(self.pause))),
            _ => self.now + AHEAD,
        }
    }

    /// One millisecond: what is due arrives, timers ring, packets leave.
    fn turn(&mut self) {
        for end in [VEHICLE, OPERATOR] {
            if self.stands(end) {
                continue;
            }
            let clock = self.clock(end);
            let due: Vec<_> =
                self.wire.range(..=(self.now, u64::MAX)).map(|(key, (to, _))| (*key, *to)).collect();
            for (key, _) in due.into_iter().filter(|(_, to)| *to == end) {
                let (_, datagram) = self.wire.remove(&key).unwrap();
                self.sessions[end].on_datagram(clock, PathId::FIRST, false, &datagram);
                self.note(end);
            }
            if self.sessions[end].deadline() <= clock {
                self.sessions[end].on_timer(clock);
            }
            let mut out = Vec::new();
            while self.sessions[end].poll_transmit(clock, PathId::FIRST, &mut out).is_some() {
                self.sent += 1;
                self.wire.insert((self.now + DELAY, self.sent), (1 - end, out.clone()));
            }
            self.note(end);
        }
        self.now += ms(1);
    }

    fn note(&mut self, end: usize) {
        while let Some(event) = self.sessions[end].poll_event() {
            if let (VEHICLE, Event::Delivered(delivered)) = (end, event) {
                let issued = MonoTime::ZERO
                    + Duration::from_millis(u64::from_le_bytes(delivered.payload[..8].try_into().unwrap()));
                self.came.push(Came { issued, true_age: self.now.since(issued), delivered });
            }
        }
    }

    fn drive(&mut self, flow: FlowId, until: MonoTime) {
        while self.now < until {
            if self.now.as_nanos().is_multiple_of(COMMANDS_EVERY.as_nanos() as u64) {
                let clock = self.clock(OPERATOR);
                let payload = (self.now.as_nanos() / 1_000_000).to_le_bytes();
                self.sessions[OPERATOR].publish(clock, flow, clock, &payload).unwrap();
            }
            if self.now.as_nanos().is_multiple_of(PICTURES_EVERY.as_nanos() as u64) && !self.stands(VEHICLE) {
                let clock = self.clock(VEHICLE);
                self.sessions[VEHICLE].publish(clock, self.camera, clock, &[5; 50_000]).unwrap();
            }
            self.turn();
        }
    }
}

#[test]
fn what_waited_for_a_paused_machine_is_not_taken_for_young_and_ages_are_known_again_within_a_second() {
    let (pause, span) = (at_ms(5_000), ms(8_000));
    let (mut rig, flow) = Rig::new(pause, span);
    rig.drive(flow, pause + span + ms(3_000));
    let stale: Vec<_> =
        rig.came.iter().filter(|came| came.true_age > LIFESPAN * 2 && came.passes()).collect();
    // Nothing tells the first ones from packets that were not held up: until they contradict a round trip.
    let told_apart = COMMANDS_EVERY.max(DELAY * 2) * 2;
    let last = stale.iter().map(|came| came.issued).max().unwrap_or(pause);
    assert!(
        last <= pause + told_apart,
        "{} passed, the last issued {:?} into the pause",
        stale.len(),
        last.since(pause)
    );
    let known = rig.came.iter().filter(|came| came.issued >= pause + span + ms(1_000));
    let (mut count, mut passed) = (0, 0);
    for came in known {
        let wrong = came.delivered.age.abs_diff(came.true_age);
        assert!(wrong <= came.delivered.age_error, "wrong by {wrong:?}, told {:?}", came.delivered.age_error);
        (count, passed) = (count + 1, passed + u32::from(came.passes()));
    }
    assert!(count > 90 && passed == count, "{passed} of {count} commands pass again");
}

#[test]
fn after_a_pause_the_rate_and_the_round_trip_are_soon_what_they_were() {
    let (pause, span) = (at_ms(5_000), ms(8_000));
    let (mut rig, flow) = Rig::new(pause, span);
    rig.drive(flow, pause);
    let before = rig.sessions[VEHICLE].stats();
    rig.drive(flow, pause + span + ms(1_500));
    let after = rig.sessions[VEHICLE].stats();
    assert!(
        after.own_queue + after.foreign_queue <= ms(5),
        "{:?} {:?}",
        after.own_queue,
        after.foreign_queue
    );
    assert!(after.min_rtt >= DELAY * 2, "{:?}", after.min_rtt);
    assert!(after.rate_bps > before.rate_bps / 3.0, "{} of {}", after.rate_bps, before.rate_bps);
}
