//! Order of sending (LNK-50, LNK-51): what a class waits for, and how flows of one class share.

use crate::world::bench::{Bench, Packet};
use crate::world::with_lifespan;
use crate::world::{World, at_ms, both, link, link_qos, millis, ms, named, quantile, reliable};
use std::time::Duration;
use tokkyu_contract::{Class, FlowId, MonoTime, Qos};
use tokkyu_link::core::SessionConfig;
use tokkyu_link::sim::drive::{Workload, drive};
use tokkyu_link::sim::network::End;

/// What control may wait for on top of the path's delay: the packet being sent, one behind it and its own, a batch of
/// 250 µs (LNK-60), and a queue of our own of 1/`part` of max(round trip, 8 ms) (LNK-63).
fn bound(mbit: u64, delay: Duration, part: u32) -> Duration {
    let packet = Duration::from_nanos(1_531 * 8 * 1_000 / mbit);
    delay + packet * 3 + Duration::from_micros(250) + (delay * 2).max(ms(8)) / part
}

/// LNK-50, LNK-63: control beside images that take all the link has, the same way.
#[test]
fn control_waits_for_a_batch_and_the_aimed_at_queue_while_images_saturate_its_direction() {
    let mut over = Vec::new();
    for (mbit, delay_ms) in [(10, 10), (25, 25), (100, 25), (200, 25), (1_000, 1)] {
        // Nothing here is left to chance, so one seed is all.
        let mut world = World::new(&both("saturated", link(mbit, delay_ms, 100)), 1);
        let image_bytes = (mbit * 125_000 / 10 / 2) as usize;
        let mut images: Vec<_> = (0..3)
            .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), image_bytes, ms(100)))
            .collect();
        let qos = with_lifespan(reliable(10), 500);
        let mut control = world.stream(End::Vehicle, Class::Control, qos, 64, ms(3));
        let mut all: Vec<_> = images.iter_mut().chain([&mut control]).collect();
        world.drive(&mut all, at_ms(4_000));
        world.run_to(at_ms(5_000));
        // The first second is the start-up, which measures with a train (LNK-64).
        let latencies = world.latencies(&control, at_ms(1_000));
        assert!(latencies.len() >= 999, "all of it arrives: {}", latencies.len());
        // A tenth is what the rate aims at, above a quarter it backs off.
        for (share, part) in [(0.5, 10), (0.99, 4)] {
            let (found, limit) = (quantile(&latencies, share), bound(mbit, ms(delay_ms), part));
            if found > limit {
                let (found, limit) = (millis(found), millis(limit));
                over.push(format!(
                    "{mbit} Mbit/s: {share} of control within {found:.2} ms, bound {limit:.2} ms"
                ));
            }
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}

/// LNK-50, on the wire: no packet of a lower class leaves while one of a higher class is ready.
#[test]
fn classes_leave_strictly_in_order() {
    let mut bench =
        Bench::new(ms(10), SessionConfig { max_bps: 50e6, ..SessionConfig::default() }, |_| false);
    let classes = [Class::Background, Class::BestEffort, Class::Realtime, Class::Control];
    let flows = classes.map(|class| {
        bench.subscribe(End::Operator, class.as_str(), reliable(10));
        bench.advertise(End::Vehicle, class.as_str(), class, reliable(10))
    });
    bench.run_to(at_ms(200));
    // Lowest first, so that the order of publishing is not the order of sending.
    for flow in flows {
        bench.publish(End::Vehicle, flow, 1, 60_000);
    }
    let from = bench.tap.len();
    bench.run_to(at_ms(1_000));
    let order: Vec<FlowId> = bench.tap[from..]
        .iter()
        .filter(|packet| packet.from == End::Vehicle)
        .filter_map(|packet| packet.frames.iter().find_map(|frame| frame.sample()))
        .map(|id| id.flow)
        .collect();
    let position = |flow: FlowId| {
        let at = |packet: &FlowId| *packet == flow;
        (order.iter().position(at).expect("sent"), order.iter().rposition(at).expect("sent"))
    };
    for pair in flows.windows(2) {
        let (lower, higher) = (position(pair[0]), position(pair[1]));
        assert!(higher.1 < lower.0, "{:?} at {higher:?}, {:?} at {lower:?}", pair[1], pair[0]);
    }
}

/// LNK-50: a command published in the middle of an image goes next.
#[test]
fn a_command_published_in_the_middle_of_an_image_is_the_next_packet() {
    let config = SessionConfig { max_bps: 10e6, ..SessionConfig::default() };
    let mut bench = Bench::new(ms(10), config, |_| false);
    let image = bench.advertise(End::Vehicle, "image", Class::Realtime, reliable(5));
    let command = bench.advertise(End::Vehicle, "command", Class::Control, reliable(5));
    for topic in ["image", "command"] {
        bench.subscribe(End::Operator, topic, reliable(5));
    }
    bench.run_to(at_ms(200));
    bench.publish(End::Vehicle, image, 1, 400_000);
    for tag in 0..10 {
        bench.run_to(at_ms(210 + 3 * u64::from(tag)));
        let (at, from) = (bench.now, bench.tap.len());
        bench.publish(End::Vehicle, command, tag, 64);
        bench.run_to(bench.now);
        let next = bench.tap[from..].iter().find(|packet| packet.from == End::Vehicle).expect("sent at once");
        assert!(next.carries(command) && next.at == at, "{next:?} at {at}");
    }
    let is_image = |packet: &&Packet| packet.carries(image) && packet.at >= at_ms(210);
    assert!(bench.tap.iter().filter(is_image).count() > 10, "the image was under way all the time");
}

/// LNK-50: background takes what is left, and nothing of what the images need.
#[test]
fn background_yields_to_images_and_still_gets_what_is_left() {
    for image_bytes in [500_000, 600_000] {
        let alone = image_latencies(image_bytes, false);
        let beside = image_latencies(image_bytes, true);
        assert_eq!(alone.1.len(), beside.1.len(), "every image arrives, background or not");
        let worst = |of: &[Duration]| of.iter().max().copied().unwrap_or_default();
        assert!(
            // A quarter of a round trip of our own queue is when the rate backs off (LNK-63).
            worst(&beside.1) <= worst(&alone.1) + ms(13),
            "worst alone {:.1} ms, beside background {:.1} ms",
            millis(worst(&alone.1)),
            millis(worst(&beside.1))
        );
        // Half of the link is left, 50 Mbit/s for 3 s are 18.7 MB.
        assert!(beside.0 > 12_000_000, "background got {} bytes", beside.0);
    }
}

/// Bytes of background delivered, and the latencies of images that take about half of `narrow`.
fn image_latencies(image_bytes: usize, with_background: bool) -> (usize, Vec<Duration>) {
    let mut world = World::new(&named("narrow"), 1);
    let mut image = world.stream(End::Vehicle, Class::Realtime, link_qos(), image_bytes, ms(100));
    let bulk_bytes = if with_background { 500_000 } else { 100 };
    let mut bulk = world.stream(End::Vehicle, Class::Background, reliable(10), bulk_bytes, ms(40));
    world.drive(&mut [&mut image, &mut bulk], at_ms(4_000));
    let delivered = world.delivered(End::Operator, bulk.reader);
    let bytes = delivered.iter().filter(|(at, _)| *at >= at_ms(1_000)).map(|(_, d)| d.payload.len()).sum();
    world.run_to(at_ms(5_000));
    (bytes, world.latencies(&image, at_ms(1_000)))
}

/// LNK-51: four cameras that fire on the same tick share a link that carries three quarters of them.
#[test]
fn flows_of_one_class_share_a_link_that_is_too_small_for_them_equally() {
    for image_bytes in [374_000, 370_000, 350_000] {
        let workload = Workload { image_bytes, ..Workload::paper(4, 120, link_qos()) };
        let outcomes = drive(&named("narrow"), 1, &workload, SessionConfig::default());
        let shares: Vec<usize> = outcomes.streams[..4]
            .iter()
            .map(|camera| camera[20..].iter().filter(|sample| sample.arrival.is_some()).count())
            .collect();
        assert_equal_within_a_tenth("on one tick", &shares);
    }
}

/// LNK-51: also when they do not fire together, and when one is published first in every round.
#[test]
fn the_order_of_publishing_gives_no_flow_an_advantage() {
    for spread_ms in [0, 1, 8] {
        let mut world = World::new(&named("narrow"), 1);
        let mut cameras: Vec<_> = (0..4)
            .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 374_000, ms(100)))
            .collect();
        for (at, camera) in cameras.iter_mut().enumerate() {
            camera.due += ms(spread_ms * at as u64);
        }
        let mut all: Vec<_> = cameras.iter_mut().collect();
        world.drive(&mut all, at_ms(14_000));
        world.run_to(at_ms(15_000));
        let shares: Vec<usize> =
            cameras.iter().map(|camera| world.latencies(camera, at_ms(2_000)).len()).collect();
        assert_equal_within_a_tenth(&format!("{spread_ms} ms apart"), &shares);
    }
}

fn assert_equal_within_a_tenth(of: &str, shares: &[usize]) {
    let mean = shares.iter().sum::<usize>() as f64 / shares.len() as f64;
    let is_equal = shares.iter().all(|share| (*share as f64 - mean).abs() <= 0.1 * mean);
    assert!(is_equal && mean > 20.0, "shares {shares:?} of cameras {of}");
}

/// LNK-51: in a round the flow that waited longest goes first, so that no camera is always last.
#[test]
fn no_camera_is_always_the_last() {
    let mut world = World::new(&named("wan"), 1);
    let mut cameras: Vec<_> =
        (0..4).map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 374_000, ms(100))).collect();
    let mut all: Vec<_> = cameras.iter_mut().collect();
    world.drive(&mut all, at_ms(5_000));
    world.run_to(at_ms(6_000));
    let means: Vec<f64> = cameras
        .iter()
        .map(|camera| {
            let latencies = world.latencies(camera, at_ms(1_000));
            millis(latencies.iter().sum::<Duration>()) / latencies.len() as f64
        })
        .collect();
    let (least, most) = means.iter().fold((f64::MAX, 0.0_f64), |(l, m), mean| (l.min(*mean), m.max(*mean)));
    assert!(most < 1.1 * least, "mean latencies {means:?} ms");
}

/// LNK-50, LNK-65: control alone goes on while the path is silent.
#[test]
fn while_the_path_is_silent_only_probes_and_control_are_sent() {
    let out = |packet: &Packet| packet.at >= at_ms(1_000) && packet.at < at_ms(2_000);
    let mut bench = Bench::new(ms(20), SessionConfig::default(), out);
    let image = bench.advertise(End::Vehicle, "image", Class::Realtime, link_qos());
    let command = bench.advertise(End::Vehicle, "command", Class::Control, Qos::sensor_data());
    bench.subscribe(End::Operator, "image", link_qos());
    bench.subscribe(End::Operator, "command", Qos::sensor_data());
    for tag in 0..60 {
        bench.publish(End::Vehicle, image, tag, 100_000);
        bench.publish(End::Vehicle, command, tag, 64);
        bench.run_to(bench.now + ms(50));
    }
    let between = |from: MonoTime, to: MonoTime, flow: FlowId| {
        let within = |p: &&Packet| p.from == End::Vehicle && p.at >= from && p.at < to && p.carries(flow);
        bench.tap.iter().filter(within).count()
    };
    assert_eq!(between(at_ms(1_200), at_ms(2_000), image), 0, "silent after 100 ms without an answer");
    assert_eq!(between(at_ms(1_200), at_ms(2_000), command), 16);
    assert!(between(at_ms(2_100), at_ms(3_000), image) > 1_000, "and on again");
}
