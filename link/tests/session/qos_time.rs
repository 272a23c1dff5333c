//! Time (LNK-1 to LNK-4, LNK-16, LNK-17): lifespan at both ends, deadlines, liveliness.

use crate::world::bench::{Bench, Packet};
use crate::world::networks::made_up;
use crate::world::peer::{Peer, drain, entry};
use crate::world::{World, at_ms, both, link, ms, named, reliable, subscription, with_lifespan};
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime, Outcome, Qos};
use tokkyu_link::core::{Event, SessionConfig};
use tokkyu_link::sim::network::{End, Network};
use tokkyu_link::sim::path::{Loss, Profile, Reorder};
use tokkyu_link::wire::EndpointKind;

const SEEDS: u64 = 8;

/// LNK-2, on the wire: after the lifespan nothing of a sample is sent, whether it was lost, repaired or still waiting.
#[test]
fn nothing_of_a_sample_is_sent_after_its_lifespan() {
    for lost_of_ten in [0, 3, 9, 10] {
        let loses = move |packet: &Packet| packet.at > at_ms(50) && packet.nth % 10 < lost_of_ten;
        let mut bench =
            Bench::new(ms(20), SessionConfig { max_bps: 20e6, ..SessionConfig::default() }, loses);
        let qos = with_lifespan(reliable(10), 120);
        let flow = bench.advertise(End::Vehicle, "image", Class::Realtime, qos);
        let command = bench.advertise(End::Vehicle, "command", Class::Control, qos);
        bench.subscribe(End::Operator, "image", qos);
        bench.subscribe(End::Operator, "command", qos);
        for tag in 0..30 {
            // 400 kB each 40 ms at 20 Mbit/s: more than fits, so that some are half sent when they expire.
            bench.publish(End::Vehicle, flow, tag, 400_000);
            bench.publish(End::Vehicle, command, tag, 64);
            bench.run_to(bench.now + ms(40));
        }
        bench.run_to(bench.now + ms(1_000));
        let mut sent = 0;
        for packet in bench.tap.iter().filter(|packet| packet.from == End::Vehicle) {
            for id in packet.frames.iter().filter_map(|frame| frame.sample()).filter(|id| id.flow.0 > 0) {
                let age = packet.at.since(at_ms(40 * u64::from(id.sequence)));
                assert!(age <= ms(120), "{id} sent at an age of {age:?}, {lost_of_ten} of 10 lost");
                sent += 1;
            }
        }
        assert!(sent > 100, "{sent} packets");
        let settled = bench.session(End::Vehicle).sent_ledger(flow);
        assert!(settled.closes() && settled.expired > 0, "{settled}");
    }
}

/// LNK-2: what could only arrive too late is not sent either, half the smoothed round trip taken as the way.
#[test]
fn a_packet_that_could_not_arrive_within_the_lifespan_is_not_sent() {
    let loses = |packet: &Packet| packet.from == End::Vehicle && packet.nth.is_multiple_of(3);
    let mut bench = Bench::new(ms(40), SessionConfig::default(), loses);
    let qos = with_lifespan(reliable(10), 200);
    let flow = bench.advertise(End::Vehicle, "image", Class::Realtime, qos);
    bench.subscribe(End::Operator, "image", qos);
    for tag in 0..40 {
        bench.publish(End::Vehicle, flow, tag, 100_000);
        bench.run_to(bench.now + ms(50));
    }
    bench.run_to(bench.now + ms(1_000));
    for packet in &bench.tap {
        for id in packet.frames.iter().filter_map(|frame| frame.sample()).filter(|id| id.flow == flow) {
            let age = packet.at.since(at_ms(50 * u64::from(id.sequence)));
            assert!(age <= ms(161), "{id} sent at an age of {age:?}, the way takes 40 ms of 200");
        }
    }
}

/// LNK-3, LNK-4: no delivery is older than the lifespan by more than the clock estimate may be off.
#[test]
fn no_sample_is_delivered_late_on_any_network() {
    let mut delivered = 0;
    for seed in 100..160 {
        let (profile, bps) = made_up(seed);
        let mut world = World::new(&profile, seed);
        let lifespan = ms(150);
        let bytes = (bps * 0.05 * 0.3 / 8.0).min(60_000.0) as usize;
        let mut image =
            world.stream(End::Vehicle, Class::Realtime, with_lifespan(reliable(10), 150), bytes, ms(50));
        let mut command =
            world.stream(End::Operator, Class::Control, with_lifespan(reliable(10), 150), 64, ms(20));
        world.drive(&mut [&mut image, &mut command], at_ms(3_000));
        world.run_to(at_ms(4_000));
        for (end, stream) in [(End::Operator, &image), (End::Vehicle, &command)] {
            let fates = world.fates(stream);
            for (at, d) in world.delivered(end, stream.reader) {
                let age = at.since(fates[&d.id.sequence].capture);
                assert!(
                    d.age <= lifespan,
                    "delivered {} at an age of {:?} by the session's own estimate",
                    d.id,
                    d.age
                );
                // Before the first clock estimate only the time since the first packet is known.
                let off = if d.age_error == Duration::MAX {
                    MonoTime::MAX.since(MonoTime::ZERO)
                } else {
                    d.age_error
                };
                assert!(age <= lifespan + off, "{} is {age:?} old, the error is at most {off:?}", d.id);
                assert!(
                    age.abs_diff(d.age) <= off.max(ms(1)),
                    "{}: age {age:?}, estimated {:?} ± {off:?}",
                    d.id,
                    d.age
                );
                delivered += 1;
            }
        }
    }
    assert!(
        delivered > 5_000,
        "{delivered} deliveries: the networks let too little through to show anything"
    );
}

/// LNK-3: on a network without asymmetry the estimate is right to a millisecond, and so is the lifespan.
#[test]
fn on_a_lossy_symmetric_path_no_sample_is_delivered_later_than_its_lifespan() {
    for seed in 1..=SEEDS {
        for network in ["wan-loss5", "wan-burst5", "lan-loss5-both", "narrow"] {
            let mut world = World::new(&named(network), seed);
            let qos = with_lifespan(reliable(10), 80);
            let mut image = world.stream(End::Vehicle, Class::Realtime, qos, 374_000, ms(50));
            let mut command = world.stream(End::Operator, Class::Control, qos, 64, ms(20));
            world.drive(&mut [&mut image, &mut command], at_ms(1_500));
            world.run_to(at_ms(2_500));
            for stream in [&image, &command] {
                let worst = world.latencies(stream, at_ms(200)).into_iter().max().unwrap_or_default();
                assert!(worst <= ms(82), "{network}: {worst:?}");
            }
        }
    }
}

/// LNK-3: complete but too old is `late`, and never delivered.
#[test]
fn a_sample_that_becomes_complete_too_late_is_told_as_late() {
    let mut late = 0;
    for seed in 1..=SEEDS {
        let mut profile = both("slow packets", link(50, 20, 100));
        profile.up.reorder = Reorder { share: 0.05, extra_delay: ms(200) };
        let mut world = World::new(&profile, seed);
        let qos = with_lifespan(Qos::sensor_data(), 100);
        let mut image = world.stream(End::Vehicle, Class::Realtime, qos, 1_000, ms(10));
        world.drive(&mut [&mut image], at_ms(2_000));
        world.run_to(at_ms(3_000));
        late += world.missed(End::Operator, image.flow).iter().filter(|(_, o)| *o == Outcome::Late).count();
        let worst = world.latencies(&image, at_ms(100)).into_iter().max();
        assert!(worst < Some(ms(102)), "{worst:?}");
    }
    assert!(late > 20, "{late}");
}

/// LNK-3: what stays incomplete is given up at its lifespan, and its memory freed.
#[test]
fn an_incomplete_sample_is_given_up_and_its_memory_freed_when_its_lifespan_is_over() {
    let mut world = World::new(&named("wan-loss5"), 3);
    let qos = with_lifespan(Qos::sensor_data(), 200);
    let mut image = world.stream(End::Vehicle, Class::Realtime, qos, 374_000, ms(100));
    world.drive(&mut [&mut image], at_ms(1_000));
    world.run_to(at_ms(1_050));
    assert!(world.network.session(End::Operator).stats().memory_in > 300_000, "an image is under way");
    world.run_to(at_ms(1_250));
    assert_eq!(world.network.session(End::Operator).stats().memory_in, 0);
    let missed = world.missed(End::Operator, image.flow);
    assert!(
        missed.len() >= 9 && missed.iter().all(|(_, outcome)| *outcome == Outcome::Expired),
        "{missed:?}"
    );
}

/// LNK-1: the age counts from the capture stamp, not from publishing.
#[test]
fn the_age_of_a_sample_counts_from_its_capture() {
    let mut world = World::new(&named("wan"), 1);
    let qos = with_lifespan(reliable(10), 100);
    let flow = world.advertise(End::Vehicle, "image", Class::Realtime, qos);
    let reader = world.subscribe(End::Operator, "image", qos);
    world.run_to(at_ms(1_000));
    for age in [60, 70, 80, 90, 110] {
        let now = world.now();
        let capture = now.saturating_sub(ms(age));
        let clock = |at: MonoTime| Network::clock(End::Vehicle, at);
        let payload = crate::world::payload::tagged(age as u32, 100);
        world
            .network
            .session(End::Vehicle)
            .publish(clock(now), flow, clock(capture), &payload)
            .expect("taken");
        world.run_for(ms(100));
    }
    assert_eq!(world.tags(End::Operator, reader), [60, 70], "one way takes 25 ms of the 100");
    let ages: Vec<u128> =
        world.delivered(End::Operator, reader).iter().map(|(_, d)| d.age.as_millis()).collect();
    assert!((84..=86).contains(&ages[0]) && (94..=96).contains(&ages[1]), "{ages:?}");
}

/// LNK-16: once for each period missed, at each side.
#[test]
fn a_missed_deadline_is_told_once_for_each_period_at_both_sides() {
    let mut world = World::new(&named("wan"), 1);
    let qos = Qos { deadline: Some(ms(100)), ..reliable(5) };
    let flow = world.advertise(End::Vehicle, "state", Class::Realtime, qos);
    let reader = world.subscribe(End::Operator, "state", qos);
    for tag in 0..10 {
        world.publish(End::Vehicle, flow, tag, 100);
        world.run_for(ms(50));
    }
    let offered = Event::OfferedDeadlineMissed { flow };
    let requested = Event::RequestedDeadlineMissed { flow: reader };
    let told = |world: &World| (world.count(End::Vehicle, &offered), world.count(End::Operator, &requested));
    assert_eq!(told(&world), (0, 0), "published twice in each period");
    // The last was published at 450 ms and delivered at 475: missed at 550, 650, ... and at 575, 675, ...
    world.run_to(at_ms(960));
    assert_eq!(told(&world), (5, 4));
    world.publish(End::Vehicle, flow, 10, 100);
    world.run_to(at_ms(1_050));
    assert_eq!(told(&world), (5, 5), "the reader's fifth period ended at 975 ms, before the new sample came");
}

/// LNK-16: what is published but lost is a miss of the reader's alone.
#[test]
fn samples_that_do_not_arrive_are_missed_by_the_reader_alone() {
    let mut profile = named("wan");
    profile.up = profile.up.with_outage(ms(500), ms(1_000));
    let mut world = World::new(&profile, 1);
    let qos = Qos { deadline: Some(ms(100)), ..Qos::sensor_data() };
    let mut state = world.stream(End::Vehicle, Class::Realtime, qos, 100, ms(20));
    world.drive(&mut [&mut state], at_ms(2_000));
    let offered = world.count(End::Vehicle, &Event::OfferedDeadlineMissed { flow: state.flow });
    let requested = world.count(End::Operator, &Event::RequestedDeadlineMissed { flow: state.reader });
    assert_eq!(offered, 0);
    assert!((4..=6).contains(&requested), "half a second without a delivery, told {requested} times");
}

/// LNK-16: a reader whose publisher has left has no deadline to miss, and asks for no time either.
#[test]
fn a_reader_that_is_unmatched_again_lets_time_pass() {
    let mut world = World::new(&named("wan"), 1);
    let mut peer = Peer::default();
    let session = world.network.session(End::Vehicle);
    let qos = Qos { deadline: Some(ms(100)), ..reliable(5) };
    session.subscribe(subscription("state", qos)).expect("within the limits");
    peer.table(at_ms(1), session, vec![entry(EndpointKind::Publication, 1, "state", qos)]);
    drain(at_ms(1), session);
    session.on_timer(at_ms(150));
    peer.table(at_ms(200), session, Vec::new());
    drain(at_ms(200), session);
    for at in 1..=20 {
        drain(at_ms(200 + 100 * at), session);
    }
    let now = at_ms(2_200);
    assert!(session.deadline() > now, "wants to be called at {}, it is {now}", session.deadline());
}

/// LNK-17: silent after the lease, alive with the next packet, once each.
#[test]
fn a_peer_is_told_silent_after_the_lease_and_alive_when_it_is_heard_again() {
    for seed in 1..=SEEDS {
        let mut profile = named("wan-loss5");
        profile.up = profile.up.with_outage(ms(2_000), ms(4_000));
        let mut world = World::new(&profile, seed);
        let mut image =
            world.stream(End::Vehicle, Class::Realtime, with_lifespan(reliable(5), 500), 50_000, ms(50));
        let mut command =
            world.stream(End::Operator, Class::Control, with_lifespan(reliable(5), 150), 64, ms(20));
        world.drive(&mut [&mut image, &mut command], at_ms(6_000));
        let when = |wanted: Event| -> Vec<MonoTime> {
            world.notes.iter().filter(|n| n.end == End::Operator && n.event == wanted).map(|n| n.at).collect()
        };
        let (silent, alive) = (when(Event::PeerSilent), when(Event::PeerAlive));
        assert_eq!((silent.len(), alive.len()), (1, 1), "silent at {silent:?}, alive at {alive:?}");
        assert!((at_ms(2_900)..at_ms(3_030)).contains(&silent[0]), "{}", silent[0]);
        assert!((at_ms(4_020)..at_ms(4_200)).contains(&alive[0]), "{}", alive[0]);
        assert_eq!(world.count(End::Vehicle, &Event::PeerSilent), 0, "the way back was never out");
    }
}

/// LNK-17: the lease is the session's.
#[test]
fn the_lease_can_be_set() {
    let config = SessionConfig { lease: ms(300), ..SessionConfig::default() };
    let out = named("wan").up.with_outage(ms(1_000), ms(10_000));
    let profile = Profile { name: "out".into(), up: out.clone(), down: out.with_loss(Loss::None) };
    let mut world = World::with_config(&profile, 1, config);
    let mut command = world.stream(End::Operator, Class::Control, reliable(5), 64, ms(20));
    world.drive(&mut [&mut command], at_ms(2_000));
    let silent = world.notes.iter().find(|n| n.end == End::Vehicle && n.event == Event::PeerSilent);
    let at = silent.expect("told").at;
    assert!((at_ms(1_280)..at_ms(1_330)).contains(&at), "{at}");
}
