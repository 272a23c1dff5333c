//! What the link sends in any tenth of a second is what it grants itself (LNK-77), on every network that has a name, on
//! one whose capacity changes and halts, and where long packets cease to pass: commands, answers, repairs, parity and
//! probes included.

use crate::world::networks::{Draw, trace};
use crate::world::stream::Stream;
use crate::world::{World, at_ms, both, link_qos, ms, named, reliable, with_lifespan};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime};
use tokkyu_link::core::rate::TRAIN;
use tokkyu_link::core::{Event, SessionConfig, Stats, Way};
use tokkyu_link::sim::network::{End, Sending};
use tokkyu_link::sim::path::{Capacity, DirectionProfile, NAMES, Profile};

const SPAN: Duration = Duration::from_millis(100);
/// Above the rate: what does not wait for the pacer.
const UNPACED: f64 = 1.1;
/// Wire bits of the longest packet.
const PACKET_BITS: f64 = 8.0 * 1_531.0;
/// Frames of more bytes are lost under the fault: IP packets of more than 1 400.
const LONGEST: usize = 1_414;

fn wire_bits(sending: &Sending) -> f64 {
    8.0 * (sending.bytes + SessionConfig::default().overhead_bytes) as f64
}

/// The bucket of LNK-60 and the packet that empties it.
fn bucket_bits(stats: &Stats) -> f64 {
    let most = (stats.min_rtt / 64).clamp(Duration::from_micros(350), ms(1));
    let depth = Duration::from_micros(250).mul_f64((stats.rate_bps / 100e6).clamp(1.0, 4.0)).min(most);
    stats.rate_bps * depth.as_secs_f64() + PACKET_BITS
}

/// Trains under way (LNK-64, LNK-65): what is left of the last one, and what each packet took of it.
struct Trains {
    left: f64,
    before: Option<Stats>,
    holes: VecDeque<MonoTime>,
}

impl Trains {
    /// Whether `sending` waited for the pacer, and the bits of it that a train, or the bucket filled for it, paid.
    fn take(&mut self, sending: &Sending) -> (bool, f64) {
        let stats = &sending.stats;
        let is_hole_over = self.holes.front().is_some_and(|over| *over <= sending.at);
        is_hole_over.then(|| self.holes.pop_front());
        let is_back = self.before.is_some_and(|before| before.is_silent && !stats.is_silent);
        let probes = self.before.map_or(0, |before| before.packets_probe);
        if self.before.replace(*stats).is_none() {
            self.left = f64::from(TRAIN) * PACKET_BITS;
        } else if is_back || is_hole_over {
            let packets = (stats.rate_bps / 8.0 / 20.0 / 1_500.0).min(f64::from(TRAIN)).floor();
            self.left = packets * PACKET_BITS + bucket_bits(stats);
        }
        let is_paced = sending.class != Class::Control && stats.packets_probe == probes;
        let paid = if is_paced { wire_bits(sending).min(self.left) } else { 0.0 };
        self.left -= paid;
        (is_paced, paid)
    }
}

/// What was sent in one span.
#[derive(Default)]
struct Spent {
    all_bits: f64,
    paced_bits: f64,
    trains_bits: f64,
    feedbacks: u64,
}

/// A datagram and what of it waited for the pacer, or was let out by a train.
struct Counted<'a> {
    sending: &'a Sending,
    spent: Spent,
}

fn counted<'a>(sendings: &'a [Sending], mut trains: Trains) -> Vec<Counted<'a>> {
    let mut feedbacks = 0;
    let count = |sending: &'a Sending| {
        let bits = wire_bits(sending);
        let is_feedback = u64::from(sending.stats.packets_feedback > feedbacks);
        feedbacks = sending.stats.packets_feedback;
        let (is_paced, trains_bits) = trains.take(sending);
        let paced_bits = if is_paced { bits } else { 0.0 };
        Counted { sending, spent: Spent { all_bits: bits, paced_bits, trains_bits, feedbacks: is_feedback } }
    };
    sendings.iter().map(count).collect()
}

/// The largest parts of what LNK-77 lets out in a [`SPAN`] that were sent in one.
#[derive(Debug, Default)]
struct Most {
    /// Of the rate, bucket and trains, by what is paced.
    paced: (f64, String),
    /// Of a tenth more, by all.
    all: (f64, String),
}

fn most_of_grant(counted: &[Counted<'_>]) -> Most {
    let (mut first, mut before_bps, mut most) = (0, 0.0_f64, Most::default());
    for (last, Counted { sending, .. }) in counted.iter().enumerate() {
        while counted[first].sending.at + SPAN <= sending.at {
            before_bps = counted[first].sending.stats.rate_bps;
            first += 1;
        }
        let span = &counted[first..=last];
        let sum = |of: fn(&Spent) -> f64| span.iter().map(|counted| of(&counted.spent)).sum::<f64>();
        let bps = span.iter().map(|counted| counted.sending.stats.rate_bps).fold(before_bps, f64::max);
        let at_once = bucket_bits(&Stats { rate_bps: bps, ..sending.stats }) + sum(|spent| spent.trains_bits);
        let granted = bps * SPAN.as_secs_f64();
        let told = |bits: f64| {
            let at_s = sending.at.as_nanos() as f64 / 1e9;
            format!("{bits:.0} bits until {at_s:.3} s at {:.3} Mbit/s, {at_once:.0} at once", bps / 1e6)
        };
        raise(&mut most.paced, sum(|spent| spent.paced_bits), granted + at_once, told);
        raise(&mut most.all, sum(|spent| spent.all_bits), UNPACED * granted + at_once, told);
        let feedbacks: u64 = span.iter().map(|counted| counted.spent.feedbacks).sum();
        let received = sending.stats.packets_received - span[0].sending.stats.packets_received;
        assert!(feedbacks <= received + 2, "{feedbacks} answers to {received} packets, {}", told(0.0));
    }
    most
}

fn raise(most: &mut (f64, String), bits: f64, granted: f64, told: impl Fn(f64) -> String) {
    if bits / granted > most.0 {
        *most = (bits / granted, told(bits));
    }
}

/// Pictures to take.
#[derive(Clone, Copy, Debug)]
struct Cameras {
    count: usize,
    bytes: usize,
}

/// Cameras and commands over `profile` until `end`; what both ends sent, of what was granted.
fn drive(profile: &Profile, seed: u64, cameras: Cameras, end: MonoTime) -> [Most; 2] {
    let mut world = World::new(profile, seed);
    world.network.take_sendings();
    let mut streams: Vec<Stream> = (0..cameras.count)
        .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), cameras.bytes, ms(100)))
        .collect();
    let qos = with_lifespan(reliable(1), 150);
    streams.push(world.stream(End::Operator, Class::Control, qos, 64, ms(20)));
    world.drive(&mut streams.iter_mut().collect::<Vec<_>>(), end);
    let sendings = world.network.take_sendings();
    End::BOTH.map(|from| {
        let of_end: Vec<Sending> = sendings.iter().filter(|sending| sending.from == from).copied().collect();
        let is_over = |event: &Event| {
            matches!(
                event,
                Event::LongPacketsPass { way: Way::Out } | Event::PacketsCut { way: Way::Out, .. }
            )
        };
        let over = world.notes.iter().filter(|note| note.end == from && is_over(&note.event));
        let trains = Trains { left: 0.0, before: None, holes: over.map(|note| note.at).collect() };
        let most = most_of_grant(&counted(&of_end, trains));
        let (paced, all) = (most.paced.0, most.all.0);
        println!(
            "{}, {cameras:?}, seed {seed}, {from:?}: {paced:.3} by paced, {all:.3} by all",
            profile.name
        );
        most
    })
}

fn assert_paced_within_grant(profile: &Profile, seed: u64, cameras: Cameras, end: MonoTime) -> [Most; 2] {
    let most = drive(profile, seed, cameras, end);
    assert!(most.iter().all(|most| most.paced.0 <= 1.0), "{cameras:?}: {most:?}");
    most
}

fn assert_within_grant(profile: &Profile, seed: u64, cameras: Cameras, end: MonoTime) {
    let most = assert_paced_within_grant(profile, seed, cameras, end);
    assert!(most.iter().all(|most| most.all.0 <= 1.0), "{cameras:?}: {most:?}");
}

#[test]
fn on_every_network_no_tenth_of_a_second_takes_more_than_is_granted() {
    for (name, _) in NAMES.iter().filter(|(name, _)| *name != "trace:FILE") {
        for count in [1, 4] {
            assert_within_grant(&named(name), 1, Cameras { count, bytes: 374_000 }, at_ms(2_000));
        }
    }
}

/// In place of recordings, of which none is kept here.
#[test]
fn where_the_capacity_wanders_no_tenth_of_a_second_takes_more_than_is_granted() {
    for (seed, count) in [(1, 1), (2, 4), (3, 4)] {
        let mut draw = Draw::new(seed);
        let mut way = || DirectionProfile {
            capacity: Capacity::Trace(Arc::new(trace(&mut draw, 8_000_000))),
            queue_bytes: 1_000_000,
            delay: ms(20),
            ..DirectionProfile::default()
        };
        let profile = Profile { name: "trace".to_owned(), up: way(), down: way() };
        assert_within_grant(&profile, seed, Cameras { count, bytes: 374_000 }, at_ms(4_000));
    }
}

/// LNK-65: an end that sends nothing but commands and answers keeps its rate.
#[test]
fn however_often_the_path_falls_silent_no_tenth_of_a_second_takes_more_than_is_granted() {
    for (seed, rtt) in [(1, 2), (2, 10), (3, 50)] {
        let mut way = DirectionProfile::link(40_000_000, ms(rtt) / 2, 1_000_000);
        for silence in 0..8 {
            let from = ms(1_000 + 400 * silence);
            way = way.with_outage(from, from + ms(120 + 25 * silence));
        }
        for (count, bytes) in [(1, 374_000), (4, 374_000), (4, 3_000)] {
            let cameras = Cameras { count, bytes };
            assert_within_grant(&both("silences", way.clone()), seed, cameras, at_ms(4_500));
        }
    }
}

#[test]
fn where_long_packets_cease_to_pass_no_tenth_of_a_second_takes_more_than_is_granted() {
    for (seed, rtt) in [(1, 2), (2, 10), (3, 50)] {
        for (until, mbit) in [(10_000, None), (8_000, None), (10_000, Some(4))] {
            let wide = DirectionProfile { delay: ms(rtt) / 2, ..DirectionProfile::default() };
            let way =
                mbit.map_or(wide, |mbit| DirectionProfile::link(mbit * 1_000_000, ms(rtt) / 2, 100_000));
            let way = way.with_frames_lost(ms(6_000), ms(until), LONGEST);
            let cameras = Cameras { count: 1, bytes: 15_000 };
            assert_within_grant(&both("MTU fault", way), seed, cameras, at_ms(10_000));
        }
    }
}

/// Where answers and commands are more than a tenth of the rate they come on top, and pictures are still within it.
#[test]
fn on_a_thin_path_what_waits_for_the_pacer_takes_no_more_than_is_granted() {
    for kbit in [64, 256, 1_000] {
        let way = DirectionProfile::link(kbit * 1_000, ms(10), 100_000);
        let up = way.clone().with_frames_lost(ms(1_500), ms(2_500), LONGEST);
        let profile = Profile { name: format!("{kbit} kbit/s"), up, down: way };
        for (count, bytes) in [(4, 374_000), (1, 15_000), (4, 350)] {
            assert_paced_within_grant(&profile, 1, Cameras { count, bytes }, at_ms(4_000));
        }
    }
}
