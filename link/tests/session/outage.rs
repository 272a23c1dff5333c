//! Outages (LNK-2, LNK-3, LNK-65): nothing stale is delivered, and the first fresh picture is there at once.

use crate::world::stream::Stream;
use crate::world::{World, at_ms, link_qos, millis, ms, named, reliable, with_lifespan};
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime};
use tokkyu_link::sim::network::End;
use tokkyu_link::sim::path::Profile;

const SEEDS: u64 = 12;
const PERIOD_MS: u64 = 100;

/// `wan-loss5`, out from `from` to `to` in the directions named.
fn out(up: bool, down: bool, from: Duration, to: Duration) -> Profile {
    let mut profile = named("wan-loss5");
    if up {
        profile.up = profile.up.with_outage(from, to);
    }
    if down {
        profile.down = profile.down.with_outage(from, to);
    }
    profile
}

/// Four cameras and the commands, run until `end`.
fn drive_over(profile: &Profile, seed: u64, end: MonoTime) -> (World, Vec<Stream>, Stream) {
    let mut world = World::new(profile, seed);
    let mut cameras: Vec<Stream> = (0..4)
        .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 60_000, ms(PERIOD_MS)))
        .collect();
    let commands = with_lifespan(reliable(10), 150);
    let mut command = world.stream(End::Operator, Class::Control, commands, 64, ms(20));
    let mut all: Vec<_> = cameras.iter_mut().chain([&mut command]).collect();
    world.drive(&mut all, end);
    world.run_to(end + ms(1_000));
    (world, cameras, command)
}

fn assert_nothing_stale(world: &World, cameras: &[Stream], command: &Stream) {
    assert_nothing_older(world, cameras, command, at_ms(0));
}

/// Of what was captured from `from` on, nothing was delivered older than its lifespan.
fn assert_nothing_older(world: &World, cameras: &[Stream], command: &Stream, from: MonoTime) {
    for (stream, lifespan) in cameras.iter().map(|c| (c, 500)).chain([(command, 150)]) {
        let worst = world.latencies(stream, from).into_iter().max().expect("some arrive");
        assert!(worst <= ms(lifespan + 1), "{:?} delivered {:.1} ms old", stream.flow, millis(worst));
    }
}

/// Time from the link's return to the delivery of the first sample captured after it.
fn first_after(world: &World, stream: &Stream, back: MonoTime) -> Duration {
    let fates = world.fates(stream);
    let first = fates.values().find(|fate| fate.capture >= back).expect("captured after the return");
    first.arrival.map_or(Duration::MAX, |arrival| arrival.since(back))
}

/// All samples captured from `from` on arrive, the last 200 ms left out: nothing follows those that could show a loss.
fn assert_all_arrive(world: &World, stream: &Stream, from: MonoTime) {
    let fates = world.fates(stream);
    let last = fates.values().map(|fate| fate.capture).max().expect("something was published");
    let after = fates.values().filter(|fate| fate.capture >= from && fate.capture + ms(200) < last);
    let gone: Vec<_> = after.filter(|fate| fate.arrival.is_none()).collect();
    assert!(gone.is_empty(), "{:?}: {gone:?}", stream.flow);
}

/// LNK-65: five seconds, both ways. The return falls anywhere between two ticks.
#[test]
fn after_five_seconds_without_a_link_the_first_fresh_picture_is_there_within_300_ms() {
    for seed in 1..=SEEDS {
        let from = ms(1_500 + 17 * seed);
        let to = from + ms(5_000);
        let (world, cameras, command) = drive_over(&out(true, true, from, to), seed, at_ms(9_000));
        let back = MonoTime::ZERO + to;
        assert_nothing_stale(&world, &cameras, &command);
        for camera in &cameras {
            let took = first_after(&world, camera, back);
            assert!(took <= ms(300), "{:?} after {:.1} ms", camera.flow, millis(took));
            assert_all_arrive(&world, camera, back);
        }
        // Each command repeats the last two: a fresh one is there after a way, or 20 ms later when it was lost.
        let took = first_after(&world, &command, back);
        assert!(took <= ms(120), "the first command after {:.1} ms", millis(took));
        assert_all_arrive(&world, &command, back);
    }
}

/// LNK-65: only the way of the images is out. The commands are not disturbed.
#[test]
fn an_outage_of_the_image_direction_leaves_the_commands_alone() {
    for seed in 1..=SEEDS {
        let from = ms(1_500 + 17 * seed);
        let to = from + ms(2_000);
        let (world, cameras, command) = drive_over(&out(true, false, from, to), seed, at_ms(5_000));
        let back = MonoTime::ZERO + to;
        assert_nothing_stale(&world, &cameras, &command);
        assert_all_arrive(&world, &command, at_ms(0));
        for camera in &cameras {
            let took = first_after(&world, camera, back);
            assert!(took <= ms(300), "{:?} after {:.1} ms", camera.flow, millis(took));
            assert_all_arrive(&world, camera, back);
        }
    }
}

/// LNK-65: only the way of the commands is out, and with it the answers to the images.
#[test]
fn an_outage_of_the_command_direction_ends_with_both_flowing_again() {
    for seed in 1..=SEEDS {
        let from = ms(1_500 + 17 * seed);
        let to = from + ms(2_000);
        let (world, cameras, command) = drive_over(&out(false, true, from, to), seed, at_ms(5_000));
        let back = MonoTime::ZERO + to;
        assert_nothing_stale(&world, &cameras, &command);
        let took = first_after(&world, &command, back);
        assert!(took <= ms(120), "the first command after {:.1} ms", millis(took));
        for camera in &cameras {
            let took = first_after(&world, camera, back);
            assert!(took <= ms(300), "{:?} after {:.1} ms", camera.flow, millis(took));
            assert_all_arrive(&world, camera, back);
        }
    }
}

/// LNK-2, LNK-65: two seconds in which the link stands still and loses nothing. What was queued then comes late, and
/// with it round trips longer than any lifespan; they are over when the link goes on, and so must be the waiting.
#[test]
fn after_a_standstill_that_loses_nothing_the_first_fresh_samples_are_there_within_300_ms() {
    for seed in 1..=SEEDS {
        let from = ms(1_500 + 17 * seed);
        let to = from + ms(2_000);
        let mut profile = named("wan-loss5");
        profile.up = profile.up.with_rate_between(from, to, 0);
        profile.down = profile.down.with_rate_between(from, to, 0);
        let (world, cameras, command) = drive_over(&profile, seed, at_ms(6_000));
        let back = MonoTime::ZERO + to;
        assert_nothing_stale(&world, &cameras, &command);
        for stream in cameras.iter().chain([&command]) {
            let took = first_after(&world, stream, back);
            assert!(took <= ms(300), "{:?} of {:?} after {took:?}", stream.flow, stream.from);
        }
    }
}

/// LNK-65: a link that comes and goes. After the last return everything is as before.
#[test]
fn many_short_outages_leave_the_session_as_it_was() {
    for seed in 1..=SEEDS {
        let mut profile = named("wan-loss5");
        for n in 0..8u64 {
            let from = ms(1_000 + 450 * n + 7 * seed);
            let to = from + ms(60 + 40 * (n % 4));
            match n % 3 {
                0 => profile.up = profile.up.with_outage(from, to),
                1 => profile.down = profile.down.with_outage(from, to),
                _ => {
                    profile.up = profile.up.with_outage(from, to);
                    profile.down = profile.down.with_outage(from, to);
                }
            }
        }
        let (mut world, cameras, command) = drive_over(&profile, seed, at_ms(7_000));
        assert_nothing_stale(&world, &cameras, &command);
        for stream in cameras.iter().chain([&command]) {
            assert_all_arrive(&world, stream, at_ms(5_500));
        }
        let before: Vec<Duration> = cameras.iter().flat_map(|c| latencies(&world, c, 500, 1_000)).collect();
        let after: Vec<Duration> = cameras.iter().flat_map(|c| latencies(&world, c, 6_000, 7_000)).collect();
        let mean = |of: &[Duration]| millis(of.iter().sum::<Duration>()) / of.len().max(1) as f64;
        assert!(
            mean(&after) <= 1.25 * mean(&before),
            "mean {:.1} ms, then {:.1} ms",
            mean(&before),
            mean(&after)
        );
        world.close();
        for stream in cameras.iter().chain([&command]) {
            let ledger = world.network.session(stream.from).sent_ledger(stream.flow);
            assert!(ledger.closes(), "{ledger}");
        }
    }
}

/// Latencies of what was captured between two times, milliseconds.
fn latencies(world: &World, stream: &Stream, from: u64, to: u64) -> Vec<Duration> {
    let fates = world.fates(stream);
    let within = fates.values().filter(|fate| (at_ms(from)..at_ms(to)).contains(&fate.capture));
    within.filter_map(crate::world::stream::Fate::latency).collect()
}

/// LNK-18, LNK-65: a link that is out from the start.
#[test]
fn a_session_that_begins_in_an_outage_delivers_when_it_ends() {
    for seed in 1..=SEEDS {
        let to = ms(1_500 + 13 * seed);
        let (world, cameras, command) = drive_over(&out(true, true, ms(0), to), seed, at_ms(4_000));
        let back = MonoTime::ZERO + to;
        // Before the first clock estimate the age counts from the first packet only (LNK-3).
        assert_nothing_older(&world, &cameras, &command, back + ms(200));
        for camera in &cameras {
            let took = first_after(&world, camera, back);
            // Nothing is known of the rate yet: a picture takes its time, but the first one comes.
            assert!(took <= ms(600), "{:?} after {took:?}", camera.flow);
        }
        assert_all_arrive(&world, &command, back);
    }
}
