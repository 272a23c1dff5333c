//! Clocks that stand, leap or drift (LNK-4): whatever they do, a sample's age is told within the error told with it.
//!
//! One end's clock stands for a while, as that of a paused machine does, or both drift, on paths of any round trip and
//! jitter. What no stamps can tell is left out of the count, and nothing else: until an answer to a packet sent after
//! the jump is back, it looks like a queue.

use crate::world::networks::Draw;
use crate::world::{at_ms, ms, publication, reliable, subscription, with_lifespan};
use std::collections::BTreeMap;
use std::time::Duration;
use tokkyu_contract::{Class, FlowId, MonoTime};
use tokkyu_link::core::{Delivered, Event, PathId, Session, SessionConfig};

const EVERY: Duration = Duration::from_millis(20);
/// The end's clocks begin so far apart.
const APART: [Duration; 2] = [Duration::from_secs(10_000), Duration::from_secs(11_234)];
const JUMP_AT: MonoTime = MonoTime::from_millis(6_000);

/// What happens to the clocks.
#[derive(Clone, Copy, Debug)]
struct Plan {
    rtt: Duration,
    /// Added to each packet's way, evenly spread up to this.
    jitter: Duration,
    /// The end whose machine stands at [`JUMP_AT`], and for how long.
    end: usize,
    stands: Duration,
    drift_ppm: [i64; 2],
    /// The system tells the end that stood for how long it did, as one does that suspends its machine.
    is_told: bool,
    /// The clock of the end that stands goes on: only its program was stopped.
    is_clock_running: bool,
    /// A queue on one way, of so much: from end 0, or from end 1.
    queue: [Duration; 2],
    seed: u64,
}

impl Plan {
    fn steady(rtt: Duration, jitter: Duration, seed: u64) -> Plan {
        Plan {
            rtt,
            jitter,
            end: 0,
            stands: Duration::ZERO,
            drift_ppm: [0; 2],
            is_told: false,
            is_clock_running: false,
            queue: [Duration::ZERO; 2],
            seed,
        }
    }

    /// What `end`'s clock says at `now`.
    fn clock(&self, end: usize, now: MonoTime) -> MonoTime {
        let stands = end == self.end && !self.is_clock_running;
        let stood = if stands { now.since(JUMP_AT).min(self.stands) } else { Duration::ZERO };
        let ran = now.saturating_sub(stood).as_nanos() as i64;
        MonoTime::ZERO
            + APART[end]
            + Duration::from_nanos((ran + ran / 1_000_000 * self.drift_ppm[end]) as u64)
    }

    fn is_standing(&self, end: usize, now: MonoTime) -> bool {
        end == self.end && now >= JUMP_AT && now < JUMP_AT + self.stands
    }

    fn awake(&self) -> MonoTime {
        JUMP_AT + self.stands
    }

    /// Until an answer to a packet sent after the jump is back.
    fn settled(&self) -> MonoTime {
        self.awake() + self.rtt + self.jitter * 2 + EVERY * 2
    }
}

/// A sample that came.
struct Came {
    to: usize,
    at: MonoTime,
    issued: MonoTime,
    delivered: Delivered,
}

impl Came {
    fn true_age(&self) -> Duration {
        self.at.since(self.issued)
    }

    fn is_told_right(&self) -> bool {
        let wrong = self.true_age().abs_diff(self.delivered.age);
        wrong <= self.delivered.age_error.saturating_add(Duration::from_micros(1))
    }

    fn oldest_told(&self) -> Duration {
        self.delivered.age.saturating_add(self.delivered.age_error).saturating_add(Duration::from_micros(1))
    }
}

struct Rig {
    plan: Plan,
    now: MonoTime,
    sessions: [Session; 2],
    flows: [FlowId; 2],
    draw: Draw,
    /// What is on its way to each end.
    wire: [BTreeMap<(MonoTime, u64), Vec<u8>>; 2],
    sent: u64,
    came: Vec<Came>,
}

impl Rig {
    fn new(plan: Plan) -> Rig {
        let config = SessionConfig { handshake_rtt: Some(plan.rtt), ..SessionConfig::default() };
        let mut sessions = [Session::new(config.clone()), Session::new(config)];
        let flows = [0, 1].map(|end: usize| {
            sessions[1 - end].subscribe(subscription("beat", reliable(1))).unwrap();
            sessions[end].advertise(publication("beat", Class::Control, reliable(1))).unwrap()
        });
        let (now, wire) = (MonoTime::ZERO, [BTreeMap::new(), BTreeMap::new()]);
        Rig { plan, now, sessions, flows, draw: Draw::new(plan.seed), wire, sent: 0, came: Vec::new() }
    }

    /// What is due arrives, timers ring, packets leave.
    fn turn(&mut self, end: usize) {
        let clock = self.plan.clock(end, self.now);
        while let Some(due) = self.wire[end].first_entry().filter(|due| due.key().0 <= self.now) {
            let datagram = due.remove();
            self.sessions[end].on_datagram(clock, PathId::FIRST, false, &datagram);
            self.note(end);
        }
        if self.sessions[end].deadline() <= clock {
            self.sessions[end].on_timer(clock);
        }
        let mut out = Vec::new();
        while self.sessions[end].poll_transmit(clock, PathId::FIRST, &mut out).is_some() {
            self.sent += 1;
            let jitter = Duration::from_nanos(self.draw.below(self.plan.jitter.as_nanos() as u64 + 1));
            let arrives = self.now + self.plan.rtt / 2 + self.queue(end) + jitter;
            // The socket of a machine that stands holds no more.
            if self.wire[1 - end].len() < 10_000 {
                self.wire[1 - end].insert((arrives, self.sent), out.clone());
            }
        }
        self.note(end);
    }

    /// Queues stand for nine seconds.
    fn queue(&self, end: usize) -> Duration {
        let stands = self.now >= at_ms(3_000) && self.now < at_ms(12_000);
        if stands { self.plan.queue[end] } else { Duration::ZERO }
    }

    fn note(&mut self, end: usize) {
        while let Some(event) = self.sessions[end].poll_event() {
            let Event::Delivered(delivered) = event else { continue };
            let issued = u64::from_le_bytes(delivered.payload[..8].try_into().unwrap());
            let issued = MonoTime::from_nanos(issued);
            self.came.push(Came { to: end, at: self.now, issued, delivered });
        }
    }

    /// Both ends publish at a beat of the true time; one that stands does not.
    fn run_to(&mut self, until: MonoTime) {
        let fine = if self.plan.rtt < ms(10) { Duration::from_micros(250) } else { ms(1) };
        while self.now < until {
            let is_long = self.now >= JUMP_AT + ms(60_000) && self.now + EVERY * 2 < self.plan.awake();
            let step = if is_long { EVERY } else { fine };
            for end in [0, 1] {
                if self.plan.is_standing(end, self.now) {
                    continue;
                }
                if self.now.as_nanos().is_multiple_of(EVERY.as_nanos() as u64) {
                    let clock = self.plan.clock(end, self.now);
                    let payload = self.now.as_nanos().to_le_bytes();
                    self.sessions[end].publish(clock, self.flows[end], clock, &payload).unwrap();
                }
                if self.plan.is_told && end == self.plan.end && self.now == self.plan.awake() {
                    let clock = self.plan.clock(end, self.now);
                    self.sessions[end].on_suspended(clock, self.plan.stands);
                }
                self.turn(end);
            }
            self.now += step;
        }
    }
}

/// Runs `plan`; gives what came.
fn run(plan: Plan, for_so_long: Duration) -> Vec<Came> {
    let mut rig = Rig::new(plan);
    rig.run_to(plan.awake() + for_so_long);
    rig.came
}

/// The plan's samples that are told wrongly after all could be known, and those told too young while it could not.
fn faults(plan: Plan) -> Vec<String> {
    let came = run(plan, ms(11_000));
    let tell = |what: &str, came: &Came| {
        let Delivered { age, age_error, .. } = &came.delivered;
        format!(
            "{plan:?} end {} at {}: {what}: {:?} told {age:?} ± {age_error:?}",
            came.to,
            came.at,
            came.true_age()
        )
    };
    let mut faults = Vec::new();
    let (mut known, mut all) = (0, 0);
    for came in &came {
        let jumps = !plan.stands.is_zero() && !plan.is_clock_running;
        let in_doubt = jumps && came.at >= JUMP_AT && came.at < plan.settled();
        // What waited for a machine that stood looks young until it contradicts a round trip.
        let waited = came.to == plan.end && came.issued < JUMP_AT + plan.rtt + plan.jitter + EVERY * 2;
        if !in_doubt && !came.is_told_right() {
            faults.push(tell("wrong", came));
        } else if in_doubt && !waited && came.oldest_told() < came.true_age() {
            faults.push(tell("too young", came));
        }
        let later = came.at > plan.settled() + plan.rtt + plan.queue[0] + plan.queue[1] + ms(100);
        all += u32::from(later);
        known += u32::from(later && came.delivered.age_error < Duration::MAX);
    }
    if known * 100 < all * 98 || all < 200 {
        faults.push(format!("{plan:?}: only {known} of {all} known"));
    }
    faults.truncate(2);
    faults
}

const ROUND_TRIPS_MS: [u64; 5] = [2, 20, 100, 200, 600];

/// From a millisecond to ten seconds, each half again as long, and what machines are suspended for.
fn stands() -> Vec<Duration> {
    let mut stands: Vec<_> =
        (0..24).map(|n| Duration::from_micros((1_000.0 * 1.5_f64.powi(n)) as u64)).collect();
    stands.extend([ms(8_000), ms(40_000)]);
    stands
}

fn check(plans: impl Iterator<Item = Plan>) {
    let mut faults: Vec<String> = plans.flat_map(faults).collect();
    let count = faults.len();
    faults.truncate(12);
    assert!(faults.is_empty(), "{count}:\n{}", faults.join("\n"));
}

#[test]
fn an_age_is_told_within_its_error_whatever_a_clock_stands_for() {
    let drifts = [[0, 0], [500, 0], [0, 500], [-500, 0], [0, -500], [500, -500]];
    let grid =
        ROUND_TRIPS_MS.into_iter().flat_map(|rtt| stands().into_iter().map(move |stands| (rtt, stands)));
    check(grid.enumerate().flat_map(|(nth, (rtt_ms, stands))| {
        [0, 1].map(|end| {
            let jitter = [Duration::ZERO, ms(rtt_ms) / 8, ms(rtt_ms) / 2][nth % 3];
            let steady = Plan::steady(ms(rtt_ms), jitter, nth as u64);
            Plan { end, stands, drift_ppm: drifts[(nth + end) % drifts.len()], ..steady }
        })
    }));
}

#[test]
fn an_age_is_told_within_its_error_after_an_hours_stand_at_either_end() {
    let plan = |end| Plan { end, stands: ms(3_600_000), ..Plan::steady(ms(20), ms(4), 1) };
    check([0, 1].map(plan).into_iter());
}

#[test]
fn a_queue_hides_no_stand_that_ends_within_it() {
    let queues = [[100, 0], [0, 100]].map(|queue| queue.map(ms));
    check(queues.into_iter().flat_map(|queue| {
        stands().into_iter().step_by(2).enumerate().flat_map(move |(nth, stands)| {
            [0, 1].map(|end| Plan { end, stands, queue, ..Plan::steady(ms(20), ms(4), nth as u64) })
        })
    }));
}

#[test]
fn with_steady_clocks_the_error_is_half_the_round_trip_and_what_they_drift_apart_while_a_queue_stands() {
    let queues = [[0, 0], [300, 0], [0, 300], [300, 0], [0, 300]];
    for (nth, queue) in queues.into_iter().enumerate() {
        let drift_ppm = [[0, 0], [0, 0], [0, 0], [500, -500], [-500, 500]][nth];
        let plan = Plan { queue: queue.map(ms), drift_ppm, ..Plan::steady(ms(20), ms(4), nth as u64) };
        let came = run(plan, ms(11_000));
        // A queue that goes at once looks like a clock that stood, until the next answer.
        let in_doubt = at_ms(12_000)..at_ms(12_080);
        let known = came.iter().filter(|came| came.at > at_ms(1_000) && !in_doubt.contains(&came.at));
        let most = known.map(|came| {
            assert!(came.is_told_right(), "{queue:?} {drift_ppm:?} at {}: {:?}", came.at, came.delivered);
            (came.delivered.age_error.saturating_sub(came.delivered.age / 1_000), came.at)
        });
        let (most, at) = most.max().unwrap();
        let may_be = [ms(12), ms(17), ms(17), ms(21), ms(21)][nth];
        assert!(most < may_be, "{queue:?} {drift_ppm:?}: {most:?} at {at}");
    }
}

#[test]
fn a_program_that_was_stopped_goes_on_with_what_is_true_now() {
    for (end, secs) in [0, 1].into_iter().flat_map(|end| [8, 40, 3_600].map(|secs| (end, secs))) {
        let steady = Plan::steady(ms(20), ms(4), secs);
        let plan = Plan { end, stands: Duration::from_secs(secs), is_clock_running: true, ..steady };
        check([plan].into_iter());
        let mut rig = Rig::new(plan);
        rig.run_to(plan.awake() + ms(1_000));
        for session in &rig.sessions {
            let stats = session.stats();
            assert!((ms(20)..ms(30)).contains(&stats.min_rtt), "{plan:?}: {stats:?}");
            assert!(
                stats.rtt < ms(60) && stats.own_queue + stats.foreign_queue < ms(10),
                "{plan:?}: {stats:?}"
            );
        }
    }
}

#[test]
fn the_offset_told_is_that_of_the_clocks_and_capture_stamps_go_with_it() {
    let mut rig = Rig::new(Plan::steady(ms(20), ms(4), 1));
    rig.run_to(at_ms(1_000));
    let apart = (APART[1] - APART[0]).as_nanos() as i64;
    for (end, ahead) in [(0, apart), (1, -apart)] {
        let (offset, error) = rig.sessions[end].stats().clock_offset.unwrap();
        assert!(offset.abs_diff(ahead) <= error.as_nanos() as u64, "{offset} is not {ahead}");
    }
    let came = rig.came.last().unwrap();
    let captured = came.delivered.capture.as_nanos();
    let issued = (MonoTime::ZERO + APART[1 - came.to] + came.issued.since(MonoTime::ZERO)).as_nanos();
    assert!(captured.abs_diff(issued) < 1_000, "{captured} is not {issued}");
}

/// What a gate lets through: by its age, and by how well that is known.
const LIFESPAN: Duration = Duration::from_millis(150);

#[test]
fn after_a_suspend_of_either_end_no_stale_sample_passes_a_gate_and_fresh_ones_soon_do() {
    for (end, secs) in [0, 1].into_iter().flat_map(|end| [8, 40, 3_600].map(|secs| (end, secs))) {
        let steady = Plan::steady(ms(20), ms(4), secs);
        let plan = Plan { end, stands: Duration::from_secs(secs), is_told: true, ..steady };
        let came = run(plan, ms(2_000));
        let is_passed = |came: &&Came| came.delivered.age <= LIFESPAN && came.delivered.age_error <= LIFESPAN;
        let passed: Vec<_> = came.iter().filter(is_passed).collect();
        let stale = passed.iter().filter(|came| came.true_age() > LIFESPAN).count();
        assert_eq!(stale, 0, "end {end} suspended for {secs} s");
        let soon = plan.awake() + ms(200);
        let count = |came: &[&Came]| came.iter().filter(|came| came.issued >= soon).count();
        let (passed, all) = (count(&passed), count(&came.iter().collect::<Vec<_>>()));
        assert!(all > 100 && passed == all, "end {end}, {secs} s: {passed} of {all}");
    }
}

#[test]
fn what_waited_for_its_turn_while_the_machine_was_suspended_is_too_old_to_be_sent() {
    let plan = Plan::steady(ms(20), ms(4), 1);
    let mut rig = Rig::new(plan);
    let qos = with_lifespan(reliable(1), 150);
    let flow = rig.sessions[0].advertise(publication("late", Class::Realtime, qos)).unwrap();
    rig.sessions[1].subscribe(subscription("late", qos)).unwrap();
    rig.run_to(at_ms(1_000));
    let clock = plan.clock(0, rig.now);
    rig.sessions[0].publish(clock, flow, clock, &[0; 100]).unwrap();
    rig.sessions[0].on_suspended(clock, ms(8_000));
    let before = rig.came.len();
    rig.run_to(at_ms(1_500));
    assert!(rig.came[before..].iter().all(|came| came.delivered.payload.len() == 8), "it was sent");
    assert_eq!(rig.sessions[0].sent_ledger(flow).expired, 1);
}
