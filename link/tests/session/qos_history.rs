//! History and order (LNK-11 to LNK-13, LNK-24): who gives way, and in which order samples are delivered.

use crate::world::bench::{Bench, Packet, Seen, lose_first};
use crate::world::stream::Stream;
use crate::world::{World, at_ms, both, keep_all, link, ms, named, reliable, with_lifespan};
use tokkyu_contract::{Class, FlowId, Outcome};
use tokkyu_link::core::{PublishError, SessionConfig};
use tokkyu_link::sim::network::{End, Network};
use tokkyu_link::sim::path::{Loss, Reorder};

const SEEDS: u64 = 8;

/// LNK-11: before the link is up to it, only the newest `depth` samples are held.
#[test]
fn a_keep_last_flow_holds_depth_samples_and_the_oldest_waiting_one_gives_way() {
    let mut world = World::new(&named("wan"), 1);
    let flow = world.advertise(End::Vehicle, "image", Class::Realtime, reliable(3));
    let reader = world.subscribe(End::Operator, "image", reliable(3));
    for tag in 0..8 {
        world.publish(End::Vehicle, flow, tag, 50_000);
    }
    world.run_to(at_ms(1_000));
    let mut tags = world.tags(End::Operator, reader);
    tags.sort_unstable();
    assert_eq!(tags, [5, 6, 7]);
    let dropped: Vec<u32> = world
        .settled(End::Vehicle, flow)
        .into_iter()
        .filter(|(_, outcome)| *outcome == Outcome::Dropped)
        .map(|(sequence, _)| sequence)
        .collect();
    assert_eq!(dropped, [0, 1, 2, 3, 4]);
}

/// LNK-11: what has begun is finished, and not repaired once a newer sample took its place.
#[test]
fn a_sample_that_has_begun_is_finished_but_not_repaired_when_a_newer_one_comes() {
    // The fifth packet of the first image is lost, and all its parity.
    let needed = |frame: &Seen| match frame {
        Seen::Fragment { id, k, index } => id.sequence == 0 && (*index == 4 || index >= k),
        _ => false,
    };
    let loses = move |packet: &Packet| packet.frames.iter().any(needed);
    let mut bench = Bench::new(ms(25), SessionConfig::default(), loses);
    let flow = bench.advertise(End::Vehicle, "image", Class::Realtime, reliable(1));
    let reader = bench.subscribe(End::Operator, "image", reliable(1));
    bench.publish(End::Vehicle, flow, 0, 28_000);
    bench.run_to(at_ms(1)); // begun, and sent in full by the start-up train
    bench.publish(End::Vehicle, flow, 1, 28_000);
    bench.run_to(at_ms(1_000));
    let of_first = |index: u16| {
        let wanted = |frame: &Seen| matches!(frame, Seen::Fragment { id, index: i, .. } if id.sequence == 0 && *i == index);
        bench.tap.iter().flat_map(|packet| &packet.frames).filter(|frame| wanted(frame)).count()
    };
    assert_eq!(
        (0..20).map(of_first).collect::<Vec<_>>(),
        vec![1; 20],
        "each shard once, the lost one as well"
    );
    assert_eq!(bench.tags(End::Operator, reader), [1]);
    let ledger = bench.session(End::Vehicle).sent_ledger(flow);
    assert_eq!((ledger.delivered, ledger.dropped), (1, 1), "{ledger}");
}

/// LNK-12: on a link that carries half of what is published, whole samples give way, and none once it has begun.
#[test]
fn what_the_link_cannot_carry_gives_way_whole_and_before_its_first_packet() {
    for bytes in [95_000, 100_000, 105_000] {
        let mut world = World::new(&both("20 Mbit/s", link(20, 10, 100)), 1);
        let qos = with_lifespan(reliable(10), 500);
        let mut images = world.stream(End::Vehicle, Class::Realtime, qos, bytes, ms(20));
        world.drive(&mut [&mut images], at_ms(4_000));
        world.run_to(at_ms(5_000));
        let fates = world.fates(&images);
        let steady = fates.values().filter(|fate| fate.capture >= at_ms(1_000));
        let (mut delivered, mut dropped) = (0, 0);
        for fate in steady {
            match fate.sender {
                Some(Outcome::Delivered) => delivered += 1,
                Some(Outcome::Dropped) => {
                    dropped += 1;
                    assert_eq!((fate.arrival, fate.receiver), (None, None), "dropped half-way: {fate:?}");
                }
                ended => panic!("a sample of a loss-free link ended {ended:?}"),
            }
        }
        assert!((54..=78).contains(&delivered), "72 of 150 fit: {delivered}, and {dropped} dropped");
        let newest: Vec<_> = world.latencies(&images, at_ms(1_000));
        assert!(newest.iter().all(|latency| *latency < ms(150)), "the newest goes first: {newest:?}");
    }
}

/// LNK-51: without a lifespan all samples expire at the same time, never; the oldest still goes first.
#[test]
fn samples_without_a_lifespan_are_sent_in_the_order_they_were_published() {
    let mut world = World::new(&named("wan"), 1);
    let flow = world.advertise(End::Vehicle, "image", Class::Realtime, reliable(10));
    let reader = world.subscribe(End::Operator, "image", reliable(10));
    for tag in 0..5 {
        world.publish(End::Vehicle, flow, tag, 50_000);
    }
    world.run_to(at_ms(1_000));
    assert_eq!(world.tags(End::Operator, reader), [0, 1, 2, 3, 4]);
}

/// LNK-13: in order over a path that loses, reorders and duplicates.
#[test]
fn a_keep_all_flow_is_delivered_in_order_without_a_hole() {
    for seed in 1..=SEEDS {
        let mut profile = named("wan-loss5");
        profile.up.reorder = Reorder { share: 0.05, extra_delay: ms(15) };
        profile.up.duplicate_share = 0.05;
        let mut world = World::new(&profile, seed);
        let mut small = world.stream(End::Vehicle, Class::Realtime, keep_all(), 200, ms(5));
        let mut large = world.stream(End::Vehicle, Class::Realtime, keep_all(), 20_000, ms(20));
        world.drive(&mut [&mut small, &mut large], at_ms(2_000));
        world.run_to(at_ms(4_000));
        assert_eq!(world.tags(End::Operator, small.reader), (0..400).collect::<Vec<u32>>());
        assert_eq!(world.tags(End::Operator, large.reader), (0..100).collect::<Vec<u32>>());
    }
}

/// LNK-24: what expires leaves a hole, and the reader goes on behind it, still in order.
#[test]
fn an_ordered_reader_goes_on_behind_a_sample_that_expired() {
    for seed in 1..=SEEDS {
        let mut profile = named("wan");
        profile.up = profile.up.with_outage(ms(500), ms(900));
        profile.up.loss = Loss::Uniform { share: 0.05 };
        let mut world = World::new(&profile, seed);
        let qos = with_lifespan(keep_all(), 150);
        let mut flow = world.stream(End::Vehicle, Class::Realtime, qos, 5_000, ms(20));
        world.drive(&mut [&mut flow], at_ms(2_000));
        world.run_to(at_ms(3_000));
        let tags = world.tags(End::Operator, flow.reader);
        assert!(tags.is_sorted_by(|a, b| a < b), "order: {tags:?}");
        assert!(tags.first() < Some(&5) && tags.last() == Some(&99), "{tags:?}");
        let after = tags.iter().filter(|tag| **tag >= 60).count();
        assert!(after >= 38, "{after} of the 40 samples after 1.2 s");
    }
}

/// LNK-13: a reader that keeps one sample never steps back in time.
#[test]
fn a_keep_last_1_reader_drops_samples_older_than_the_one_it_has() {
    let mut older = 0;
    for seed in 1..=SEEDS {
        let mut profile = named("wan-loss5");
        profile.up.reorder = Reorder { share: 0.1, extra_delay: ms(30) };
        let mut world = World::new(&profile, seed);
        let flow = world.advertise(End::Vehicle, "pose", Class::Realtime, reliable(100));
        let reader = world.subscribe(End::Operator, "pose", reliable(1));
        for tag in 0..200 {
            world.publish(End::Vehicle, flow, tag, 3_000);
            world.run_for(ms(5));
        }
        world.run_for(ms(1_000));
        let tags = world.tags(End::Operator, reader);
        assert!(tags.is_sorted_by(|a, b| a < b), "steps back: {tags:?}");
        let missed = world.missed(End::Operator, flow);
        assert!(missed.iter().all(|(_, outcome)| *outcome == Outcome::Dropped), "{missed:?}");
        assert_eq!(tags.len() + missed.len(), 200, "delivered or told as dropped");
        older += missed.len();
    }
    assert!(older > 0, "no sample was overtaken: the test shows nothing");
}

/// LNK-13: other readers get a sample the moment it is complete.
#[test]
fn a_keep_last_reader_of_more_than_one_gets_overtaken_samples_too() {
    // The only packet of the first sample is lost, and nothing follows that could repeat it.
    let mut bench = Bench::new(ms(25), SessionConfig::default(), lose_first(End::Vehicle, FlowId(1), 1));
    let flow = bench.advertise(End::Vehicle, "state", Class::Realtime, reliable(10));
    let reader = bench.subscribe(End::Operator, "state", reliable(10));
    bench.publish(End::Vehicle, flow, 0, 1_200);
    bench.run_to(at_ms(1));
    bench.publish(End::Vehicle, flow, 1, 1_200);
    bench.run_to(at_ms(500));
    assert_eq!(bench.tags(End::Operator, reader), [1, 0]);
}

/// LNK-11: keep_all is refused at the memory bound, by name, and accepted again when samples are confirmed.
#[test]
fn a_keep_all_flow_is_refused_at_the_memory_bound_and_nothing_taken_is_lost() {
    let config = SessionConfig { memory_bytes: 500_000, ..SessionConfig::default() };
    for mbit in [3, 5] {
        let mut world = World::with_config(&both("slow", link(mbit, 20, 100)), 1, config.clone());
        let mut flow = world.stream(End::Vehicle, Class::Realtime, keep_all(), 1_400, ms(1));
        world.drive(&mut [&mut flow], at_ms(3_000));
        assert!(flow.refused > 500, "{mbit} of 11 Mbit/s: refused {}", flow.refused);
        world.run_to(at_ms(6_000));
        // 3 Mbit/s carry 735 in the time.
        assert_all_came_once(&world, &flow, 660);
    }
}

/// LNK-11, LNK-5: the same with samples of many packets, of which the receiver holds several incomplete ones.
#[test]
fn a_keep_all_flow_of_large_samples_at_the_memory_bound_loses_nothing_taken() {
    let config = SessionConfig { memory_bytes: 600_000, ..SessionConfig::default() };
    for seed in 1..=SEEDS {
        let mut world = World::with_config(&both("5 Mbit/s", link(5, 20, 100)), seed, config.clone());
        let mut flow = world.stream(End::Vehicle, Class::Realtime, keep_all(), 40_000, ms(20));
        world.drive(&mut [&mut flow], at_ms(3_000));
        assert!(flow.refused > 50, "5 of 16 Mbit/s: refused {}", flow.refused);
        world.run_to(at_ms(6_000));
        // Two at a time have room at the receiver.
        assert_all_came_once(&world, &flow, 25);
    }
}

fn assert_all_came_once(world: &World, flow: &Stream, at_least: usize) {
    let fates = world.fates(flow);
    assert!(fates.len() > at_least, "only {} samples were taken", fates.len());
    let open = fates.iter().find(|(_, f)| f.sender != Some(Outcome::Delivered) || f.deliveries != 1);
    assert!(open.is_none(), "{open:?} of {}", fates.len());
}

/// LNK-11, `SessionConfig::memory_bytes`: the bound holds for what is held, coded shards included.
#[test]
fn a_keep_all_flow_never_holds_more_than_the_memory_bound() {
    let bound = 500_000;
    let config = SessionConfig { memory_bytes: bound, ..SessionConfig::default() };
    for seed in 1..=3 {
        let mut world = World::with_config(&named("wan-loss5"), seed, config.clone());
        let flow = world.advertise(End::Vehicle, "log", Class::Realtime, keep_all());
        world.subscribe(End::Operator, "log", keep_all());
        for tag in 0..200 {
            let clock = Network::clock(End::Vehicle, world.now());
            let payload = crate::world::payload::tagged(tag, 60_000);
            match world.network.session(End::Vehicle).publish(clock, flow, clock, &payload) {
                Ok(_) | Err(PublishError::Full { .. }) => {}
                Err(error) => panic!("{error}"),
            }
            let held = world.network.session(End::Vehicle).stats().memory_out;
            assert!(held <= bound, "{held} bytes held, the bound is {bound}");
            world.run_for(ms(5));
        }
    }
}

/// LNK-13: "the peer's first sample" is the first it sends us, not number 0, which nobody wanted at the time.
#[test]
fn an_ordered_reader_that_joins_late_is_not_left_waiting_for_samples_from_before() {
    let mut world = World::new(&named("wan"), 1);
    let flow = world.advertise(End::Vehicle, "log", Class::BestEffort, keep_all());
    world.run_to(at_ms(200));
    for tag in 0..3 {
        world.publish(End::Vehicle, flow, tag, 100);
    }
    world.run_to(at_ms(400));
    let reader = world.subscribe(End::Operator, "log", keep_all());
    world.run_to(at_ms(800));
    for tag in 3..6 {
        world.publish(End::Vehicle, flow, tag, 100);
    }
    world.run_to(at_ms(2_000));
    assert_eq!(world.tags(End::Operator, reader), [3, 4, 5]);
}

/// LNK-11: a keep_last flow is never refused, however slow the link.
#[test]
fn a_keep_last_flow_is_never_refused() {
    let config = SessionConfig { memory_bytes: 500_000, ..SessionConfig::default() };
    let mut world = World::with_config(&both("1 Mbit/s", link(1, 20, 100)), 1, config);
    let mut flow = world.stream(End::Vehicle, Class::Realtime, reliable(5), 40_000, ms(20));
    world.drive(&mut [&mut flow], at_ms(2_000));
    assert_eq!(flow.refused, 0);
    let held = world.network.session(End::Vehicle).stats().memory_out;
    // A sample and its parity take 87 kB; beside the five there are those being finished.
    assert!(held <= 8 * 87_000, "{held} bytes held by a flow of depth 5");
}
