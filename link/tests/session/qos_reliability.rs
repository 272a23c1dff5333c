//! Reliability (LNK-10, LNK-41 to LNK-44): what is made good, and what is sent exactly once.

use crate::world::bench::{Bench, Seen, lose_first};
use crate::world::{World, at_ms, keep_all, link_qos, ms, named, reliable, with_lifespan};
use std::collections::BTreeSet;
use std::time::Duration;
use tokkyu_contract::{Class, FlowId, Outcome, Qos};
use tokkyu_link::core::SessionConfig;
use tokkyu_link::sim::network::End;

const IMAGE_BYTES: usize = 374_000;
const SEEDS: u64 = 5;

/// LNK-10: at 5 % a picture of 266 packets survives with a chance of 10⁻⁶.
#[test]
fn best_effort_at_five_percent_loses_nearly_every_image_and_repairs_none() {
    for seed in 1..=SEEDS {
        let mut world = World::new(&named("wan-loss5"), seed);
        let qos = with_lifespan(Qos::sensor_data(), 500);
        let mut images = world.stream(End::Vehicle, Class::Realtime, qos, IMAGE_BYTES, ms(100));
        world.drive(&mut [&mut images], at_ms(2_000));
        world.run_to(at_ms(3_000));
        let delivered = world.fates(&images).values().filter(|fate| fate.arrival.is_some()).count();
        assert!(delivered <= 1, "{delivered} of 20 images of 266 packets came through 5 % loss unrepaired");
        let stats = world.network.session(End::Vehicle).stats();
        assert_eq!(
            (stats.packets_parity, stats.packets_fresh),
            (0, 20 * 266 + 1),
            "each shard once, and the table"
        );
        assert!(stats.packets_repair < 5, "only the table is repaired: {}", stats.packets_repair);
        world.close();
        let fates = world.fates(&images);
        assert!(
            fates.values().all(|f| f.sender == Some(Outcome::Lost) || f.sender == Some(Outcome::Delivered))
        );
    }
}

/// LNK-10, on the wire itself.
#[test]
fn best_effort_puts_no_packet_on_the_wire_twice() {
    let mut bench = Bench::new(ms(10), SessionConfig::default(), |packet| packet.nth % 7 == 3);
    let qos = Qos::sensor_data();
    let image = bench.advertise(End::Vehicle, "image", Class::Realtime, qos);
    let small = bench.advertise(End::Vehicle, "small", Class::Control, qos);
    for topic in ["image", "small"] {
        bench.subscribe(End::Operator, topic, qos);
    }
    bench.run_to(at_ms(100));
    for tag in 0..20 {
        bench.publish(End::Vehicle, image, tag, 50_000);
        bench.publish(End::Vehicle, small, tag, 64);
        bench.run_to(bench.now + ms(50));
    }
    bench.run_to(bench.now + ms(1_000));
    let mut seen = BTreeSet::new();
    let mut count = 0;
    for frame in bench.tap.iter().flat_map(|packet| &packet.frames) {
        let (id, index) = match frame {
            Seen::Fragment { id, k, index } => {
                assert!(index < k, "parity of a best effort flow: {frame:?}");
                (*id, *index)
            }
            Seen::Sample { id } if id.flow != FlowId::SESSION => (*id, 0),
            _ => continue,
        };
        count += 1;
        assert!(seen.insert((id, index)), "sent twice: {frame:?}");
    }
    assert_eq!(count, 20 * (36 + 1), "36 shards an image");
}

/// LNK-10, LNK-41: a lifespan of half a second has room for several repairs.
#[test]
fn reliable_at_five_percent_delivers_every_image_once_and_intact() {
    for seed in 1..=SEEDS {
        for network in ["lan-loss5-both", "wan-loss5", "wan-burst5"] {
            let mut world = World::new(&named(network), seed);
            let mut images = world.stream(End::Vehicle, Class::Realtime, link_qos(), 100_000, ms(50));
            world.drive(&mut [&mut images], at_ms(2_000));
            world.run_to(at_ms(3_000));
            let mut tags = world.tags(End::Operator, images.reader);
            tags.sort_unstable();
            assert_eq!(tags, (0..40).collect::<Vec<u32>>(), "{network}");
        }
    }
}

/// LNK-44: commands lost with 20 % each way all come, most of them with the next command.
#[test]
fn small_reliable_samples_all_come_and_a_lost_one_comes_with_the_next() {
    let mut late = Vec::new();
    for seed in 1..=SEEDS {
        let mut profile = named("wan-loss5");
        profile.down.loss = tokkyu_link::sim::path::Loss::Uniform { share: 0.2 };
        let mut world = World::new(&profile, seed);
        let mut commands = world.stream(End::Operator, Class::Control, reliable(10), 64, ms(20));
        world.drive(&mut [&mut commands], at_ms(4_000));
        world.run_to(at_ms(5_000));
        let mut tags = world.tags(End::Vehicle, commands.reader);
        tags.sort_unstable();
        assert_eq!(tags, (0..200).collect::<Vec<u32>>());
        let latencies = world.latencies(&commands, at_ms(0));
        late.extend(latencies.into_iter().filter(|latency| *latency > ms(26)));
    }
    let with_next = late.iter().filter(|latency| **latency <= ms(46)).count();
    assert!(late.len() > 100, "20 % of 1000 are late, {}", late.len());
    assert!(with_next * 10 >= late.len() * 7, "{with_next} of {} came with the next", late.len());
}

/// LNK-10, LNK-5: however many samples came in the round trip that a repair takes.
#[test]
fn a_repaired_sample_is_taken_however_many_came_in_the_meantime() {
    for seed in 1..=SEEDS {
        let mut world = World::new(&named("wan-loss1"), seed);
        // With a lifespan, so that the oldest go first.
        let qos = with_lifespan(keep_all(), 5_000);
        let flow = world.advertise(End::Vehicle, "points", Class::Realtime, qos);
        let reader = world.subscribe(End::Operator, "points", qos);
        world.run_to(at_ms(500));
        // 25 a millisecond, 150 Mbit/s: 1250 in a round trip. Too large to be repeated by the next (LNK-44).
        for tag in 0..5_000 {
            world.publish(End::Vehicle, flow, tag, 600);
            if tag % 25 == 0 {
                world.run_for(ms(1));
            }
        }
        world.run_for(ms(2_000));
        let lost = world.settled(End::Vehicle, flow).iter().filter(|(_, o)| *o != Outcome::Delivered).count();
        assert_eq!((lost, world.tags(End::Operator, reader).len()), (0, 5_000));
    }
}

/// LNK-44 on the wire: the packet after a lost one repeats it.
#[test]
fn a_packet_of_a_small_flow_repeats_two_earlier_samples_that_are_not_confirmed() {
    let mut bench = Bench::new(ms(25), SessionConfig::default(), lose_first(End::Vehicle, FlowId(1), 1));
    let flow = bench.advertise(End::Vehicle, "command", Class::Control, reliable(10));
    let reader = bench.subscribe(End::Operator, "command", reliable(10));
    for tag in 0..4 {
        bench.publish(End::Vehicle, flow, tag, 64);
        bench.run_to(bench.now + ms(10));
    }
    // The first is lost; the second goes out at 10 ms and arrives at 35 ms, the first in the same packet.
    let mut with_the_second = bench.tags(End::Operator, reader);
    with_the_second.sort_unstable();
    assert_eq!(with_the_second, [0, 1]);
    bench.run_to(at_ms(1_000));
    assert_eq!(bench.tags(End::Operator, reader).len(), 4);
    let of_flow = |frame: &&Seen| frame.sample().is_some_and(|id| id.flow == flow);
    let most = bench.tap.iter().map(|packet| packet.frames.iter().filter(of_flow).count()).max();
    assert_eq!(most, Some(3), "a sample and at most two earlier ones");
}

/// LNK-21, LNK-6: sizes at every boundary of the cutting, up to the largest sample.
#[test]
fn samples_of_every_size_arrive_intact_over_a_lossy_path() {
    let sizes = [0, 1, 3, 4, 5, 1_410, 1_411, 1_412, 1_413, 2_811, 2_812, 2_813, 11_260, 180_224, 374_000];
    for seed in 1..=SEEDS {
        let mut world = World::new(&named("wan-loss5"), seed);
        let flow = world.advertise(End::Vehicle, "sizes", Class::Realtime, keep_all());
        let reader = world.subscribe(End::Operator, "sizes", keep_all());
        for (tag, bytes) in sizes.into_iter().enumerate() {
            world.publish(End::Vehicle, flow, tag as u32, bytes);
        }
        world.run_to(at_ms(3_000));
        let arrived: Vec<usize> =
            world.delivered(End::Operator, reader).iter().map(|(_, d)| d.payload.len()).collect();
        assert_eq!(arrived, sizes);
        world.tags(End::Operator, reader); // checks every byte
    }
}

/// LNK-6: 16 384 data shards, and not one more.
#[test]
fn the_largest_sample_arrives_and_a_larger_one_is_refused_by_name() {
    let mut world = World::new(&named("lan-loss5"), 1);
    let flow = world.advertise(End::Vehicle, "map", Class::Realtime, reliable(1));
    let reader = world.subscribe(End::Operator, "map", reliable(1));
    let limit = 16_384 * 1_408 - 4;
    let payload = crate::world::payload::tagged(7, limit + 1);
    let now = world.now();
    let refused = world.network.session(End::Vehicle).publish(now, flow, now, &payload);
    let told = refused.expect_err("one byte too many").to_string();
    assert!(told.contains(&limit.to_string()), "{told}");
    world.publish(End::Vehicle, flow, 7, limit);
    world.run_for(Duration::from_secs(3));
    assert_eq!(world.tags(End::Operator, reader), [7]);
}
