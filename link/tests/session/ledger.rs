//! Outcomes close (LNK-5), on networks made up from seeds: at the sender, at the receiver and end to end.
//!
//! A virtual time that stands still would be a busy loop of the owner's; the simulation stops at one with a message.

use crate::world::networks::made_up;
use crate::world::stream::{Fate, Stream};
use crate::world::{World, at_ms, keep_all, link_qos, ms, named, other, reliable, with_lifespan};
use tokkyu_contract::{Class, Durability, Ledger, MonoTime, Outcome, Qos};
use tokkyu_link::core::SessionConfig;
use tokkyu_link::core::sent::{Content, NewPacket, SentLog, Settled};
use tokkyu_link::sim::network::End;
use tokkyu_link::sim::path::Profile;

const MADE_UP: u64 = 48;
const MEMORY: usize = 4_000_000;

/// One flow of every kind, the image direction filled to about two thirds of `bps`.
fn every_kind_of_flow(world: &mut World, bps: f64) -> Vec<Stream> {
    let image = (bps * 0.1 * 0.2 / 8.0).clamp(100.0, 150_000.0) as usize;
    let small = (image / 8).min(5_000);
    let latched = Qos { durability: Durability::TransientLocal, ..reliable(2) };
    let (v, o) = (End::Vehicle, End::Operator);
    vec![
        world.stream(v, Class::Realtime, link_qos(), image, ms(100)),
        world.stream(v, Class::Realtime, with_lifespan(reliable(1), 200), image, ms(100)),
        world.stream(v, Class::Realtime, with_lifespan(Qos::sensor_data(), 300), small, ms(100)),
        world.stream(v, Class::BestEffort, with_lifespan(keep_all(), 800), small, ms(100)),
        world.stream(v, Class::BestEffort, keep_all(), small / 2, ms(100)),
        world.stream(v, Class::Background, latched, small, ms(200)),
        world.stream(v, Class::Control, with_lifespan(reliable(10), 150), 64, ms(50)),
        world.stream(o, Class::Control, with_lifespan(reliable(10), 150), 64, ms(20)),
        world.stream(o, Class::Realtime, Qos::sensor_data(), 200, ms(50)),
    ]
}

fn run(profile: &Profile, bps: f64, seed: u64) -> (World, Vec<Stream>) {
    let config = SessionConfig { memory_bytes: MEMORY, ..SessionConfig::default() };
    let mut world = World::with_config(profile, seed, config);
    let mut streams = every_kind_of_flow(&mut world, bps);
    let mut all: Vec<&mut Stream> = streams.iter_mut().collect();
    for quarter in 1..=12 {
        world.drive(&mut all, at_ms(quarter * 250));
        for end in End::BOTH {
            let stats = world.network.session(end).stats();
            assert!(stats.memory_in <= MEMORY, "{} bytes of incomplete samples", stats.memory_in);
            assert!(stats.memory_out <= MEMORY, "{} bytes on their way out", stats.memory_out);
        }
    }
    world.run_to(at_ms(4_500));
    world.close();
    (world, streams)
}

fn count(fates: impl Iterator<Item = Option<Outcome>>) -> Ledger {
    let mut ledger = Ledger::default();
    for outcome in fates.flatten() {
        ledger.offer();
        ledger.settle(outcome);
    }
    ledger
}

/// Sender's and receiver's book of one stream, and whether they can both be true.
fn check(world: &mut World, stream: &Stream) {
    let fates = world.fates(stream);
    let sent = world.network.session(stream.from).sent_ledger(stream.flow);
    let received = world.network.session(other(stream.from)).received_ledger(stream.reader);
    let name = format!("{:?} {:?}", stream.from, stream.flow);
    assert!(sent.closes(), "{name}, sender: {sent}");
    assert!(received.closes(), "{name}, receiver: {received}");
    assert_eq!(sent.offered, fates.len() as u64, "{name}: every sample published is in the book");
    assert_eq!(sent, count(fates.values().map(|fate| fate.sender)), "{name}: the book and what was told");
    let delivered = fates.values().filter(|fate| fate.arrival.is_some()).count() as u64;
    assert_eq!(received.delivered, delivered, "{name}: {received}");
    assert!(received.offered <= sent.offered, "{name}: {received} of {sent}");
    for (sequence, fate) in fates {
        assert!(consistent(&fate), "{name} #{sequence}: {fate:?}");
    }
}

/// Delivered once at most, missed only when not delivered; and what the sender calls delivered was complete.
fn consistent(fate: &Fate) -> bool {
    let one_end = fate.deliveries + u32::from(fate.receiver.is_some()) <= 1;
    let was_complete = fate.arrival.is_some()
        || matches!(fate.receiver, Some(Outcome::Late | Outcome::Dropped | Outcome::Lost));
    one_end && (fate.sender != Some(Outcome::Delivered) || was_complete)
}

fn all_ledgers_close(seeds: std::ops::Range<u64>) {
    let mut delivered = 0;
    for seed in seeds {
        let (profile, bps) = made_up(seed);
        let (mut world, streams) = run(&profile, bps, seed);
        for stream in &streams {
            check(&mut world, stream);
            delivered += world.network.session(stream.from).sent_ledger(stream.flow).delivered;
        }
    }
    assert!(delivered > 2_000, "{delivered} samples delivered: too few to show anything");
}

/// LNK-5, LNK-6.
#[test]
fn ledgers_close_at_both_ends_and_agree_on_made_up_networks() {
    all_ledgers_close(0..MADE_UP / 2);
}

/// LNK-5, LNK-6: the other half, so that two processors share them.
#[test]
fn ledgers_close_at_both_ends_and_agree_on_more_made_up_networks() {
    all_ledgers_close(MADE_UP / 2..MADE_UP);
}

/// LNK-5 on the networks that have a name.
#[test]
fn ledgers_close_at_both_ends_and_agree_on_the_named_networks() {
    let names = ["lan-loss5-both", "wan-loss5", "wan-burst5", "wifi", "narrow", "policer", "shallow"];
    for (seed, name) in names.into_iter().enumerate() {
        let (mut world, streams) = run(&named(name), 25e6, seed as u64);
        streams.iter().for_each(|stream| check(&mut world, stream));
    }
}

/// LNK-5: a session that ends in the middle of everything closes its books too.
#[test]
fn ledgers_close_when_the_session_ends_in_the_middle() {
    for seed in 0..20 {
        let (profile, bps) = made_up(seed);
        let mut world = World::new(&profile, seed);
        let mut streams = every_kind_of_flow(&mut world, bps * 2.0);
        let mut all: Vec<&mut Stream> = streams.iter_mut().collect();
        world.drive(&mut all, at_ms(300 + 37 * seed));
        world.close();
        for stream in &streams {
            let sent = world.network.session(stream.from).sent_ledger(stream.flow);
            let received = world.network.session(other(stream.from)).received_ledger(stream.reader);
            assert!(sent.closes() && received.closes(), "{:?}: {sent}; {received}", stream.flow);
        }
        for end in End::BOTH {
            assert_eq!(world.network.session(end).stats().memory_in, 0);
        }
    }
}

/// LNK-40: a packet that is missing and older than the timeout is given up, or [`SentLog::deadline`] stays in the past.
#[test]
fn the_log_of_sent_packets_never_asks_for_a_time_that_is_over() {
    let (srtt, timeout) = (ms(100), ms(120));
    let (mut log, mut settled) = (SentLog::default(), Settled::default());
    let send = |log: &mut SentLog, at: MonoTime| {
        let packet =
            NewPacket { at, bytes: 100, burst: 1, in_burst: 0, content: Content::Nothing, watched: true };
        log.record(packet, &mut Settled::default())
    };
    let received = |highest: u64, bitmap: u64| {
        let mut feedback = crate::world::peer::feedback(highest as u32);
        feedback.words = 1;
        feedback.bitmap[0] = bitmap;
        feedback
    };
    // A packet overtaken by 20 ms makes the reordering window 20 ms and more.
    send(&mut log, at_ms(1_000));
    send(&mut log, at_ms(1_000));
    log.on_feedback(at_ms(1_100), &received(1, 0b01), srtt, &mut settled);
    log.on_feedback(at_ms(1_120), &received(1, 0b11), srtt, &mut settled);
    assert!(log.reorder_window() >= ms(20), "{:?}", log.reorder_window());
    // The next one lost shows shortly before its timeout.
    send(&mut log, at_ms(2_000));
    send(&mut log, at_ms(2_000));
    log.on_feedback(at_ms(2_119), &received(3, 0b1101), srtt, &mut settled);
    for now in [2_119, 2_120, 2_121, 2_130, 2_150, 2_200].map(at_ms) {
        if log.deadline(timeout) <= now {
            log.on_timer(now, timeout, &mut settled);
        }
        assert!(log.deadline(timeout) > now, "asks for {} at {now}", log.deadline(timeout));
    }
    assert_eq!(log.under_way(), 0);
}
