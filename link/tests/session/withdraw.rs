//! Endpoints that go while the session goes on (LNK-31 to LNK-35).

use crate::world::bench::{Bench, Packet, Seen};
use crate::world::peer::{Peer, drain, entry, fragment, shards_of};
use crate::world::{World, at_ms, keep_all, ms, named, publication, reliable, subscription};
use std::time::Duration;
use tokkyu_contract::{Class, Durability, FlowId, MonoTime, Outcome, Qos, TraceId};
use tokkyu_link::core::{Endpoint, Event, Session, SessionConfig};
use tokkyu_link::sim::network::End;
use tokkyu_link::wire::EndpointKind;

fn latched(depth: u32) -> Qos {
    Qos { durability: Durability::TransientLocal, ..reliable(depth) }
}

fn bench() -> Bench {
    Bench::new(ms(25), SessionConfig::default(), |_| false)
}

/// Time for a table to cross and be confirmed.
fn settle(bench: &mut Bench) {
    let until = bench.now + ms(200);
    bench.run_to(until);
}

fn count(bench: &Bench, end: End, wanted: &Event) -> usize {
    bench.events_of(end).filter(|event| *event == wanted).count()
}

/// LNK-32: every sample that is not confirmed is told and counted as dropped, and nothing of it is sent any more.
#[test]
fn a_withdrawn_publications_samples_are_dropped_counted_and_sent_no_more() {
    let mut bench = bench();
    let image = bench.advertise(End::Vehicle, "image", Class::Realtime, latched(10));
    let reader = bench.subscribe(End::Operator, "image", latched(10));
    settle(&mut bench);
    for tag in 0..5 {
        bench.publish(End::Vehicle, image, tag, 400_000);
    }
    bench.run_to(bench.now + ms(1));
    let sent = bench.tap.len();
    assert!(!bench.session(End::Vehicle).is_drained(image));
    let ledger = bench.session(End::Vehicle).withdraw_publication(image).expect("it is there");
    assert!(ledger.closes(), "{ledger}");
    assert_eq!((ledger.offered, ledger.dropped), (5, 5), "{ledger}");
    assert_eq!(bench.session(End::Vehicle).stats().memory_out, 0, "nothing waits and nothing is kept");
    settle(&mut bench);
    let dropped = |event: &&Event| matches!(event, Event::Settled { outcome: Outcome::Dropped, .. });
    assert_eq!(bench.events_of(End::Vehicle).filter(dropped).count(), 5, "each is told");
    assert!(bench.tap[sent..].iter().all(|packet| !packet.carries(image)), "sent after it was withdrawn");
    assert_eq!(bench.tags(End::Operator, reader), [0; 0]);
    let received = bench.session(End::Operator).received_ledger(reader);
    assert!(received.closes() && received.offered > 0 && received.lost == received.offered, "{received}");
    assert_eq!(bench.session(End::Operator).stats().memory_in, 0);
    let endpoint = Endpoint::Subscription(reader);
    assert_eq!(count(&bench, End::Operator, &Event::Unmatched { endpoint }), 1);
    assert_eq!(bench.session(End::Vehicle).withdraw_publication(image), None, "it is gone");
}

/// LNK-31: places come back, so a session has as many lives of topics as one likes, with the last as good as the first.
#[test]
fn eleven_hundred_lives_of_a_topic_in_one_session_all_arrive() {
    let config = SessionConfig { memory_bytes: 1 << 20, ..SessionConfig::default() };
    let mut world = World::with_config(&named("lan"), 1, config);
    let staying = world.advertise(End::Vehicle, "staying", Class::Realtime, reliable(5));
    let stays = world.subscribe(End::Operator, "staying", reliable(5));
    let mut last = FlowId(0);
    for life in 0..1_100 {
        let topic = format!("map@{life}");
        let reader = world.subscribe(End::Operator, &topic, latched(3));
        let map = world.advertise(End::Vehicle, &topic, Class::Realtime, latched(3));
        world.publish(End::Vehicle, map, life, 300);
        world.run_for(ms(4));
        assert_eq!(world.tags(End::Operator, reader), [life]);
        let sent = world.network.session(End::Vehicle).withdraw_publication(map).expect("it is there");
        let read = world.network.session(End::Operator).withdraw_subscription(reader).expect("it is there");
        assert_eq!((sent.delivered, read.delivered), (1, 1), "life {life}: {sent}, {read}");
        world.notes.clear();
        last = map;
    }
    assert_eq!(last, FlowId(1_101), "each had a number of its own");
    world.publish(End::Vehicle, staying, 7, 300);
    world.run_for(ms(50));
    assert_eq!(world.tags(End::Operator, stays), [7]);
    for end in End::BOTH {
        let stats = world.network.session(end).stats();
        assert_eq!((stats.violations, stats.memory_in), (0, 0), "{end:?}");
    }
    // One more than there may be at a time is refused all the same.
    let session = world.network.session(End::Vehicle);
    (1..1_024)
        .for_each(|at| _ = session.advertise(publication(&format!("{at}"), Class::Realtime, latched(1))));
    assert!(session.advertise(publication("more", Class::Realtime, latched(1))).is_err());
}

/// A session whose peer had image (1) and has it no more, and a reader of it.
fn left() -> (Session, Peer, FlowId) {
    let (mut session, mut peer) = (Session::new(SessionConfig::default()), Peer::default());
    let reader = session.subscribe(subscription("image", reliable(5))).expect("within the limits");
    peer.table(at_ms(1), &mut session, vec![entry(EndpointKind::Publication, 1, "image", reliable(5))]);
    peer.sample(at_ms(2), &mut session, TraceId { flow: FlowId(1), sequence: 0 }, &[1; 10]);
    peer.table(at_ms(3), &mut session, Vec::new());
    drain(at_ms(3), &mut session);
    (session, peer, reader)
}

/// LNK-33: what was under way is nobody's any more, and no fault of the peer.
#[test]
fn late_packets_of_a_withdrawn_publication_are_ignored_and_are_no_violation() {
    let (mut session, mut peer, reader) = left();
    let payload = [5; 5_000];
    let shards = shards_of(&payload, 1_000);
    for sequence in 1..50 {
        let id = TraceId { flow: FlowId(1), sequence };
        peer.sample(at_ms(4), &mut session, id, &[2; 10]);
        let id = TraceId { sequence: sequence + 100, ..id };
        let fragment = fragment(at_ms(4), id, shards.len(), 0, &shards[0]);
        peer.send(at_ms(4), &mut session, &[tokkyu_link::wire::Frame::Fragment(fragment)]);
        peer.send(at_ms(4), &mut session, &[tokkyu_link::wire::Frame::Floor(id)]);
    }
    let events = drain(at_ms(2_000), &mut session);
    assert!(!events.iter().any(|e| matches!(e, Event::Delivered(_) | Event::Missed { .. })), "{events:?}");
    let (stats, ledger) = (session.stats(), session.received_ledger(reader));
    assert_eq!((stats.violations, stats.packets_malformed, stats.memory_in), (0, 0, 0));
    assert_eq!((ledger.offered, ledger.delivered), (1, 1), "the ledger stays with who read it: {ledger}");
    // A number that is to come still waits for its table (LNK-18).
    peer.sample(at_ms(2_001), &mut session, TraceId { flow: FlowId(2), sequence: 0 }, &[3; 10]);
    peer.table(at_ms(2_002), &mut session, vec![entry(EndpointKind::Publication, 2, "image", reliable(5))]);
    let events = drain(at_ms(2_002), &mut session);
    assert_eq!(events.iter().filter(|event| matches!(event, Event::Delivered(_))).count(), 1, "{events:?}");
    assert_eq!(session.received_ledger(reader).delivered, 2);
}

/// LNK-31: before and behind are told apart where numbers come round.
#[test]
fn a_number_before_the_next_is_withdrawn_and_one_from_it_on_is_to_come_also_over_the_wrap() {
    for (next, behind, ahead) in
        [(5u16, 4u16, 5u16), (5, 65_000, 30_000), (65_530, 65_529, 3), (2, 65_535, 2)]
    {
        let (mut session, mut peer) = (Session::new(SessionConfig::default()), Peer::default());
        peer.next_flow = next;
        peer.table(at_ms(1), &mut session, Vec::new());
        for flow in [behind, ahead] {
            peer.sample(at_ms(2), &mut session, TraceId { flow: FlowId(flow), sequence: 0 }, &[1; 100]);
        }
        assert_eq!(session.stats().memory_in, 100 + 512, "next {next}: {behind} ignored, {ahead} waits");
    }
}

/// LNK-33: another life of a topic has QoS, order and numbers of its own, and nothing of the former comes with it.
#[test]
fn a_topic_published_again_with_another_qos_brings_its_reader_new_data_only() {
    for lost_table in [false, true] {
        // In the second round the tables in between are lost: the peer sees only the last one.
        let mut bench = Bench::new(ms(25), SessionConfig::default(), move |packet: &Packet| {
            let is_table = |frame: &Seen| frame.sample().is_some_and(|id| id.flow == FlowId::SESSION);
            let is_time = packet.at > at_ms(500) && packet.at < at_ms(520);
            lost_table && is_time && packet.from == End::Vehicle && packet.frames.iter().any(is_table)
        });
        let reader = bench.subscribe(End::Operator, "map", reliable(3));
        let first = bench.advertise(End::Vehicle, "map", Class::BestEffort, reliable(3));
        settle(&mut bench);
        (0..3).for_each(|tag| _ = bench.publish(End::Vehicle, first, tag, 2_000));
        bench.run_to(at_ms(490));
        (3..5).for_each(|tag| _ = bench.publish(End::Vehicle, first, tag, 2_000));
        bench.run_to(at_ms(505));
        bench.session(End::Vehicle).withdraw_publication(first).expect("it is there");
        bench.run_to(at_ms(510));
        let second = bench.advertise(End::Vehicle, "map", Class::Realtime, keep_all());
        assert_ne!(first, second);
        settle(&mut bench);
        (10..15).for_each(|tag| _ = bench.publish(End::Vehicle, second, tag, 2_000));
        settle(&mut bench);
        let tags = bench.tags(End::Operator, reader);
        assert_eq!(tags[tags.len() - 5..], [10, 11, 12, 13, 14], "{tags:?}");
        assert!(tags[..tags.len() - 5].iter().all(|tag| *tag < 5), "{tags:?}");
        assert_eq!(bench.session(End::Operator).stats().violations, 0);
        bench.session(End::Operator).close();
        let ledger = bench.session(End::Operator).received_ledger(reader);
        assert!(ledger.closes() && ledger.delivered == tags.len() as u64, "both lives: {ledger}");
    }
}

/// LNK-34: a reader that went gets nothing, and once the peer knows nothing is sent for it.
#[test]
fn a_withdrawn_subscription_is_not_sent_to() {
    let mut bench = bench();
    let log = bench.advertise(End::Vehicle, "log", Class::BestEffort, keep_all());
    let reader = bench.subscribe(End::Operator, "log", keep_all());
    settle(&mut bench);
    (0..3).for_each(|tag| _ = bench.publish(End::Vehicle, log, tag, 2_000));
    settle(&mut bench);
    let ledger = bench.session(End::Operator).withdraw_subscription(reader).expect("it is there");
    assert_eq!((ledger.offered, ledger.delivered), (3, 3), "{ledger}");
    (3..6).for_each(|tag| _ = bench.publish(End::Vehicle, log, tag, 2_000_000));
    bench.run_to(bench.now + ms(26)); // the table is there, most of the samples are not sent
    let sent = bench.tap.len();
    (6..9).for_each(|tag| _ = bench.publish(End::Vehicle, log, tag, 2_000));
    settle(&mut bench);
    let carried = bench.tap[sent..].iter().filter(|packet| packet.carries(log)).count();
    assert_eq!(carried, 0, "packets for nobody");
    let endpoint = Endpoint::Publication(log);
    assert_eq!(count(&bench, End::Vehicle, &Event::Unmatched { endpoint }), 1);
    let ledger = bench.session(End::Vehicle).sent_ledger(log);
    assert_eq!((ledger.offered, ledger.delivered, ledger.dropped), (9, 3, 6), "{ledger}");
    assert_eq!(bench.tags(End::Operator, reader), [0, 1, 2]);
    assert_eq!(bench.session(End::Operator).stats().memory_in, 0, "what waited for its order is given up");
    assert_eq!(bench.session(End::Operator).withdraw_subscription(reader), None, "it is gone");
}

/// LNK-35: however soon the next reader asks, it gets what is kept, once, and an ordered one is not stuck.
#[test]
fn a_reader_in_place_of_one_that_went_gets_what_is_kept_once() {
    let ordered = Qos { durability: Durability::TransientLocal, ..keep_all() };
    for (qos, pause) in [(latched(3), 0), (latched(3), 1), (latched(3), 30), (latched(3), 200), (ordered, 0)]
        .into_iter()
        .chain([1, 10, 30, 60, 200].map(|pause| (ordered, pause)))
    {
        // The first tables that tell that it went are lost: the newer one must not come in their place.
        let mut bench = Bench::new(ms(25), SessionConfig::default(), |packet: &Packet| {
            let is_table = |frame: &Seen| frame.sample().is_some_and(|id| id.flow == FlowId::SESSION);
            let is_time = packet.at >= at_ms(400) && packet.at < at_ms(401);
            is_time && packet.from == End::Operator && packet.frames.iter().any(is_table)
        });
        let map = bench.advertise(End::Vehicle, "map", Class::BestEffort, qos);
        let first = bench.subscribe(End::Operator, "map", qos);
        settle(&mut bench);
        (0..3).for_each(|tag| _ = bench.publish(End::Vehicle, map, tag, 2_000));
        settle(&mut bench);
        bench.session(End::Operator).withdraw_subscription(first).expect("it is there");
        if pause > 0 {
            bench.run_to(bench.now + ms(pause));
        }
        let second = bench.subscribe(End::Operator, "map", qos);
        settle(&mut bench);
        bench.publish(End::Vehicle, map, 3, 2_000);
        settle(&mut bench);
        assert_eq!(bench.tags(End::Operator, second), [0, 1, 2, 3], "after {pause} ms, {qos:?}");
    }
}

/// LNK-35: what waits for the peer to see that one life's reader went holds up no other life.
#[test]
fn the_next_life_of_a_topic_is_read_before_the_end_of_the_last_is_confirmed() {
    // The vehicle's feedback is lost for a while: the operator's table is there, and not known to be.
    let mut bench = Bench::new(ms(25), SessionConfig::default(), |packet: &Packet| {
        let is_time = packet.at > at_ms(400) && packet.at < at_ms(600);
        is_time && packet.from == End::Vehicle && packet.frames.contains(&Seen::Feedback)
    });
    let lives = ["map@1", "map@2"];
    let first = bench.subscribe(End::Operator, lives[0], latched(3));
    let map = bench.advertise(End::Vehicle, lives[0], Class::BestEffort, latched(3));
    settle(&mut bench);
    bench.publish(End::Vehicle, map, 1, 2_000);
    bench.run_to(at_ms(401));
    bench.session(End::Operator).withdraw_subscription(first).expect("it is there");
    let second = bench.subscribe(End::Operator, lives[1], latched(3));
    bench.session(End::Vehicle).withdraw_publication(map).expect("it is there");
    let map = bench.advertise(End::Vehicle, lives[1], Class::BestEffort, latched(3));
    bench.publish(End::Vehicle, map, 2, 2_000);
    bench.run_to(at_ms(1_500));
    assert_eq!((bench.tags(End::Operator, first), bench.tags(End::Operator, second)), (vec![1], vec![2]));
}

/// LNK-32: what a withdrawn flow may take at the receiver is free when the receiver knows, not before.
#[test]
fn the_room_of_a_withdrawn_keep_all_flow_is_free_once_the_peer_knows() {
    let config = SessionConfig { memory_bytes: 400_000, ..SessionConfig::default() };
    let mut bench = Bench::new(ms(25), config, |_| false);
    let flows = ["a", "b"].map(|topic| {
        bench.subscribe(End::Operator, topic, keep_all());
        bench.advertise(End::Vehicle, topic, Class::BestEffort, keep_all())
    });
    settle(&mut bench);
    let fill = |bench: &mut Bench, flow| {
        let now = tokkyu_link::sim::network::Network::clock(End::Vehicle, bench.now);
        let session = bench.session(End::Vehicle);
        (0..1_000).take_while(|_| session.publish(now, flow, now, &[1; 1_000]).is_ok()).count()
    };
    let full = fill(&mut bench, flows[0]);
    assert!(full > 50 && fill(&mut bench, flows[1]) == 0, "{full}");
    bench.run_to(bench.now + ms(5));
    bench.session(End::Vehicle).withdraw_publication(flows[0]).expect("it is there");
    assert_eq!(fill(&mut bench, flows[1]), 0, "the receiver still holds it");
    bench.run_to(bench.now + ms(20));
    assert_eq!(fill(&mut bench, flows[1]), 0, "the table is under way");
    settle(&mut bench);
    assert_eq!(fill(&mut bench, flows[1]), full);
    settle(&mut bench);
    assert_eq!(bench.session(End::Operator).stats().violations, 0);
}

/// LNK-66: what a withdrawn flow was granted the others get.
#[test]
fn the_grant_of_a_withdrawn_publication_goes_to_those_that_stay() {
    let mut world = World::new(&named("wan"), 1);
    let flows = ["a", "b"].map(|topic| {
        world.subscribe(End::Operator, topic, reliable(2));
        world.advertise(End::Vehicle, topic, Class::Realtime, reliable(2))
    });
    world.run_for(ms(300));
    let granted = |world: &World, flow: FlowId| {
        let grants = world.events_of(End::Vehicle).filter_map(|event| match event {
            Event::Grant { flow: of, bps } if *of == flow => Some(*bps),
            _ => None,
        });
        grants.last().unwrap_or(0)
    };
    let run = |world: &mut World, flows: &[FlowId]| {
        for _ in 0..30 {
            flows.iter().for_each(|flow| _ = world.publish(End::Vehicle, *flow, 0, 900_000));
            world.run_for(ms(50));
        }
    };
    run(&mut world, &flows);
    let before = granted(&world, flows[1]);
    world.network.session(End::Vehicle).withdraw_publication(flows[0]).expect("it is there");
    run(&mut world, &flows[1..]);
    let after = granted(&world, flows[1]);
    assert!(before > 0 && after as f64 > 1.5 * before as f64, "{before} then {after} bit/s");
}

/// LNK-16: nobody misses the deadline of an endpoint that went.
#[test]
fn a_withdrawn_endpoint_misses_no_deadline() {
    let mut bench = bench();
    let qos = Qos { deadline: Some(ms(50)), ..reliable(5) };
    let state = bench.advertise(End::Vehicle, "state", Class::Realtime, qos);
    let reader = bench.subscribe(End::Operator, "state", qos);
    settle(&mut bench);
    bench.publish(End::Vehicle, state, 1, 100);
    bench.run_to(bench.now + ms(40));
    bench.session(End::Vehicle).withdraw_publication(state).expect("it is there");
    let since = bench.now + ms(30); // until the table is there
    bench.run_to(since + Duration::from_secs(2));
    let is_missed = |(at, _, event): &&(MonoTime, End, Event)| {
        let is = matches!(event, Event::OfferedDeadlineMissed { .. } | Event::RequestedDeadlineMissed { .. });
        is && *at > since
    };
    assert_eq!(bench.events.iter().filter(is_missed).count(), 0);
    // A life that comes later begins a period of its own.
    bench.advertise(End::Vehicle, "state", Class::Realtime, qos);
    let until = bench.now + ms(60);
    bench.run_to(until);
    let missed = |event: &&Event| **event == Event::RequestedDeadlineMissed { flow: reader };
    let told = bench.events_of(End::Operator).filter(missed).count();
    assert!(told <= 4, "{told} periods told at once");
}

/// LNK-31: numbers that outlive a session are told again in the next one.
#[test]
fn endpoints_are_announced_under_numbers_that_outlive_sessions() {
    let mut bench = bench();
    let (late, early) = (FlowId(40_000), FlowId(39_990));
    for (flow, topic) in [(early, "early"), (late, "late")] {
        let session = bench.session(End::Vehicle);
        session
            .advertise_as(flow, publication(topic, Class::Realtime, reliable(5)))
            .expect("within the limits");
        assert!(
            session.advertise_as(flow, publication(topic, Class::Realtime, reliable(5))).is_err(),
            "twice"
        );
    }
    let reader = FlowId(7_000);
    let wanted = subscription("late", reliable(5));
    bench.session(End::Operator).subscribe_as(reader, wanted).expect("within the limits");
    settle(&mut bench);
    bench.publish(End::Vehicle, late, 3, 5_000);
    let next = bench.advertise(End::Vehicle, "late", Class::Realtime, reliable(5));
    bench.publish(End::Vehicle, next, 4, 100);
    settle(&mut bench);
    assert_eq!(next, FlowId(40_001));
    let mut tags = bench.tags(End::Operator, reader);
    tags.sort_unstable();
    assert_eq!(tags, [3, 4]);
}
