//! Memory bounds of both ends together (LNK-7 to LNK-9): what a sender may have at its receiver, and who gives way there.

use crate::world::bench::{Bench, Packet, Seen};
use crate::world::peer::{Peer, drain, entry, fragment};
use crate::world::stream::Stream;
use crate::world::{World, at_ms, both, keep_all, link, ms, named, publication, reliable, with_lifespan};
use tokkyu_contract::{Class, Durability, FlowId, Outcome, Qos, TraceId};
use tokkyu_link::core::{PublishError, Session, SessionConfig};
use tokkyu_link::sim::network::{End, Network};
use tokkyu_link::sim::path::Profile;
use tokkyu_link::wire::{EndpointKind, Frame, Table};

/// Ends with a bound of their own each.
fn config(memory_bytes: usize) -> SessionConfig {
    SessionConfig { memory_bytes, ..SessionConfig::default() }
}

/// A session that publishes "log", and the flow.
fn sender(memory_bytes: usize, qos: Qos) -> (Session, FlowId) {
    let mut session = Session::new(config(memory_bytes));
    let flow = session.advertise(publication("log", Class::Realtime, qos)).expect("within the limits");
    (session, flow)
}

/// The peer tells its bound, and whether it wants the log.
fn tell(session: &mut Session, memory_bytes: u64, wants: bool) {
    let entries = vec![entry(EndpointKind::Subscription, 1, if wants { "log" } else { "other" }, keep_all())];
    let table = Table { memory_bytes, next: FlowId(1), entries }.to_bytes();
    Peer::default().table_bytes(at_ms(1), session, &table);
    drain(at_ms(1), session);
}

/// Samples of `bytes` taken until the first refusal, at most `most`.
fn taken(session: &mut Session, flow: FlowId, bytes: usize, most: usize) -> (usize, Option<PublishError>) {
    let payload = vec![1; bytes];
    for count in 0..most {
        if let Err(error) = session.publish(at_ms(2), flow, at_ms(2), &payload) {
            return (count, Some(error));
        }
    }
    (most, None)
}

/// LNK-9: half of the smaller bound, whichever it is.
#[test]
fn a_keep_all_flow_may_have_half_of_the_smaller_bound_unconfirmed() {
    for (own, peers) in [(200_000, 1 << 40), (1 << 28, 200_000)] {
        let (mut session, flow) = sender(own, keep_all());
        tell(&mut session, peers, true);
        let (count, error) = taken(&mut session, flow, 1_000, 1_000);
        assert_eq!(count, 100_000 / 1_512, "own {own}, the peer's {peers}");
        assert_eq!(error, Some(PublishError::Full { limit: 100_000 }));
    }
}

/// LNK-9: the budget is one for all flows that keep all; others do not share it.
#[test]
fn all_keep_all_flows_share_one_budget_and_keep_last_flows_are_outside_it() {
    let (mut session, log) = sender(200_000, keep_all());
    let more =
        session.advertise(publication("more", Class::Realtime, keep_all())).expect("within the limits");
    let last =
        session.advertise(publication("last", Class::Realtime, reliable(5))).expect("within the limits");
    assert_eq!(taken(&mut session, log, 1_000, 33).0, 33);
    assert_eq!(taken(&mut session, more, 1_000, 1_000).0, 33);
    assert_eq!(taken(&mut session, last, 1_000, 1_000).0, 1_000);
}

/// LNK-9: before the table 4 MiB are assumed.
#[test]
fn before_the_table_the_peers_bound_is_assumed() {
    let (mut session, flow) = sender(1 << 28, keep_all());
    let (count, error) = taken(&mut session, flow, 1_000, 10_000);
    assert_eq!((count, error), ((2 << 20) / 1_512, Some(PublishError::Full { limit: 2 << 20 })));
    tell(&mut session, 1 << 28, true);
    assert_eq!(taken(&mut session, flow, 1_000, 1_000).0, 1_000, "now it is known");
}

/// LNK-9: what nobody wants waits for nobody.
#[test]
fn a_keep_all_flow_that_nobody_wants_is_never_refused() {
    for durability in [Durability::Volatile, Durability::TransientLocal] {
        let (mut session, flow) = sender(100_000, Qos { durability, ..keep_all() });
        tell(&mut session, 100_000, false);
        // Nor by the flows that have used the budget up.
        let wanted = session.advertise(publication("other", Class::Realtime, keep_all()));
        assert_eq!(taken(&mut session, wanted.expect("within the limits"), 1_000, 1_000).0, 33);
        assert_eq!(taken(&mut session, flow, 1_000, 1_000), (1_000, None));
        assert!(session.stats().memory_out <= 75_000, "{}", session.stats().memory_out);
    }
}

/// LNK-9, LNK-14: a late joiner gets the newest that there is room for.
#[test]
fn a_late_joiner_of_a_keep_all_flow_gets_the_newest_that_fit_the_budget() {
    let mut world = World::with_config(&named("wan"), 1, config(200_000));
    let qos = Qos { durability: Durability::TransientLocal, ..keep_all() };
    let log = world.advertise(End::Vehicle, "log", Class::BestEffort, qos);
    world.run_to(at_ms(200));
    // 200 bytes of payload count 712 on their way: of about 170 kept, 140 fit.
    (0..500).for_each(|tag| _ = world.publish(End::Vehicle, log, tag, 200));
    let reader = world.subscribe(End::Operator, "log", qos);
    world.run_for(ms(2_000));
    let tags = world.tags(End::Operator, reader);
    assert_eq!(tags, (500 - tags.len() as u32..500).collect::<Vec<u32>>());
    assert!((100..=140).contains(&tags.len()), "{}", tags.len());
    assert_eq!(world.network.session(End::Operator).stats().violations, 0);
}

/// LNK-9: more numbers than the receiver tells apart.
#[test]
fn a_keep_all_flow_is_refused_beyond_8192_numbers() {
    let (mut session, flow) = sender(1 << 30, keep_all());
    tell(&mut session, 1 << 30, true);
    let (count, error) = taken(&mut session, flow, 10, 10_000);
    assert_eq!((count, error), (8_192, Some(PublishError::TooMany { limit: 8_192 })));
}

/// LNK-9: a sample that can never fit is refused as too large, and the longest that fits is told.
#[test]
fn a_sample_beyond_its_share_of_the_bound_is_too_large() {
    for (qos, share) in [(keep_all(), 100_000), (reliable(3), 50_000)] {
        let (mut session, flow) = sender(1 << 28, qos);
        tell(&mut session, 200_000, true);
        let refused = session.publish(at_ms(2), flow, at_ms(2), &vec![1; share]);
        let Err(PublishError::TooLarge { bytes, limit }) = refused else { panic!("{refused:?}") };
        assert!(bytes == share && limit > share / 4, "{limit} of {share}");
        assert!(session.publish(at_ms(2), flow, at_ms(2), &vec![1; limit + 1]).is_err());
        session.publish(at_ms(2), flow, at_ms(2), &vec![1; limit]).expect("the longest that fits");
    }
}

/// LNK-8: images that take all there is do not push a log out.
#[test]
fn a_flood_of_images_pushes_no_sample_of_a_keep_all_flow_out() {
    let bound = 1_000_000;
    let mut session = Session::new(config(bound));
    for (topic, qos) in [("log", keep_all()), ("image", reliable(5))] {
        session.subscribe(crate::world::subscription(topic, qos)).expect("within the limits");
    }
    let mut peer = Peer::default();
    let offers = [(1, "log", keep_all()), (2, "image", reliable(5))];
    let offers = offers.map(|(flow, topic, qos)| entry(EndpointKind::Publication, flow, topic, qos));
    peer.table(at_ms(1), &mut session, offers.to_vec());
    let log = crate::world::peer::shards_of(&crate::world::payload::tagged(7, 20_000), 1_000);
    let id = |flow, sequence| TraceId { flow: FlowId(flow), sequence };
    for (index, shard) in log.iter().enumerate() {
        let part = Frame::Fragment(fragment(at_ms(1), id(1, 0), log.len(), index, shard));
        peer.send(at_ms(1), &mut session, &[part]);
        for sequence in 0..20 {
            let image = fragment(at_ms(1), id(2, 20 * index as u32 + sequence), 100, 0, &[1; 1_000]);
            peer.send(at_ms(1), &mut session, &[Frame::Fragment(image)]);
        }
        assert!(session.stats().memory_in <= bound);
    }
    let delivered = drain(at_ms(1), &mut session).into_iter().any(
        |event| matches!(event, tokkyu_link::core::Event::Delivered(d) if crate::world::payload::tag_of(&d.payload) == 7),
    );
    assert!(delivered, "its shards are there, whatever else came");
}

/// Publishes `log` beside images for 3 s and gives what became of it.
fn beside_images(profile: &Profile, seed: u64, log: Qos) -> (World, Stream) {
    let mut world = World::with_config(profile, seed, config(600_000));
    let mut log = world.stream(End::Vehicle, Class::BestEffort, log, 15_000, ms(20));
    let mut images =
        world.stream(End::Vehicle, Class::Realtime, with_lifespan(reliable(3), 400), 30_000, ms(50));
    for step in 1..=300 {
        world.drive(&mut [&mut log, &mut images], at_ms(10 * step));
        let held = world.network.session(End::Operator).stats().memory_in;
        assert!(held <= 600_000, "{held} bytes");
    }
    world.run_for(ms(3_000));
    (world, log)
}

/// LNK-8, LNK-9: between honest ends nothing taken is lost and nobody breaks a rule, at the bound, with losses.
#[test]
fn a_log_at_the_bound_beside_images_loses_nothing_taken() {
    for seed in 1..=4 {
        let mut profile = both("8 Mbit/s", link(8, 20, 100));
        profile.up.loss = tokkyu_link::sim::path::Loss::Uniform { share: 0.03 };
        let (mut world, log) = beside_images(&profile, seed, keep_all());
        assert!(log.refused > 20, "refused {}", log.refused);
        let fates = world.fates(&log);
        // Before a reader is known nobody wants it.
        let mut wanted = fates.values().filter(|fate| fate.capture >= at_ms(100));
        let all = wanted.all(|fate| fate.sender == Some(Outcome::Delivered) && fate.deliveries == 1);
        assert!(all && fates.len() > 15, "seed {seed}: {fates:?}");
        assert_eq!(world.network.session(End::Operator).stats().violations, 0, "seed {seed}");
    }
}

/// LNK-9: what stands behind a sample that was given up is held until the receiver hears of it.
#[test]
fn a_floor_that_is_lost_again_and_again_makes_the_sender_wait_and_nobody_break_the_rule() {
    let first = TraceId { flow: FlowId(1), sequence: 0 };
    let loses = move |packet: &Packet| {
        let is_floor = packet.frames.iter().any(|frame| matches!(frame, Seen::Floor { .. }));
        packet.at < at_ms(800)
            && (is_floor && packet.at > at_ms(120)
                || packet.frames.iter().any(|frame| frame.sample() == Some(first)))
    };
    let mut bench = Bench::new(ms(10), config(100_000), loses);
    let qos = with_lifespan(keep_all(), 100);
    let flow = bench.advertise(End::Vehicle, "log", Class::Realtime, qos);
    let reader = bench.subscribe(End::Operator, "log", qos);
    bench.run_to(at_ms(50));
    let mut refused = 0;
    for step in 0..200u64 {
        let (now, payload) = (bench.now, crate::world::payload::tagged(step as u32, 1_000));
        let taken = bench.session(End::Vehicle).publish(now, flow, now, &payload);
        refused += usize::from(taken.is_err());
        bench.run_to(at_ms(50 + 5 * (step + 1)));
        assert_eq!(bench.session(End::Operator).stats().violations, 0, "at {}", bench.now);
    }
    bench.run_to(at_ms(1_200));
    assert!(refused > 50, "{refused} of 200 refused: the budget of 33 was full for half a second");
    assert_eq!(bench.tags(End::Operator, reader).last(), Some(&199), "and then it came back");
}

/// LNK-9: samples given up count until the receiver knows, so that an outage makes nobody break the rule.
#[test]
fn samples_given_up_in_an_outage_count_until_the_floor_is_confirmed() {
    for seed in 1..=4 {
        let mut profile = named("wan-loss5");
        profile.up = profile.up.with_outage(ms(800), ms(1_300));
        let (mut world, log) = beside_images(&profile, seed, with_lifespan(keep_all(), 150));
        let expired =
            world.settled(End::Vehicle, log.flow).iter().filter(|(_, o)| *o == Outcome::Expired).count();
        assert!(expired > 5, "{expired} expired");
        assert_eq!(world.network.session(End::Operator).stats().violations, 0, "seed {seed}");
        let clock = Network::clock(End::Vehicle, world.now());
        let again = world.network.session(End::Vehicle).publish(clock, log.flow, clock, &[1; 15_000]);
        assert!(again.is_ok(), "the budget came back: {again:?}");
    }
}

/// LNK-8: a site may declare less than an end can work with; it is taken as the least, by both ends.
#[test]
fn with_the_smallest_bound_that_can_be_declared_control_still_arrives() {
    for memory_bytes in [1, 1_000, 64 << 10, usize::MAX] {
        let mut world = World::with_config(&named("lan"), 1, config(memory_bytes));
        let mut command = world.stream(End::Operator, Class::Control, reliable(10), 64, ms(20));
        let mut log = world.stream(End::Vehicle, Class::Realtime, keep_all(), 100, ms(20));
        world.drive(&mut [&mut command, &mut log], at_ms(1_000));
        world.run_to(at_ms(2_000));
        for stream in [&command, &log] {
            assert_eq!(world.latencies(stream, at_ms(0)).len(), 50, "with {memory_bytes} bytes");
        }
    }
}
