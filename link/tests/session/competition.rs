//! Beside flows of others that fill the queue (LNK-68): neither side starves, and control does not notice.
//!
//! The rivals are models. `tokkyu lab drive --beside` races the kernel's.

use crate::world::stream::Stream;
use crate::world::{World, at_ms, link_qos, millis, ms, named, quantile, reliable, with_lifespan};
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime};
use tokkyu_link::sim::network::End;
use tokkyu_link::sim::rival::{Algorithm, FRAME_BYTES, Rival};

/// Rivals begin here, after the link's start-up.
const BEGIN_MS: u64 = 1_500;
/// From here on the shares have settled.
const SETTLED_MS: u64 = 6_500;
const END_MS: u64 = 14_500;
/// Pictures that four cameras take from then on.
const OFFERED: usize = 4 * (END_MS - SETTLED_MS) as usize / 100;

struct Race {
    /// Pictures delivered in each second since the shares settled.
    pictures: Vec<usize>,
    oldest: Duration,
    commands: Vec<Duration>,
    /// Mbit/s of each rival since the shares settled.
    rivals_mbit: Vec<f64>,
}

fn race(network: &str, seed: u64, rivals: &[Algorithm]) -> Race {
    let mut world = World::new(&named(network), seed);
    let rivals: Vec<usize> = rivals
        .iter()
        .map(|algorithm| {
            world.network.add_rival(Rival::new(*algorithm, at_ms(BEGIN_MS)..MonoTime::MAX, ms(25)))
        })
        .collect();
    let mut cameras: Vec<Stream> =
        (0..4).map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 374_000, ms(100))).collect();
    let commands = with_lifespan(reliable(10), 150);
    let mut command = world.stream(End::Operator, Class::Control, commands, 64, ms(20));
    let mut all: Vec<&mut Stream> = cameras.iter_mut().chain([&mut command]).collect();
    world.drive(&mut all, at_ms(SETTLED_MS));
    let frames = |world: &World| -> Vec<u64> {
        rivals.iter().map(|rival| world.network.rival(*rival).delivered()).collect()
    };
    let before = frames(&world);
    world.drive(&mut all, at_ms(END_MS));
    let seconds = (END_MS - SETTLED_MS) as f64 / 1e3;
    let mbit = |frames: u64| frames as f64 * FRAME_BYTES as f64 * 8.0 / 1e6 / seconds;
    let rivals_mbit = frames(&world).iter().zip(&before).map(|(now, before)| mbit(now - before)).collect();
    world.run_to(at_ms(END_MS + 1_000));
    let (pictures, oldest) = pictures(&world, &cameras);
    Race { pictures, oldest, commands: world.latencies(&command, at_ms(BEGIN_MS)), rivals_mbit }
}

fn pictures(world: &World, cameras: &[Stream]) -> (Vec<usize>, Duration) {
    let mut seconds = vec![0; ((END_MS - SETTLED_MS) / 1_000) as usize];
    let mut oldest = Duration::ZERO;
    for fate in cameras.iter().flat_map(|camera| world.fates(camera).into_values()) {
        let Some(latency) = fate.latency() else { continue };
        oldest = oldest.max(latency);
        if fate.capture >= at_ms(SETTLED_MS) {
            seconds[(fate.capture.since(at_ms(SETTLED_MS)).as_millis() / 1_000) as usize] += 1;
        }
    }
    (seconds, oldest)
}

/// Pictures ask for two thirds of the path; a fair share of it is a half, or a third beside two.
fn assert_nobody_starves(network: &str, rivals: &[Algorithm], least_share: f64) {
    for seed in 1..=3 {
        let race = race(network, seed, rivals);
        let told = format!(
            "{network} beside {rivals:?}, seed {seed}: pictures {:?}, oldest {:.0} ms, rivals {:.0?} Mbit/s",
            race.pictures,
            millis(race.oldest),
            race.rivals_mbit
        );
        println!("{told}");
        let delivered: usize = race.pictures.iter().sum();
        assert!(delivered as f64 >= least_share * OFFERED as f64, "{told}");
        assert!(race.pictures.iter().all(|second| *second >= 10), "a second without pictures: {told}");
        assert!(race.oldest <= ms(501), "{told}");
        let p99 = quantile(&race.commands, 0.99);
        assert!(p99 <= ms(46), "control against the pictures' direction: p99 {:.1} ms, {told}", millis(p99));
        if let Some(bbr) = rivals.iter().position(|rival| *rival == Algorithm::Bbr) {
            assert!(race.rivals_mbit[bbr] >= 30.0, "what asks for a share gets one: {told}");
        }
    }
}

/// LNK-68.
#[test]
fn beside_bbr_the_pictures_keep_more_than_half_and_bbr_is_not_starved() {
    assert_nobody_starves("wan-loss1", &[Algorithm::Bbr], 0.7);
    assert_nobody_starves("wan", &[Algorithm::Bbr], 0.7);
}

/// LNK-68: a third of the path would be half the pictures.
#[test]
fn beside_cubic_and_bbr_the_pictures_keep_their_share() {
    assert_nobody_starves("wan-loss1", &[Algorithm::Cubic, Algorithm::Bbr], 0.6);
}

/// LNK-68: two cubic flows fill the queue of a path that loses nothing.
#[test]
fn beside_cubic_that_fills_the_queue_the_pictures_keep_their_share() {
    assert_nobody_starves("wan", &[Algorithm::Cubic; 4], 0.5);
}

/// LNK-68: what fills a queue for a while is not answered for ever. On a path too narrow for the pictures control that
/// goes their way shows the queue.
#[test]
fn when_the_rival_goes_so_does_the_queue() {
    for rival in [Algorithm::Bbr, Algorithm::Cubic] {
        let mut world = World::new(&named("narrow"), 1);
        world.network.add_rival(Rival::new(rival, at_ms(BEGIN_MS)..at_ms(5_000), ms(25)));
        let mut cameras: Vec<Stream> = (0..4)
            .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 374_000, ms(100)))
            .collect();
        let mut control =
            world.stream(End::Vehicle, Class::Control, with_lifespan(reliable(10), 500), 64, ms(5));
        let mut all: Vec<&mut Stream> = cameras.iter_mut().chain([&mut control]).collect();
        world.drive(&mut all, at_ms(12_000));
        world.run_to(at_ms(13_000));
        let pictures: usize = cameras.iter().map(|camera| world.latencies(camera, at_ms(7_500)).len()).sum();
        assert!(pictures >= 120, "{rival:?}: {pictures} of the 138 that fit");
        let waits = world.latencies(&control, at_ms(7_500));
        let p99 = quantile(&waits, 0.99);
        // The path's own delay, and the queue that the rate lets stand for a moment (LNK-67).
        assert!(p99 <= ms(25) + ms(13) + ms(2), "{rival:?}: {:.1} ms", millis(p99));
    }
}
