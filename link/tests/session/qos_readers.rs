//! Several readers of one topic at one end (LNK-13, LNK-14, LNK-19): each by its own rules, and the book counts once.

use crate::world::bench::{Bench, lose_first};
use crate::world::{World, at_ms, keep_all, ms, named, reliable, with_lifespan};
use tokkyu_contract::{Class, Durability, FlowId, Qos};
use tokkyu_link::core::{Event, SessionConfig};
use tokkyu_link::sim::network::End;

const TOPIC: &str = "state";

fn latched(depth: u32) -> Qos {
    Qos { durability: Durability::TransientLocal, ..reliable(depth) }
}

fn is_missed(event: &Event) -> bool {
    matches!(event, Event::Missed { .. })
}

/// Sample 0 is overtaken by sample 1: it comes only when it is repaired.
fn overtaken(offered: Qos, requested: [Qos; 2]) -> (Bench, [FlowId; 2]) {
    let mut bench = Bench::new(ms(25), SessionConfig::default(), lose_first(End::Vehicle, FlowId(1), 1));
    let flow = bench.advertise(End::Vehicle, TOPIC, Class::Realtime, offered);
    let readers = requested.map(|qos| bench.subscribe(End::Operator, TOPIC, qos));
    bench.publish(End::Vehicle, flow, 0, 1_200);
    bench.run_to(at_ms(1));
    bench.publish(End::Vehicle, flow, 1, 1_200);
    bench.run_to(at_ms(500));
    (bench, readers)
}

/// LNK-13, LNK-19.
#[test]
fn each_reader_drops_what_its_own_history_does_not_want() {
    let (mut bench, [newest, all]) = overtaken(reliable(10), [reliable(1), reliable(10)]);
    assert_eq!(bench.tags(End::Operator, newest), [1], "a reader of depth 1 does not step back");
    assert_eq!(bench.tags(End::Operator, all), [1, 0]);
    assert!(!bench.events_of(End::Operator).any(is_missed), "each sample has one who got it");
    for reader in [newest, all] {
        let ledger = bench.session(End::Operator).received_ledger(reader);
        assert_eq!((ledger.offered, ledger.delivered), (2, 2), "a sample counts once: {ledger}");
    }
}

/// LNK-13, LNK-19: one in order, the other at once.
#[test]
fn one_reader_waits_for_the_order_and_the_other_does_not() {
    let (mut bench, [in_order, at_once]) = overtaken(keep_all(), [keep_all(), reliable(10)]);
    assert_eq!(bench.tags(End::Operator, in_order), [0, 1]);
    assert_eq!(bench.tags(End::Operator, at_once), [1, 0]);
    let ledger = bench.session(End::Operator).received_ledger(in_order);
    assert!(ledger.closes() && ledger.delivered == 2, "{ledger}");
    assert_eq!(bench.session(End::Operator).stats().memory_in, 0);
}

/// LNK-3, LNK-19: what is too old for one is not for the other.
#[test]
fn each_reader_has_its_own_lifespan() {
    let mut bench = Bench::new(ms(25), SessionConfig::default(), |_| false);
    let flow = bench.advertise(End::Vehicle, TOPIC, Class::Realtime, reliable(10));
    let hasty = bench.subscribe(End::Operator, TOPIC, with_lifespan(reliable(10), 10));
    let patient = bench.subscribe(End::Operator, TOPIC, with_lifespan(reliable(10), 300));
    bench.run_to(at_ms(200));
    for tag in 0..5 {
        bench.publish(End::Vehicle, flow, tag, 5_000);
        bench.run_to(at_ms(300 + 100 * u64::from(tag)));
    }
    bench.run_to(at_ms(1_000));
    assert_eq!(bench.tags(End::Operator, hasty), [0; 0]);
    assert_eq!(bench.tags(End::Operator, patient), [0, 1, 2, 3, 4]);
    assert!(!bench.events_of(End::Operator).any(is_missed));
}

/// LNK-14: what the end has is not sent again, and nobody gets it twice.
#[test]
fn a_second_transient_local_reader_gets_what_was_kept_and_the_first_nothing_again() {
    for (offered, seconds) in
        [(latched(3), latched(3)), (Qos { durability: Durability::TransientLocal, ..keep_all() }, latched(1))]
    {
        let mut world = World::new(&named("wan-loss5"), 1);
        let map = world.advertise(End::Vehicle, "map", Class::BestEffort, offered);
        let first = world.subscribe(End::Operator, "map", offered);
        world.run_to(at_ms(200));
        for tag in 0..5 {
            world.publish(End::Vehicle, map, tag, 20_000);
            world.run_for(ms(100));
        }
        world.run_for(ms(500));
        let before = world.network.session(End::Vehicle).stats().packets_fresh;
        let second = world.subscribe(End::Operator, "map", seconds);
        let volatile = world.subscribe(End::Operator, "map", reliable(5));
        world.run_for(ms(500));
        let kept: Vec<u32> = if offered.depth().is_some() { vec![2, 3, 4] } else { vec![0, 1, 2, 3, 4] };
        assert_eq!(world.tags(End::Operator, second), kept, "in the order of their numbers");
        assert_eq!(world.tags(End::Operator, first).len(), 5);
        assert_eq!(world.tags(End::Operator, volatile), [0; 0]);
        let tables = 1; // the operator's table asks for nothing that the vehicle answers with data
        assert!(world.network.session(End::Vehicle).stats().packets_fresh <= before + tables);
        world.publish(End::Vehicle, map, 5, 20_000);
        world.run_for(ms(500));
        for reader in [first, second, volatile] {
            assert_eq!(world.tags(End::Operator, reader).last(), Some(&5));
        }
    }
}

/// LNK-14, LNK-3: kept too long is no longer wanted.
#[test]
fn a_second_reader_gets_nothing_that_is_older_than_its_lifespan() {
    let mut world = World::new(&named("wan"), 1);
    let map = world.advertise(End::Vehicle, "map", Class::BestEffort, latched(5));
    world.subscribe(End::Operator, "map", latched(5));
    world.run_to(at_ms(200));
    for tag in 0..4 {
        world.publish(End::Vehicle, map, tag, 20_000);
        world.run_for(ms(200));
    }
    let second = world.subscribe(End::Operator, "map", with_lifespan(latched(5), 500));
    world.run_for(ms(500));
    assert_eq!(
        world.tags(End::Operator, second),
        [2, 3],
        "captured at 200, 400, 600 and 800 ms, asked for at 1 s"
    );
    let missed = world.missed(End::Operator, map);
    assert_eq!(missed, [], "they were delivered once");
}

/// LNK-8: what is kept stays within an eighth of the bound, and goes with the session.
#[test]
fn samples_kept_for_later_readers_stay_within_their_share() {
    let bound = 800_000;
    let config = SessionConfig { memory_bytes: bound, ..SessionConfig::default() };
    let mut world = World::with_config(&named("lan"), 1, config);
    let map = world.advertise(End::Vehicle, "map", Class::BestEffort, latched(1_000));
    let first = world.subscribe(End::Operator, "map", latched(1_000));
    world.run_to(at_ms(100));
    for tag in 0..50 {
        world.publish(End::Vehicle, map, tag, 10_000);
        world.run_for(ms(20));
        let kept = world.network.session(End::Operator).stats().memory_in;
        assert!(kept <= bound / 8, "{kept} bytes");
    }
    assert_eq!(world.tags(End::Operator, first).len(), 50);
    let second = world.subscribe(End::Operator, "map", latched(1_000));
    world.run_for(ms(100));
    assert_eq!(world.tags(End::Operator, second), (41..50).collect::<Vec<u32>>(), "nine fit in 100 kB");
    world.close();
    assert_eq!(world.network.session(End::Operator).stats().memory_in, 0);
}

/// LNK-19: a reader reads all publications of its topic.
#[test]
fn a_reader_gets_the_samples_of_every_publication_of_its_topic() {
    let mut world = World::new(&named("wan-loss5"), 1);
    let flows = [(); 2].map(|()| world.advertise(End::Vehicle, "log", Class::Realtime, keep_all()));
    let reader = world.subscribe(End::Operator, "log", keep_all());
    for tag in 0..10 {
        world.publish(End::Vehicle, flows[tag as usize % 2], tag, 3_000);
        world.run_for(ms(20));
    }
    world.run_for(ms(500));
    let tags = world.tags(End::Operator, reader);
    for of_flow in [0, 1] {
        let of_flow: Vec<u32> = tags.iter().copied().filter(|tag| tag % 2 == of_flow).collect();
        assert!(of_flow.len() == 5 && of_flow.is_sorted(), "{tags:?}");
    }
    assert_eq!(world.network.session(End::Operator).received_ledger(reader).delivered, 10);
}
