//! Several paths at once (LNK-90 to LNK-95): control on all, pictures on the better one, which another takes over.

use crate::world::stream::Stream;
use crate::world::{
    World, at_ms, both, keep_all, link, link_qos, millis, ms, named, reliable, with_lifespan,
};
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime, Outcome, Qos, Reliability};
use tokkyu_link::core::{Event, PathId, SessionConfig};
use tokkyu_link::sim::network::End;
use tokkyu_link::sim::path::Profile;

const SEEDS: u64 = 12;

fn two(first: &Profile, second: &Profile, seed: u64) -> World {
    let mut world = World::new(first, seed);
    world.network.open_path(second, seed + 1_000, &SessionConfig::default());
    world
}

fn out(name: &str, from: Duration, to: Duration) -> Profile {
    let mut profile = named(name);
    profile.up = profile.up.with_outage(from, to);
    profile.down = profile.down.with_outage(from, to);
    profile
}

/// Cameras and the commands.
struct Drive {
    cameras: Vec<Stream>,
    command: Stream,
}

fn drive(world: &mut World, cameras: usize, bytes: usize, end: MonoTime) -> Drive {
    let mut cameras: Vec<Stream> = (0..cameras)
        .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), bytes, ms(100)))
        .collect();
    let commands = with_lifespan(reliable(10), 150);
    let mut command = world.stream(End::Operator, Class::Control, commands, 64, ms(20));
    let mut all: Vec<_> = cameras.iter_mut().chain([&mut command]).collect();
    world.drive(&mut all, end);
    world.run_to(end + ms(1_000));
    Drive { cameras, command }
}

/// The longest time between two commands that arrived, from `from` on.
fn longest_gap(world: &World, command: &Stream, from: MonoTime) -> Duration {
    let mut times: Vec<MonoTime> =
        world.fates(command).values().filter_map(|fate| fate.arrival).filter(|at| *at >= from).collect();
    times.sort_unstable();
    times.windows(2).map(|two| two[1].since(two[0])).max().expect("commands arrive")
}

fn worst(world: &World, stream: &Stream) -> Duration {
    world.latencies(stream, at_ms(0)).into_iter().max().expect("some arrive")
}

fn missed(world: &World, stream: &Stream) -> usize {
    world.fates(stream).values().filter(|fate| fate.arrival.is_none()).count()
}

/// From `from` on until the first picture that was captured from then on is there.
fn first_after(world: &World, camera: &Stream, from: MonoTime) -> Duration {
    let fates = world.fates(camera);
    let arrivals = fates.values().filter(|fate| fate.capture >= from).filter_map(|fate| fate.arrival);
    arrivals.min().map_or(Duration::MAX, |at| at.since(from))
}

/// LNK-91, LNK-93. Which of both falls silent makes no difference to commands.
#[test]
fn one_of_two_paths_silent_for_five_seconds_stops_neither_commands_nor_pictures() {
    for seed in 1..=SEEDS {
        let from = ms(2_500 + 17 * seed);
        let broken = out("wan-loss5", from, from + ms(5_000));
        for first_breaks in [true, false] {
            let steady = named("wan-loss5");
            let mut world =
                if first_breaks { two(&broken, &steady, seed) } else { two(&steady, &broken, seed) };
            let Drive { cameras, command } = drive(&mut world, 4, 60_000, at_ms(10_000));
            let gap = longest_gap(&world, &command, at_ms(500));
            assert!(gap <= ms(100), "commands: {:.1} ms, first breaks: {first_breaks}", millis(gap));
            for camera in &cameras {
                assert!(worst(&world, camera) <= ms(500));
                assert_eq!(missed(&world, camera), 0, "{:?}, first breaks: {first_breaks}", camera.flow);
                let took = first_after(&world, camera, MonoTime::ZERO + from);
                assert!(took <= ms(300), "{:?}: {:.1} ms", camera.flow, millis(took));
            }
        }
    }
}

/// LNK-92: sixteen Mbit/s of pictures on two paths of ten.
#[test]
fn cameras_that_one_path_does_not_carry_share_two() {
    for seed in 1..=SEEDS {
        let ten = both("ten", link(10, 20, 100));
        let mut world = two(&ten, &ten, seed);
        let Drive { cameras, command } = drive(&mut world, 4, 45_000, at_ms(8_000));
        assert_eq!(missed(&world, &command), 0);
        for camera in &cameras {
            let fates = world.fates(camera);
            let settled = fates.values().filter(|fate| fate.capture >= at_ms(2_000));
            let missed = settled.filter(|fate| fate.arrival.is_none()).count();
            assert_eq!(missed, 0, "{:?}", camera.flow);
        }
    }
}

/// LNK-90: the path that carries the pictures goes, as when a modem is unplugged, and comes back.
#[test]
fn a_path_that_goes_and_comes_again_costs_no_picture() {
    let (first, second) = (named("wan-loss1"), named("wan-loss5"));
    for seed in 1..=SEEDS {
        let mut world = two(&first, &second, seed);
        let mut cameras: Vec<Stream> = (0..2)
            .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 60_000, ms(100)))
            .collect();
        let mut command =
            world.stream(End::Operator, Class::Control, with_lifespan(reliable(10), 150), 64, ms(20));
        for (until, change) in [(3_037, "goes"), (5_011, "comes"), (9_000, "")] {
            let mut all: Vec<_> = cameras.iter_mut().chain([&mut command]).collect();
            world.drive(&mut all, at_ms(until + seed));
            match change {
                "goes" => world.network.close_path(PathId::FIRST),
                "comes" => {
                    world.network.open_path_again(PathId::FIRST, &first, seed + 7, &SessionConfig::default());
                }
                _ => {}
            }
        }
        world.run_to(at_ms(10_100));
        for camera in &cameras {
            assert_eq!(missed(&world, camera), 0, "{:?}", camera.flow);
            assert!(worst(&world, camera) <= ms(300), "{:.1} ms", millis(worst(&world, camera)));
        }
        assert!(longest_gap(&world, &command, at_ms(500)) <= ms(60));
        for event in [Event::PathDown { path: PathId::FIRST }, Event::PathUp { path: PathId::FIRST }] {
            assert_eq!(End::BOTH.map(|end| world.count(end, &event)), [1, 1], "{event:?}");
        }
    }
}

/// LNK-93 with LNK-11 and LNK-13: a flow that keeps all loses nothing and keeps its order, whatever path carries it.
#[test]
fn what_keeps_all_arrives_once_and_in_order_over_paths_that_fall_silent_in_turn() {
    for seed in 1..=SEEDS {
        let at = |second: u64| ms(second * 1_000 + 31 * seed);
        let first = out("wan-burst5", at(2), at(4));
        let second = out("wan-loss5", at(5), at(7));
        let mut world = two(&first, &second, seed);
        let mut stream = world.stream(End::Vehicle, Class::BestEffort, keep_all(), 9_000, ms(20));
        world.run_to(at_ms(500)); // its reader is known
        stream.due = world.now();
        world.drive(&mut [&mut stream], at_ms(9_500));
        world.run_to(at_ms(11_000));
        let sequences: Vec<u32> =
            world.delivered(End::Operator, stream.reader).iter().map(|(_, one)| one.id.sequence).collect();
        assert_eq!(sequences, (0..450).collect::<Vec<u32>>());
        let lost = world.settled(End::Vehicle, stream.flow);
        assert!(lost.iter().all(|(_, outcome)| *outcome == Outcome::Delivered));
    }
}

/// LNK-93, LNK-87: the path that takes over has shorter packets.
#[test]
fn pictures_are_cut_anew_for_a_path_with_shorter_packets() {
    let from = ms(3_000);
    for seed in 1..=SEEDS {
        let mut world = unequal(&out("wan", from, from + ms(3_000)), &named("wan-loss5"), seed);
        world.network.take_sendings();
        let Drive { cameras, .. } = drive(&mut world, 2, 60_000, at_ms(8_000));
        for camera in &cameras {
            assert_eq!(missed(&world, camera), 0, "{:?}", camera.flow);
            assert!(first_after(&world, camera, MonoTime::ZERO + from) <= ms(300));
        }
        let sendings = world.network.take_sendings();
        let longest = sendings.iter().filter(|one| one.path == PathId(1)).map(|one| one.bytes).max();
        assert!(longest.is_some_and(|bytes| (1_000..=1_214).contains(&bytes)), "LNK-25: {longest:?}");
    }
}

/// LNK-94: what the standing path carries is known before it is needed.
#[test]
fn a_path_that_stands_by_is_measured_every_ten_seconds_and_costs_little() {
    let mut world = two(&both("fast", link(40, 10, 100)), &both("slow", link(8, 30, 100)), 1);
    world.network.take_sendings();
    let camera = drive(&mut world, 1, 60_000, at_ms(32_000)).cameras.remove(0);
    assert_eq!(missed(&world, &camera), 0);
    let sendings = world.network.take_sendings();
    let pictures = |path: u8| {
        let of_path = sendings.iter().filter(|one| one.path == PathId(path) && one.from == End::Vehicle);
        of_path
            .filter(|one| one.bytes > 1_000)
            .map(|one| one.at.as_micros() as f64 * 1e-6)
            .collect::<Vec<_>>()
    };
    let trials = pictures(1);
    assert!((100..200).contains(&trials.len()), "{} long packets", trials.len());
    for due in [0.0, 10.0, 20.0, 30.0] {
        let near = trials.iter().filter(|at| (due..due + 1.5).contains(*at)).count();
        assert!(near >= 25, "{near} long packets from {due} s on: {trials:?}");
    }
    assert!(pictures(0).len() > 32 * 10 * 40);
}

/// LNK-5: what was copied, moved and cut anew is counted once.
#[test]
fn books_close_over_two_paths() {
    for seed in 1..=SEEDS {
        let broken = out("wan-burst5", ms(1_500), ms(2_500 + 100 * seed));
        let mut world = two(&broken, &named("wifi"), seed);
        let Drive { mut cameras, command } = drive(&mut world, 4, 60_000, at_ms(5_000));
        world.close();
        cameras.push(command);
        for stream in &cameras {
            let from = stream.from;
            let (sent, reader) = (world.network.session(from).sent_ledger(stream.flow), stream.reader);
            let received = world.network.session(crate::world::other(from)).received_ledger(reader);
            assert_eq!((sent.open(), received.open()), (0, 0), "{sent:?} {received:?}");
            assert!(sent.delivered <= received.delivered, "confirmed is no more than what came");
            assert!(world.fates(stream).values().all(|fate| fate.deliveries <= 1));
        }
    }
}

/// Home with the usual packets; the second path with shorter ones.
fn unequal(first: &Profile, second: &Profile, seed: u64) -> World {
    let mut world = World::new(first, seed);
    let short = SessionConfig { max_datagram: 1_214, ip_bytes: 1_280, ..SessionConfig::default() };
    world.network.open_path(second, seed, &short);
    world
}

/// LNK-91, LNK-25: what goes in one packet at home and not on the other path goes at home alone.
#[test]
fn control_that_is_too_long_for_one_packet_of_a_path_is_not_copied_there() {
    let mut world = unequal(&named("wan"), &named("wan"), 1);
    world.network.take_sendings();
    let commands = with_lifespan(reliable(10), 150);
    let mut command = world.stream(End::Vehicle, Class::Control, commands, 1_300, ms(20));
    world.drive(&mut [&mut command], at_ms(3_000));
    world.run_to(at_ms(4_000));
    assert_eq!(missed(&world, &command), 0);
    let sendings = world.network.take_sendings();
    let on_second = sendings.iter().filter(|one| one.path == PathId(1) && one.from == End::Vehicle).count();
    assert!(
        (8..200).contains(&on_second),
        "{on_second} packets where probes and answers should go, and nothing else"
    );
}

/// LNK-94: no shard of the pictures fits; as many packets of nothing measure the path all the same, and it takes its part.
#[test]
fn a_path_with_shorter_packets_is_measured_and_shares_cameras() {
    let ten = both("ten", link(10, 20, 100));
    let mut world = unequal(&ten, &ten, 3);
    let Drive { cameras, .. } = drive(&mut world, 4, 45_000, at_ms(8_000));
    for camera in &cameras {
        let fates = world.fates(camera);
        let settled = fates.values().filter(|fate| fate.capture >= at_ms(2_000));
        assert_eq!(settled.filter(|fate| fate.arrival.is_none()).count(), 0, "{:?}", camera.flow);
    }
    let stats = world.network.session(End::Vehicle).path_stats();
    assert!(stats.iter().all(|path| path.flows > 0 && path.rate_bps.is_some()), "{stats:?}");
}

/// LNK-93, LNK-94: what was copied on a path counts as a copy, also when the sample moves there a moment later, or back.
#[test]
fn a_path_that_falls_silent_while_another_is_measured_costs_no_picture() {
    for seed in 0..40 {
        let from = ms(2_000 + seed);
        let mut first = named("wan-loss1");
        for out in [(from, from + ms(200)), (from + ms(700), from + ms(900))] {
            first.up = first.up.with_outage(out.0, out.1);
            first.down = first.down.with_outage(out.0, out.1);
        }
        let mut world = World::new(&first, seed);
        let mut camera = world.stream(End::Vehicle, Class::Realtime, link_qos(), 300_000, ms(100));
        world.drive(&mut [&mut camera], at_ms(1_950));
        world.network.open_path(&named("wan-loss5"), seed, &SessionConfig::default());
        world.drive(&mut [&mut camera], at_ms(5_000));
        world.run_to(at_ms(6_000));
        assert_eq!(missed(&world, &camera), 0, "{:?}", world.settled(End::Vehicle, camera.flow));
    }
}

/// LNK-90: what may not move from a path that goes ends with it.
#[test]
fn best_effort_without_a_lifespan_settles_though_its_path_goes_in_the_middle_of_a_sample() {
    let mut slow = both("slow", link(2, 20, 100));
    slow.up = slow.up.with_outage(ms(2_100), ms(9_000));
    let mut world = two(&slow, &named("wan"), 5);
    let qos = Qos { reliability: Reliability::BestEffort, ..reliable(10) };
    let mut stream = world.stream(End::Vehicle, Class::Realtime, qos, 20_000, ms(100));
    world.drive(&mut [&mut stream], at_ms(2_500));
    world.network.close_path(PathId::FIRST);
    world.drive(&mut [&mut stream], at_ms(4_000));
    world.run_to(at_ms(6_000));
    assert!(world.network.session(End::Vehicle).is_drained(stream.flow));
    let fates = world.fates(&stream);
    let late = fates.values().filter(|fate| fate.capture >= at_ms(2_500));
    let arrived: Vec<bool> = late.map(|fate| fate.arrival.is_some()).collect();
    assert_eq!(arrived, [true; 15]);
}
