//! Rate (LNK-61 to LNK-64): found on any link, followed when it changes, and no victim of policers and short queues.

use crate::world::stream::{Fate, Stream};
use crate::world::{
    Seed, World, at_ms, both, link, link_qos, millis, ms, named, quantile, reliable, with_lifespan,
};
use std::path::PathBuf;
use std::time::Duration;
use tokkyu_contract::{Class, MonoTime};
use tokkyu_link::core::SessionConfig;
use tokkyu_link::sim::drive::{Outcomes, Workload, drive};
use tokkyu_link::sim::network::{End, Network};
use tokkyu_link::sim::path::Profile;

const SEEDS: u64 = 5;
/// Bytes on the wire of a picture of 374 kB: 266 packets of 1434 bytes, and what is around each.
const FRAME_BYTES: f64 = 266.0 * (1_434.0 + 73.0);

/// Four cameras at 10 Hz whose packets take `share` of a link of `mbit`.
fn cameras(world: &mut World, mbit: u64, share: f64) -> Vec<Stream> {
    let bytes = (mbit as f64 * 1e6 / 8.0 * 0.1 / 4.0 * share * 1_408.0 / 1_531.0) as usize;
    (0..4).map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), bytes, ms(100))).collect()
}

/// The rate the session thinks the path carries, median of what it thinks in the fourth second, bit/s.
fn rate_found(mbit: u64, share: f64, seed: u64) -> f64 {
    let mut world = World::new(&both("rate", link(mbit, 10, 100)), seed);
    let mut streams = cameras(&mut world, mbit, share);
    let mut all: Vec<&mut Stream> = streams.iter_mut().collect();
    let mut thought: Vec<f64> = Vec::new();
    for at in 0..50 {
        world.drive(&mut all, at_ms(3_000 + at * 10));
        thought.push(world.network.session(End::Vehicle).stats().rate_bps);
    }
    thought.sort_by(f64::total_cmp);
    thought[thought.len() / 2]
}

fn assert_rate_is_found(mbit: u64) {
    let mut off = Vec::new();
    for share in [0.5, 1.5] {
        let found = rate_found(mbit, share, 1) / 1e6;
        if (found / mbit as f64 - 1.0).abs() > 0.1 {
            off.push(format!("a load of {share} of the link: {found:.2} Mbit/s"));
        }
    }
    assert!(off.is_empty(), "link of {mbit} Mbit/s, {}", off.join(", "));
}

/// LNK-61, LNK-64: within a tenth after three seconds, saturated or not.
#[test]
fn the_rate_of_a_link_of_1_mbit_is_found() {
    assert_rate_is_found(1);
}

/// LNK-61, LNK-64.
#[test]
fn the_rate_of_a_link_of_10_mbit_is_found() {
    assert_rate_is_found(10);
}

/// LNK-61, LNK-64.
#[test]
fn the_rate_of_a_link_of_25_mbit_is_found() {
    assert_rate_is_found(25);
}

/// LNK-61, LNK-64.
#[test]
fn the_rate_of_a_link_of_100_mbit_is_found() {
    assert_rate_is_found(100);
}

/// LNK-61, LNK-64.
#[test]
fn the_rate_of_a_link_of_200_mbit_is_found() {
    assert_rate_is_found(200);
}

/// LNK-61, LNK-64.
#[test]
fn the_rate_of_a_link_of_1000_mbit_is_found() {
    assert_rate_is_found(1_000);
}

/// LNK-61, LNK-63: 200, then 100 for three seconds, then 200 Mbit/s.
#[test]
fn a_link_that_halves_for_three_seconds_delivers_nothing_stale_and_is_used_again_within_two() {
    for (network, seeds) in [("wan", 1), ("wan-loss1", SEEDS)] {
        for seed in 1..=seeds {
            let mut profile = named(network);
            profile.up = profile.up.with_rate_between(ms(3_000), ms(6_000), 100_000_000);
            let mut world = World::new(&profile, seed);
            let mut streams: Vec<Stream> = (0..4)
                .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 374_000, ms(100)))
                .collect();
            let mut all: Vec<&mut Stream> = streams.iter_mut().collect();
            world.drive(&mut all, at_ms(10_000));
            world.run_to(at_ms(11_000));
            let within = |from, to| latencies(&world, &streams, at_ms(from), at_ms(to));
            let worst = within(0, 10_000).into_iter().max().expect("some arrive");
            assert!(worst <= ms(501), "delivered {:.1} ms old", millis(worst));
            let halved = within(3_000, 6_000);
            // 100 Mbit/s carry 92 pictures in three seconds.
            assert!(halved.len() >= 60, "{} of 120 while halved", halved.len());
            let (before, after) = (within(2_000, 3_000), within(8_000, 10_000));
            assert_eq!(after.len(), 80, "of 80 pictures from two seconds after the return on");
            assert!(mean(&after) <= 1.1 * mean(&before), "{:.1} ms, then {:.1}", mean(&before), mean(&after));
        }
    }
}

/// Latencies of what was captured between two times.
fn latencies(world: &World, streams: &[Stream], from: MonoTime, to: MonoTime) -> Vec<Duration> {
    let fates = streams.iter().flat_map(|stream| world.fates(stream).into_values());
    fates.filter(|fate| (from..to).contains(&fate.capture)).filter_map(|fate: Fate| fate.latency()).collect()
}

fn mean(of: &[Duration]) -> f64 {
    millis(of.iter().sum::<Duration>()) / of.len().max(1) as f64
}

/// The paper's cameras for ten seconds.
fn paper(network: &str, seed: u64) -> Outcomes {
    let _seed = Seed::new(network, seed);
    drive(&named(network), seed, &Workload::paper(4, 100, link_qos()), SessionConfig::default())
}

/// Pictures captured from the third second on that were delivered, and the age of the oldest.
fn delivered(outcomes: &Outcomes) -> (usize, Duration) {
    let samples = || outcomes.streams[..4].iter().flat_map(|camera| &camera[20..]);
    let worst = samples().filter_map(|sample| sample.latency()).max().unwrap_or_default();
    (samples().filter(|sample| sample.arrival.is_some()).count(), worst)
}

/// LNK-62: a policer of 100 Mbit/s lets 31 of 40 pictures a second through. Loss is what it says with.
#[test]
fn through_a_policer_four_fifths_of_what_fits_are_delivered() {
    for seed in 1..=SEEDS {
        let (count, worst) = delivered(&paper("policer", seed));
        let fits = 100e6 / 8.0 / FRAME_BYTES * 8.0;
        assert!(count as f64 >= 0.8 * fits, "seed {seed}: {count} of {fits:.0} that fit in 8 s");
        assert!(worst <= ms(501), "seed {seed}: {worst:?}");
    }
}

/// LNK-62, LNK-60: a queue of ten packets is room enough for a paced sender.
#[test]
fn over_a_shallow_queue_four_fifths_of_what_fits_are_delivered() {
    for seed in 1..=SEEDS {
        let (count, worst) = delivered(&paper("shallow", seed));
        assert!(count >= 320 * 4 / 5, "seed {seed}: {count} of 320, all of which fit");
        assert!(worst <= ms(501), "seed {seed}: {worst:?}");
    }
}

/// LNK-64: the capacity is known after one round trip, and the first pictures do not wait for it.
#[test]
fn the_first_picture_arrives_within_150_ms_of_the_start() {
    for network in ["wan-loss1", "wan-loss5"] {
        for seed in 1..=20 {
            let outcomes =
                drive(&named(network), seed, &Workload::paper(4, 20, link_qos()), SessionConfig::default());
            let first = outcomes.streams[..4].iter().filter_map(|camera| camera[0].latency()).min();
            assert!(first.is_some_and(|age| age <= ms(150)), "{network}, seed {seed}: {first:?}");
        }
    }
}

/// Where the recorded traces are, if they are: `TOKKYU_TRACES`, or beside the workspace.
fn traces() -> Result<Vec<PathBuf>, String> {
    let folder = std::env::var_os("TOKKYU_TRACES")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces"));
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_trace = |path: &PathBuf| path.extension().is_some_and(|kind| kind == "up" || kind == "down");
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_trace).collect();
    found.sort();
    if found.is_empty() { Err(format!("no .up or .down file in {}", folder.display())) } else { Ok(found) }
}

/// Commands over a recorded capacity, alone or beside small pictures the other way.
struct OverTrace {
    commands: Vec<Duration>,
    pictures: usize,
    /// Most that a picture was older than its lifespan, beyond what the clock estimate may be off.
    stale: Duration,
}

fn over_trace(profile: &Profile, images: usize) -> OverTrace {
    let mut world = World::new(profile, 1);
    let mut streams: Vec<Stream> = (0..images)
        .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 20_000, ms(100)))
        .collect();
    let commands = with_lifespan(reliable(10), 150);
    let mut command = world.stream(End::Operator, Class::Control, commands, 64, ms(20));
    let mut all: Vec<&mut Stream> = streams.iter_mut().chain([&mut command]).collect();
    world.drive(&mut all, at_ms(20_000));
    world.run_to(at_ms(22_000));
    let mut over =
        OverTrace { commands: world.latencies(&command, at_ms(0)), pictures: 0, stale: Duration::ZERO };
    for stream in &streams {
        let fates = world.fates(stream);
        for (at, picture) in world.delivered(End::Operator, stream.reader) {
            over.pictures += 1;
            // Before the first estimate of the peer's clock the error is endless (LNK-3).
            let may_be = ms(500).saturating_add(picture.age_error);
            over.stale = over.stale.max(at.since(fates[&picture.id.sequence].capture).saturating_sub(may_be));
        }
    }
    over
}

/// LNK-3, LNK-50, LNK-63: on a capacity that changes from one moment to the next.
#[test]
fn on_recorded_cellular_capacity_pictures_do_not_delay_control_and_none_is_stale() {
    let files = match traces() {
        Ok(files) => files,
        Err(reason) => return eprintln!("skipped: no capacity traces: {reason}"),
    };
    let mut wrong = Vec::new();
    for file in files {
        let name = format!("trace:{}", file.display());
        let profile = Profile::named(&name).expect("a readable trace");
        let (alone, beside) = (over_trace(&profile, 0), over_trace(&profile, 4));
        let (alone_p99, p99) = (quantile(&alone.commands, 0.99), quantile(&beside.commands, 0.99));
        let line = format!(
            "{}: of 1000 commands {} alone, {} beside pictures, p99 {:.1} and {:.1} ms; {} of 800 pictures, {:?} stale",
            file.file_name().unwrap_or_default().display(),
            alone.commands.len(),
            beside.commands.len(),
            millis(alone_p99),
            millis(p99),
            beside.pictures,
            beside.stale,
        );
        println!("{line}");
        let fewer = beside.commands.len() * 10 < alone.commands.len() * 9;
        if p99 > alone_p99 + ms(50) || fewer || beside.stale > ms(1) {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How long the operator would leave packets in its socket at `now`.
fn lull(world: &mut World, now: MonoTime) -> Duration {
    world.network.session(End::Operator).lull(Network::clock(End::Operator, now))
}

/// LNK-69: packets are left in the socket while pictures come, and no picture waits for it.
#[test]
fn a_pause_in_reading_is_over_before_any_picture_is_complete() {
    for network in ["lan", "wan"] {
        let mut world = World::new(&named(network), 1);
        let mut streams: Vec<Stream> = (0..4)
            .map(|_| world.stream(End::Vehicle, Class::Realtime, link_qos(), 374_000, ms(100)))
            .collect();
        let mut all: Vec<&mut Stream> = streams.iter_mut().collect();
        let (mut pauses, step) = (Vec::new(), Duration::from_micros(100));
        let mut now = at_ms(1_000);
        while now < at_ms(2_000) {
            world.drive(&mut all, now);
            pauses.push((now, lull(&mut world, now)));
            now += step;
        }
        world.run_for(ms(200));
        let complete: Vec<MonoTime> = streams
            .iter()
            .flat_map(|stream| world.fates(stream).into_values())
            .filter_map(|fate| fate.arrival)
            .collect();
        let outlasts = |(from, pause): &&(MonoTime, Duration)| {
            complete.iter().any(|at| *at > *from && *at < *from + *pause)
        };
        assert_eq!(pauses.iter().find(outlasts), None, "{network}");
        let long = pauses.iter().filter(|(_, pause)| *pause >= Duration::from_micros(200)).count();
        // Four pictures take 12 ms of each tenth of a second on the LAN, 60 ms on the WAN.
        assert!(long >= 500, "{network}: {long} of {} moments", pauses.len());
    }
}

/// LNK-69: what is incomplete when the path falls silent makes nobody look again and again.
#[test]
fn a_picture_that_waits_for_its_rest_is_no_reason_to_pause_once_nothing_comes() {
    let mut world = World::new(&named("wan"), 1);
    let mut camera = world.stream(End::Vehicle, Class::Realtime, link_qos(), 374_000, ms(100));
    world.drive(&mut [&mut camera], at_ms(1_030));
    assert!(lull(&mut world, at_ms(1_030)) > Duration::ZERO, "in the middle of a picture");
    assert_eq!(lull(&mut world, at_ms(1_030) + ms(1)), Duration::ZERO, "as if no packet had come since");
}
