//! A path that carries short packets alone, whatever their size is cut to (LNK-70): it is told, it does not make us send more
//! than is granted, and pictures are back soon after it is over.

use crate::world::stream::Stream;
use crate::world::{World, at_ms, link, link_qos, millis, ms, reliable, with_lifespan};
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime};
use tokkyu_link::core::{Event, SessionConfig, Way};
use tokkyu_link::sim::network::End;
use tokkyu_link::sim::path::{DirectionProfile, Profile};

/// Frames of more bytes are lost: IP packets of more than 586.
const LONGEST: usize = 600;
const FROM: Duration = Duration::from_secs(4);
/// The camera's pictures with twice their data in repairs, some more of each, once more where they were cut anew, and
/// commands' answers: LNK-45, LNK-87.
const MOST_BPS: f64 = 18e6;

/// A camera of 1.6 Mbit/s and commands, over `path` whose long frames from the vehicle are lost for `span`.
fn drive(path: DirectionProfile, span: Duration, end: MonoTime, seed: u64) -> (World, Stream, Stream) {
    let up = path.clone().with_frames_lost(FROM, FROM + span, LONGEST);
    let profile = Profile { name: "black hole".into(), up, down: path };
    let mut world = World::with_config(&profile, seed, SessionConfig::default());
    let mut camera = world.stream(End::Vehicle, Class::Realtime, link_qos(), 20_000, ms(100));
    let mut command =
        world.stream(End::Operator, Class::Control, with_lifespan(reliable(1), 150), 64, ms(20));
    world.drive(&mut [&mut camera, &mut command], end);
    (world, camera, command)
}

/// When `event` was first told at `end`.
fn told(world: &World, end: End, event: &Event) -> Option<MonoTime> {
    world.notes.iter().find(|note| note.end == end && note.event == *event).map(|note| note.at)
}

const LOST_OUT: Event = Event::LongPacketsLost { way: Way::Out };
const LOST_IN: Event = Event::LongPacketsLost { way: Way::In };
const PASS_OUT: Event = Event::LongPacketsPass { way: Way::Out };
const PASS_IN: Event = Event::LongPacketsPass { way: Way::In };

fn is_cut(world: &World) -> bool {
    world.events_of(End::Vehicle).any(|event| matches!(event, Event::PacketsCut { way: Way::Out, .. }))
}

fn wide() -> DirectionProfile {
    DirectionProfile { delay: ms(10), ..DirectionProfile::default() }
}

#[test]
fn long_packets_that_cease_to_pass_are_told_at_both_ends_within_three_seconds() {
    for (seed, path) in [(1, wide()), (2, link(10, 20, 100)), (3, link(200, 25, 100))] {
        let (world, _, command) = drive(path, ms(20_000), at_ms(12_000), seed);
        for (end, event) in [(End::Vehicle, LOST_OUT), (End::Operator, LOST_IN)] {
            let at = told(&world, end, &event).expect("told");
            assert!((FROM..FROM + ms(3_000)).contains(&at.since(MonoTime::ZERO)), "{end:?} at {at}");
            assert_eq!(world.count(end, &event), 1, "{end:?}");
        }
        let commands = world.fates(&command);
        let came = commands.values().filter(|fate| fate.arrival.is_some()).count();
        assert!(came + 10 > commands.len(), "commands are short: {came} of {}", commands.len());
    }
}

/// Bits a second that the vehicle offered to the path from `from` on for a second each, the most of them.
fn most_sent(mut world: World, mut camera: Stream, mut command: Stream, seconds: u64) -> f64 {
    (0..seconds)
        .map(|_| {
            let before = world.network.path_from(End::Vehicle).counters().offered_bytes;
            let until = world.now() + ms(1_000);
            world.drive(&mut [&mut camera, &mut command], until);
            (world.network.path_from(End::Vehicle).counters().offered_bytes - before) as f64 * 8.0
        })
        .fold(0.0, f64::max)
}

#[test]
fn what_is_sent_while_no_long_packet_passes_stays_within_what_was_granted() {
    let near = DirectionProfile { delay: Duration::from_micros(300), ..DirectionProfile::default() };
    for (seed, path) in [(1, near), (2, wide()), (3, link(25, 1, 100)), (4, link(200, 25, 100))] {
        let (world, camera, command) = drive(path, ms(60_000), MonoTime::ZERO + FROM, seed);
        let granted = world.events_of(End::Vehicle).filter_map(|event| match event {
            Event::Grant { bps, .. } => Some(*bps as f64),
            _ => None,
        });
        let granted = granted.last().expect("granted");
        let most = most_sent(world, camera, command, 12);
        assert!(
            most <= granted && most <= MOST_BPS,
            "seed {seed}: {:.1} Mbit/s sent, {:.1} granted",
            most / 1e6,
            granted / 1e6
        );
    }
}

#[test]
fn pictures_and_rate_are_back_within_a_second_of_the_path() {
    for (seed, path) in [(1, wide()), (2, link(10, 20, 100)), (3, link(200, 25, 100)), (4, link(10, 20, 300))]
    {
        let back = MonoTime::ZERO + FROM + ms(5_000);
        let (mut world, camera, _) = drive(path, ms(5_000), back + ms(4_000), seed);
        for (end, event) in [(End::Vehicle, PASS_OUT), (End::Operator, PASS_IN)] {
            let at = told(&world, end, &event).expect("told");
            assert!(
                at >= back && at.since(back) <= ms(1_000),
                "{end:?} after {:.1} ms",
                millis(at.since(back))
            );
        }
        let fates = world.fates(&camera);
        let gone: Vec<_> = fates
            .values()
            .filter(|fate| {
                fate.capture >= back + ms(1_000)
                    && fate.capture + ms(600) < world.now()
                    && fate.arrival.is_none()
            })
            .collect();
        assert!(gone.is_empty(), "seed {seed}: {gone:?}");
        let rate = world.network.session(End::Vehicle).stats().rate_bps;
        assert!(rate > 3.2e6, "seed {seed}: {:.1} Mbit/s", rate / 1e6);
    }
}

#[test]
fn an_outage_of_the_way_of_the_pictures_is_no_black_hole() {
    for (seed, span) in [(1, 600), (2, 1_500), (3, 5_000)] {
        for path in [wide(), link(10, 20, 100), link(200, 25, 100)] {
            let up = path.clone().with_outage(FROM, FROM + ms(span));
            let profile = Profile { name: "outage".into(), up, down: path };
            let mut world = World::new(&profile, seed);
            let mut camera = world.stream(End::Vehicle, Class::Realtime, link_qos(), 60_000, ms(100));
            let mut command =
                world.stream(End::Operator, Class::Control, with_lifespan(reliable(1), 150), 64, ms(20));
            let mut state = world.stream(End::Vehicle, Class::Realtime, link_qos(), 100, ms(20));
            world.drive(&mut [&mut camera, &mut command, &mut state], at_ms(11_000));
            assert_eq!(told(&world, End::Vehicle, &LOST_OUT), None, "seed {seed}");
            assert!(!is_cut(&world), "seed {seed}");
        }
    }
}

#[test]
fn no_network_that_loses_packets_whatever_their_length_is_called_a_black_hole() {
    for name in ["lan-loss5", "wan-loss5", "wan-burst5", "wan-loss20", "policer"] {
        let Ok(profile) = Profile::named(name) else { continue };
        for seed in 1..=3 {
            let mut world = World::new(&profile, seed);
            let mut cameras: Vec<Stream> = (0..4)
                .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 374_000, ms(100)))
                .collect();
            let mut all: Vec<_> = cameras.iter_mut().collect();
            world.drive(&mut all, at_ms(6_000));
            assert_eq!(told(&world, End::Vehicle, &LOST_OUT), None, "{name}, seed {seed}");
            assert!(!is_cut(&world), "{name}, seed {seed}");
        }
    }
}
