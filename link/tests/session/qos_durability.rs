//! Durability, matching and the table (LNK-14, LNK-15, LNK-18, §4): who finds whom, and what a late joiner gets.

use crate::world::bench::{Bench, Seen};
use crate::world::peer::{Peer, drain, entry};
use crate::world::{World, at_ms, link_qos, ms, named, publication, reliable, subscription, with_lifespan};
use tokkyu_contract::qos::Mismatches;
use tokkyu_contract::{Class, Durability, FlowId, History, Qos};
use tokkyu_link::core::{Endpoint, Event, Publication, SessionConfig, Subscription};
use tokkyu_link::sim::network::End;
use tokkyu_link::wire::EndpointKind;

const SEEDS: u64 = 5;

fn latched(depth: u32) -> Qos {
    Qos { durability: Durability::TransientLocal, ..reliable(depth) }
}

/// LNK-14, on a lossy path: the last `depth` samples, then what is published.
#[test]
fn a_late_joiner_gets_the_last_samples_the_history_keeps_and_then_what_is_published() {
    for seed in 1..=SEEDS {
        let mut world = World::new(&named("wan-loss5"), seed);
        let map = world.advertise(End::Vehicle, "map", Class::BestEffort, latched(3));
        world.run_to(at_ms(200));
        for tag in 0..6 {
            world.publish(End::Vehicle, map, tag, 20_000);
        }
        world.run_to(at_ms(1_000));
        let reader = world.subscribe(End::Operator, "map", latched(3));
        world.run_to(at_ms(2_000));
        let mut tags = world.tags(End::Operator, reader);
        tags.sort_unstable();
        assert_eq!(tags, [3, 4, 5]);
        world.publish(End::Vehicle, map, 6, 20_000);
        world.run_to(at_ms(3_000));
        assert_eq!(world.tags(End::Operator, reader).last(), Some(&6));
        assert_eq!(world.tags(End::Operator, reader).len(), 4);
    }
}

/// LNK-14, LNK-1: the age of what a late joiner gets counts from its capture.
#[test]
fn a_late_joiner_gets_only_samples_within_their_lifespan_and_with_their_age() {
    let mut world = World::new(&named("wan"), 1);
    let qos = with_lifespan(latched(10), 1_000);
    let state = world.advertise(End::Vehicle, "state", Class::BestEffort, qos);
    world.run_to(at_ms(100));
    for tag in 0..10 {
        world.publish(End::Vehicle, state, tag, 100);
        world.run_for(ms(200));
    }
    world.run_to(at_ms(2_150));
    let reader = world.subscribe(End::Operator, "state", qos);
    world.run_to(at_ms(3_500));
    // Captured at 100, 300, ... 1900 ms; asked for at 2 175 and there at 2 200: younger than 1 000 ms are 1 300 and on.
    let delivered = world.delivered(End::Operator, reader);
    let mut tags: Vec<u32> =
        delivered.iter().map(|(_, d)| crate::world::payload::tag_of(&d.payload)).collect();
    tags.sort_unstable();
    assert_eq!(tags, [6, 7, 8, 9]);
    for (at, d) in delivered {
        let captured = at_ms(100 + 200 * u64::from(crate::world::payload::tag_of(&d.payload)));
        assert!(d.age.abs_diff(at.since(captured)) <= d.age_error, "{d:?} at {at}");
    }
}

/// LNK-3, LNK-1: the stamp on the wire turns over after 72 minutes; what is older than half a turn does not look fresh.
#[test]
fn a_sample_kept_for_40_minutes_is_not_delivered_to_a_reader_that_wants_fresh_ones() {
    let mut world = World::new(&named("wan"), 1);
    let map = world.advertise(End::Vehicle, "map", Class::BestEffort, latched(3));
    world.run_to(at_ms(100));
    world.publish(End::Vehicle, map, 1, 100);
    world.run_to(at_ms(40 * 60_000));
    let reader = world.subscribe(End::Operator, "map", with_lifespan(latched(3), 500));
    let any_age = world.subscribe(End::Operator, "map", latched(3));
    world.run_for(ms(2_000));
    assert!(world.tags(End::Operator, reader).is_empty());
    assert_eq!(world.tags(End::Operator, any_age), [1]);
}

/// LNK-14: volatile is what is published from now on.
#[test]
fn a_volatile_publisher_gives_a_late_joiner_nothing_from_before() {
    assert_eq!(tags_of_a_late_joiner(reliable(3), reliable(3)), [1]);
}

/// LNK-14, `Durability::Volatile`: a reader that asks for volatile gets only what is published from now on.
#[test]
fn a_volatile_reader_of_a_transient_local_publisher_gets_nothing_from_before() {
    assert_eq!(tags_of_a_late_joiner(latched(3), reliable(3)), [1]);
}

/// Sample 0 is published before the reader joins, sample 1 after.
fn tags_of_a_late_joiner(offered: Qos, requested: Qos) -> Vec<u32> {
    let mut world = World::new(&named("wan"), 1);
    let map = world.advertise(End::Vehicle, "map", Class::BestEffort, offered);
    world.run_to(at_ms(200));
    world.publish(End::Vehicle, map, 0, 20_000);
    world.run_to(at_ms(1_000));
    let reader = world.subscribe(End::Operator, "map", requested);
    world.run_to(at_ms(2_000));
    world.publish(End::Vehicle, map, 1, 20_000);
    world.run_to(at_ms(3_000));
    world.tags(End::Operator, reader)
}

/// LNK-14: what nobody may get any more is not kept either.
#[test]
fn samples_kept_for_late_joiners_give_their_memory_back_when_their_lifespan_is_over() {
    let config = SessionConfig { memory_bytes: 200_000, ..SessionConfig::default() };
    let mut world = World::with_config(&named("wan"), 1, config);
    let qos = with_lifespan(Qos { history: History::KeepAll, ..latched(1) }, 200);
    let mut log = world.stream(End::Vehicle, Class::Realtime, qos, 10_000, ms(50));
    world.drive(&mut [&mut log], at_ms(3_000));
    assert_eq!(log.refused, 0, "at most five samples of 10 kB are alive at any time");
}

/// LNK-15: both ends hear of a match once, whoever came first.
#[test]
fn a_match_is_told_once_at_both_ends() {
    for seed in 1..=SEEDS {
        for class in Class::ALL {
            for first in End::BOTH {
                let mut world = World::new(&named("wan-loss5"), seed);
                let mut flow = FlowId(0);
                for end in [first, crate::world::other(first)] {
                    match end {
                        End::Vehicle => flow = world.advertise(End::Vehicle, "a", class, reliable(5)),
                        End::Operator => _ = world.subscribe(End::Operator, "a", reliable(5)),
                    }
                    world.run_for(ms(300));
                }
                // A change of the tables that has nothing to do with the match.
                world.subscribe(End::Operator, "other", reliable(5));
                world.advertise(End::Vehicle, "another", class, reliable(5));
                world.publish(End::Vehicle, flow, 1, 100);
                world.run_for(ms(500));
                world.subscribe(End::Operator, "third", reliable(5));
                world.run_for(ms(500));
                let matched = |end, endpoint| world.count(end, &Event::Matched { endpoint });
                let told = (
                    matched(End::Vehicle, Endpoint::Publication(flow)),
                    matched(End::Operator, Endpoint::Subscription(FlowId(1))),
                );
                assert_eq!(told, (1, 1), "{class}, {first:?} first: told at the publisher, at the reader");
                assert_eq!(world.tags(End::Operator, FlowId(1)), [1]);
            }
        }
    }
}

/// LNK-15: the policies are named, at both ends, once.
#[test]
fn a_qos_mismatch_is_told_at_both_ends_with_its_policies_and_nothing_is_sent() {
    let cases = [
        (Qos::sensor_data(), reliable(5), Mismatches { reliability: true, ..Mismatches::default() }),
        (reliable(5), latched(5), Mismatches { durability: true, ..Mismatches::default() }),
        (
            Qos { deadline: Some(ms(200)), ..reliable(5) },
            Qos { deadline: Some(ms(100)), ..reliable(5) },
            Mismatches { deadline: true, ..Mismatches::default() },
        ),
        (
            Qos::sensor_data(),
            Qos { deadline: Some(ms(100)), ..latched(5) },
            Mismatches { reliability: true, durability: true, deadline: true, ..Mismatches::default() },
        ),
    ];
    for (offered, requested, mismatches) in cases {
        let mut world = World::new(&named("wan"), 1);
        let flow = world.advertise(End::Vehicle, "a", Class::BestEffort, offered);
        let reader = world.subscribe(End::Operator, "a", requested);
        world.run_to(at_ms(300));
        for tag in 0..5 {
            world.publish(End::Vehicle, flow, tag, 5_000);
            world.run_for(ms(50));
        }
        world.run_to(at_ms(1_000));
        assert_eq!(
            world.count(
                End::Vehicle,
                &Event::Incompatible { endpoint: Endpoint::Publication(flow), mismatches }
            ),
            1
        );
        assert_eq!(
            world.count(
                End::Operator,
                &Event::Incompatible { endpoint: Endpoint::Subscription(reader), mismatches }
            ),
            1
        );
        assert_eq!(world.tags(End::Operator, reader), Vec::<u32>::new(), "{mismatches}");
        let ledger = world.network.session(End::Vehicle).sent_ledger(flow);
        assert_eq!((ledger.offered, ledger.dropped), (5, 5), "nobody wants it: {ledger}");
    }
}

/// LNK-15: another type is no match; an empty one takes any.
#[test]
fn another_type_is_told_at_both_ends_and_an_empty_type_takes_any() {
    for (wanted, matches) in [("Image", false), ("", true), ("Scan", true)] {
        let mut world = World::new(&named("wan"), 1);
        let typed =
            Publication { type_name: "Scan".into(), ..publication("scan", Class::Realtime, reliable(5)) };
        let flow = world.network.session(End::Vehicle).advertise(typed).expect("within the limits");
        let asked = Subscription { type_name: wanted.into(), ..subscription("scan", reliable(5)) };
        let reader = world.network.session(End::Operator).subscribe(asked).expect("within the limits");
        world.run_to(at_ms(200));
        world.publish(End::Vehicle, flow, 1, 100);
        world.run_to(at_ms(500));
        let other = |endpoint, peer: &str| Event::OtherType { endpoint, peer_type: peer.to_owned() };
        let told = (
            world.count(End::Vehicle, &other(Endpoint::Publication(flow), wanted)),
            world.count(End::Operator, &other(Endpoint::Subscription(reader), "Scan")),
        );
        assert_eq!(told, if matches { (0, 0) } else { (1, 1) }, "wanted {wanted:?}");
        assert_eq!(world.tags(End::Operator, reader).len(), usize::from(matches), "wanted {wanted:?}");
    }
}

/// LNK-15: a mismatch that is already told is not told again when the tables change.
#[test]
fn a_mismatch_is_not_told_again_when_something_else_changes() {
    let mut world = World::new(&named("wan"), 1);
    let flow = world.advertise(End::Vehicle, "a", Class::Realtime, Qos::sensor_data());
    let reader = world.subscribe(End::Operator, "a", reliable(5));
    world.run_to(at_ms(300));
    for topic in ["b", "c", "d"] {
        world.subscribe(End::Operator, topic, reliable(5));
        world.advertise(End::Vehicle, topic, Class::Realtime, reliable(5));
        world.run_for(ms(300));
    }
    let mismatches = Mismatches { reliability: true, ..Mismatches::default() };
    assert_eq!(
        world.count(
            End::Operator,
            &Event::Incompatible { endpoint: Endpoint::Subscription(reader), mismatches }
        ),
        1
    );
    assert_eq!(
        world.count(End::Vehicle, &Event::Incompatible { endpoint: Endpoint::Publication(flow), mismatches }),
        1
    );
}

/// LNK-15: when the peer's endpoint goes away, that is told, and nothing is sent any more.
#[test]
fn an_endpoint_that_leaves_the_peers_table_is_told_as_unmatched() {
    let mut world = World::new(&named("wan"), 1);
    let mut peer = Peer::default();
    let session = world.network.session(End::Vehicle);
    let flow =
        session.advertise(publication("image", Class::Realtime, reliable(5))).expect("within the limits");
    let reader = session.subscribe(subscription("command", reliable(5))).expect("within the limits");
    let there = [
        entry(EndpointKind::Subscription, 1, "image", reliable(5)),
        entry(EndpointKind::Publication, 1, "command", reliable(5)),
    ];
    peer.table(at_ms(1), session, there.to_vec());
    let first = drain(at_ms(1), session);
    assert!(first.contains(&Event::Matched { endpoint: Endpoint::Subscription(reader) }), "{first:?}");
    peer.table(at_ms(2), session, Vec::new());
    let events = drain(at_ms(2), session);
    assert!(events.contains(&Event::Unmatched { endpoint: Endpoint::Publication(flow) }), "{events:?}");
    assert!(events.contains(&Event::Unmatched { endpoint: Endpoint::Subscription(reader) }), "{events:?}");
    session.publish(at_ms(3), flow, at_ms(3), &[1; 100]).expect("taken, and dropped");
    assert_eq!(session.sent_ledger(flow).dropped, 1);
}

/// LNK-15: each subscription of a topic is served, whichever came first.
#[test]
fn two_readers_of_one_topic_both_get_every_sample() {
    let mut world = World::new(&named("wan"), 1);
    let flow = world.advertise(End::Vehicle, "image", Class::Realtime, reliable(5));
    let readers = [(); 2].map(|()| world.subscribe(End::Operator, "image", reliable(5)));
    for tag in 0..5 {
        world.publish(End::Vehicle, flow, tag, 5_000);
        world.run_for(ms(50));
    }
    world.run_for(ms(500));
    let got = readers.map(|reader| world.tags(End::Operator, reader).len());
    assert_eq!(got, [5, 5]);
}

/// §4: the newest table counts, also when an older one comes after it or beside it.
#[test]
fn an_older_table_that_comes_after_a_newer_one_changes_nothing() {
    let mut left = 1;
    let loses = move |packet: &crate::world::bench::Packet| {
        let is_table = |frame: &Seen| frame.sample().is_some_and(|id| id.flow == FlowId::SESSION);
        let hit = packet.from == End::Operator && packet.frames.iter().any(is_table) && left > 0;
        left -= usize::from(hit);
        hit
    };
    let mut bench = Bench::new(ms(25), SessionConfig::default(), loses);
    let flows = ["a", "b"].map(|topic| bench.advertise(End::Vehicle, topic, Class::BestEffort, reliable(5)));
    let first = bench.subscribe(End::Operator, "a", reliable(5));
    bench.run_to(at_ms(10));
    let second = bench.subscribe(End::Operator, "b", reliable(5));
    bench.run_to(at_ms(500));
    for flow in flows {
        bench.publish(End::Vehicle, flow, 1, 100);
    }
    bench.run_to(at_ms(1_000));
    assert_eq!([bench.tags(End::Operator, first), bench.tags(End::Operator, second)], [[1], [1]]);
}

/// LNK-18: the first picture does not wait a round trip for a subscription.
#[test]
fn urgent_flows_are_sent_before_the_table_is_known_and_wait_for_it_at_the_receiver() {
    for seed in 1..=SEEDS {
        let mut world = World::new(&named("wan"), seed);
        let mut image = world.stream(End::Vehicle, Class::Realtime, link_qos(), 20_000, ms(100));
        let mut command = world.stream(End::Operator, Class::Control, link_qos(), 64, ms(100));
        world.drive(&mut [&mut image, &mut command], at_ms(1));
        world.run_to(at_ms(40));
        assert_eq!(world.tags(End::Operator, image.reader), [0], "one way is 25 ms");
        assert_eq!(world.tags(End::Vehicle, command.reader), [0]);
    }
}

/// LNK-18: other classes wait to be wanted.
#[test]
fn other_classes_are_not_sent_before_somebody_wants_them() {
    let mut world = World::new(&named("wan"), 1);
    let flow = world.advertise(End::Vehicle, "log", Class::Background, reliable(5));
    let sent = |world: &mut World| world.network.session(End::Vehicle).stats().packets_fresh;
    world.run_to(at_ms(200));
    let before = sent(&mut world);
    world.publish(End::Vehicle, flow, 1, 100_000);
    world.run_to(at_ms(400));
    assert_eq!(sent(&mut world), before);
}

/// LNK-18: a sample before its publication is known waits, bounded by the memory bound.
#[test]
fn samples_that_wait_for_the_table_stay_within_the_memory_bound() {
    let bound = 1_000_000;
    let config = SessionConfig { memory_bytes: bound, ..SessionConfig::default() };
    let mut world = World::with_config(&named("lan"), 1, config);
    let mut peer = Peer::default();
    let session = world.network.session(End::Vehicle);
    session.subscribe(subscription("image", reliable(100))).expect("within the limits");
    for sequence in 0..60 {
        let id = tokkyu_contract::TraceId { flow: FlowId(1), sequence };
        peer.fragments(at_ms(1), session, id, &[7; 100_000]);
    }
    peer.table(at_ms(2), session, vec![entry(EndpointKind::Publication, 1, "image", reliable(100))]);
    let held: usize = drain(at_ms(2), session)
        .into_iter()
        .filter_map(|event| match event {
            Event::Delivered(delivered) => Some(delivered.payload.len()),
            _ => None,
        })
        .sum();
    assert!(held > 0, "some of it waited");
    assert!(held <= bound, "{held} bytes waited for the table, the bound is {bound}");
}
