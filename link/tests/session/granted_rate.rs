//! The rate that a declaration grants (LNK-75): whatever it is, the link runs at it and not faster, and control does
//! not wait for it.

use crate::world::bench::{Bench, Packet};
use crate::world::{World, at_ms, link_qos, ms, named, reliable, with_lifespan};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime};
use tokkyu_link::core::SessionConfig;
use tokkyu_link::core::loss::OwnLoss;
use tokkyu_link::core::mark::Mark;
use tokkyu_link::core::rate::{RateEstimator, Rtt};
use tokkyu_link::sim::network::End;

/// From the smallest rate that a declaration may grant (CON-24) to the largest, and those around the estimate's bounds.
const GRANTED: [u64; 16] = [
    1,
    2,
    7,
    100,
    1_000,
    50_000,
    63_999,
    64_000,
    64_001,
    479_999,
    480_000,
    1_000_000,
    20_000_000,
    10_000_000_000,
    10_000_000_001,
    u64::MAX,
];

fn granted(bps: u64) -> SessionConfig {
    SessionConfig { max_bps: bps as f64, ..SessionConfig::default() }
}

/// LNK-75, LNK-50.
#[test]
fn control_arrives_whatever_rate_was_granted() {
    for (bps, network) in GRANTED.into_iter().flat_map(|bps| ["wan", "wan-loss5"].map(|name| (bps, name))) {
        let mut world = World::with_config(&named(network), 1, granted(bps));
        let mut camera = world.stream(End::Vehicle, Class::Realtime, link_qos(), 40_000, ms(100));
        let commands = with_lifespan(reliable(10), 500);
        let mut to = world.stream(End::Operator, Class::Control, commands, 64, ms(20));
        let mut back = world.stream(End::Vehicle, Class::Control, commands, 64, ms(20));
        world.drive(&mut [&mut camera, &mut to, &mut back], at_ms(4_000));
        world.run_to(at_ms(5_000));
        for (from, stream) in [("operator", &to), ("vehicle", &back)] {
            let arrived = world.latencies(stream, at_ms(0)).len();
            assert!(arrived >= 195, "{bps} bit/s, {network}: {arrived} of 200 from the {from}");
        }
        let stats = world.network.session(End::Vehicle).stats();
        assert!(stats.rate_bps > 0.0 && stats.rate_bps <= bps as f64, "{bps} bit/s: {}", stats.rate_bps);
    }
}

/// LNK-75, LNK-60: pictures without end, over a path that falls silent again and again.
#[test]
fn nothing_but_control_exceeds_the_rate_that_was_granted() {
    for bps in GRANTED.into_iter().filter(|bps| *bps <= 20_000_000) {
        let is_silent = |packet: &Packet| packet.at.as_nanos() / 1_000_000 % 1_000 > 700;
        let mut bench = Bench::new(ms(20), granted(bps), is_silent);
        let image = bench.advertise(End::Vehicle, "image", Class::Realtime, link_qos());
        // It goes on through the silence, and so ends it.
        let command = bench.advertise(End::Vehicle, "command", Class::Control, reliable(1));
        for topic in ["image", "command"] {
            bench.subscribe(End::Operator, topic, link_qos());
        }
        for tag in 0..100 {
            bench.publish(End::Vehicle, image, tag, 400_000);
            bench.publish(End::Vehicle, command, tag, 64);
            bench.run_to(bench.now + ms(100));
        }
        assert!(bench.session(End::Vehicle).stats().silences > 5, "{bps} bit/s");
        assert_within_grant(bps, &bench.tap.iter().filter(|p| p.carries(image)).collect::<Vec<_>>());
    }
}

/// From the start to each packet no more than the rate allows: the train (LNK-64), which is none or lasts a tenth of a
/// second at the rate, one of half that after each silence (LNK-65), a bucket, and the packet that empties it.
fn assert_within_grant(bps: u64, packets: &[&Packet]) {
    assert!(!packets.is_empty(), "{bps} bit/s: no packet at all");
    let overhead = SessionConfig::default().overhead_bytes;
    let mut bits = 0.0;
    for packet in packets {
        let trains = 0.1 + 0.05 * packet.at.as_nanos().div_ceil(1_000_000_000) as f64;
        let of_trains = if bps < 480_000 { 0.0 } else { trains };
        bits += 8.0 * (packet.bytes + overhead) as f64;
        let (since, of_packet) = (packet.at.as_nanos() as f64 / 1e9, 8.0 * 1_531.0);
        let most = bps as f64 * (since + of_trains + 0.001) + of_packet;
        assert!(bits <= most, "{bps} bit/s: {bits} bits until {since} s, {most} were granted");
    }
}

/// LNK-75: whatever the peer tells, the estimate stays a number, above nothing and within the grant.
#[test]
fn the_estimate_stays_within_the_grant_whatever_is_fed_back() {
    for (bps, seed) in GRANTED.into_iter().flat_map(|bps| (1..=20).map(move |seed| (bps, seed))) {
        let mut chance = Pcg64Mcg::new(seed);
        let mut rate = RateEstimator::new(bps as f64, 97);
        let (mut now, mut mark) = (MonoTime::from_millis(1), Mark { number: 0, ..odd_mark(&mut chance) });
        for step in 0..500 {
            now += Duration::from_nanos(1 << (chance.next_u32() % 31));
            mark =
                Mark { number: mark.number + 1 + u64::from(chance.next_u32() % 20), ..odd_mark(&mut chance) };
            mark.sent_at = now;
            mark.bytes_sent = mark.number * 1_434;
            rate.on_sent();
            if chance.next_u32().is_multiple_of(4) {
                rate.on_hungry(now);
            }
            if chance.next_u32().is_multiple_of(50) {
                rate.on_path_back();
            }
            rate.on_feedback(now, mark, odd_rtt(&mut chance), odd_loss(&mut chance), odd_span(&mut chance));
            for found in [rate.rate_bps(), rate.known_bps()] {
                let is_within = found > 0.0 && found <= bps as f64;
                assert!(is_within, "{bps} bit/s, seed {seed}, step {step}: {found}");
            }
            assert!(rate.pacing_bps() > 0.0 && rate.pacing_bps().is_finite(), "{bps} bit/s, seed {seed}");
        }
    }
}

fn odd_mark(chance: &mut Pcg64Mcg) -> Mark {
    Mark {
        number: 0,
        burst: chance.next_u32() % 2,
        in_burst: chance.next_u32() % 64,
        sent_at: MonoTime::ZERO,
        bytes_sent: 0,
        received_us: chance.next_u32() >> (chance.next_u32() % 32),
        bytes_received: chance.next_u32() >> (chance.next_u32() % 32),
        one_way_nanos: (chance.next_u64() >> (chance.next_u32() % 64)) as i64 >> 2,
    }
}

fn odd_span(chance: &mut Pcg64Mcg) -> Duration {
    Duration::from_nanos(u64::from(chance.next_u32() >> (chance.next_u32() % 32)))
}

fn odd_rtt(chance: &mut Pcg64Mcg) -> Rtt {
    Rtt { min: odd_span(chance), smoothed: odd_span(chance) }
}

fn odd_loss(chance: &mut Pcg64Mcg) -> OwnLoss {
    OwnLoss { share: f64::from(chance.next_u32() % 11) / 10.0, dispersion: 1.0 }
}
