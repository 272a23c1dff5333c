//! Giving way (LNK-12, LNK-51): flows that the path does not carry are thinned, and no neighbour of theirs that it does.

use crate::world::stream::Stream;
use crate::world::{
    World, at_ms, both, link, link_qos, millis, ms, named, quantile, reliable, with_lifespan,
};
use tokkyu_contract::{Class, Outcome, Qos, Reliability};
use tokkyu_link::sim::network::End;
use tokkyu_link::sim::path::Profile;

/// Cameras of the paper and a small topic of 100 Hz beside them, all of one class.
struct Beside {
    world: World,
    cameras: Vec<Stream>,
    small: Stream,
}

/// Ten seconds of it.
fn beside(profile: &Profile, cameras: usize) -> Beside {
    let mut world = World::new(profile, 1);
    let mut cameras: Vec<Stream> = (0..cameras)
        .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 374_000, ms(100)))
        .collect();
    let qos = Qos { reliability: Reliability::BestEffort, ..with_lifespan(reliable(100), 1_000) };
    let mut small = world.stream(End::Vehicle, Class::Realtime, qos, 100, ms(10));
    small.due += ms(3);
    let mut all: Vec<&mut Stream> = cameras.iter_mut().chain([&mut small]).collect();
    world.drive(&mut all, at_ms(10_000));
    world.run_to(at_ms(11_500));
    Beside { world, cameras, small }
}

impl Beside {
    /// Samples of the small topic that did not arrive, and the age of the oldest of nearly all that did.
    fn small_missing(&self) -> (usize, f64) {
        let ages = self.world.latencies(&self.small, at_ms(0));
        (1_000 - ages.len(), millis(quantile(&ages, 0.99)))
    }

    fn pictures(&self) -> usize {
        self.cameras.iter().map(|camera| self.world.latencies(camera, at_ms(0)).len()).sum()
    }
}

/// LNK-12: 60 % of the path for the cameras; half of the small topic was dropped, judged by its own 10 ms.
#[test]
fn a_small_topic_beside_cameras_that_fit_loses_nothing() {
    let run = beside(&named("wan"), 4);
    let dropped = run.world.settled(End::Vehicle, run.small.flow);
    let dropped = dropped.iter().filter(|(_, outcome)| *outcome == Outcome::Dropped).count();
    assert_eq!((dropped, run.small_missing().0, run.pictures()), (0, 0, 400));
}

/// LNK-12, LNK-51: the cameras ask for 130 % of the path and give way to each other, the small topic to nobody.
#[test]
fn a_small_topic_beside_cameras_that_do_not_fit_loses_nothing_and_does_not_wait_for_all_of_them() {
    for (profile, cameras, fit) in [(named("narrow"), 4, 306), (both("20", link(20, 25, 100)), 2, 61)] {
        let run = beside(&profile, cameras);
        let (missing, age) = run.small_missing();
        let pictures = run.pictures();
        println!("{}: {missing} missing, p99 {age:.0} ms, {pictures} pictures", profile.name);
        assert_eq!(missing, 0, "{}", profile.name);
        // One picture that has begun, the path, and a queue of ours.
        let most = 374_000.0 * 8.0 * 1.09 / if cameras == 4 { 100e3 } else { 20e3 } + 50.0;
        assert!(age <= most, "{}: p99 {age:.0} ms of {most:.0}", profile.name);
        assert!(pictures * 100 >= fit * 95, "{}: {pictures} pictures of {fit} that fit", profile.name);
    }
}

/// LNK-12: a picture of 1500 bytes takes two packets, twice its payload.
#[test]
fn small_pictures_fill_a_path_that_does_not_carry_all_of_them() {
    let mut world = World::new(&both("1 Mbit/s", link(1, 20, 1_000)), 1);
    let mut cameras: Vec<Stream> =
        (0..4).map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 1_500, ms(67))).collect();
    let mut all: Vec<&mut Stream> = cameras.iter_mut().collect();
    world.drive(&mut all, at_ms(12_000));
    world.run_to(at_ms(13_000));
    let count: usize = cameras.iter().map(|camera| world.latencies(camera, at_ms(2_000)).len()).sum();
    let fit = 10.0 * 1e6 / 8.0 / (2.0 * 1_531.0);
    assert!(count as f64 >= 0.85 * fit, "{count} of {fit:.0} that fit");
}
