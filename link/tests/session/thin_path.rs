//! Thin paths: neither answers nor probes nor pictures that cannot arrive cost a command (LNK-50, LNK-60 to LNK-67).

use crate::world::{World, at_ms, link, link_qos, ms, reliable, with_lifespan};
use tokkyu_contract::{Class, MonoTime, Outcome};
use tokkyu_link::core::SessionConfig;
use tokkyu_link::sim::drive::{Outcomes, Workload, drive};
use tokkyu_link::sim::network::End;
use tokkyu_link::sim::path::{Direction, DirectionProfile, Path, Profile};
use tokkyu_link::sim::rival::{Algorithm, Rival};

/// What a command of 64 bytes is on the path: its frames, the header, QUIC, UDP, IP and Ethernet.
const COMMAND_FRAME: usize = 64 + 16 + 10 + 73;

/// `kbit` kbit/s both ways, 20 ms, a queue of 1 MB: as long as it may get.
fn thin(kbit: u64) -> Profile {
    let way = DirectionProfile::link(kbit * 1_000, ms(20), 1_000_000);
    Profile { name: format!("{kbit} kbit/s"), up: way.clone(), down: way }
}

/// The same with a standstill of the commands' way every few seconds, as cellular paths have.
fn halting(kbit: u64) -> Profile {
    let mut profile = thin(kbit);
    for second in [3, 7, 8, 13] {
        let from = ms(second * 1_000);
        profile.down = profile.down.with_rate_between(from, from + ms(400), 0);
        profile.up = profile.up.with_rate_between(from, from + ms(400), 0);
    }
    profile
}

fn workload(images: usize, image_bytes: usize) -> Workload {
    Workload { image_bytes, ..Workload::paper(images, 200, link_qos()) }
}

/// Commands that arrive late where each has the path for itself, one packet each.
fn missed_alone(profile: &Profile, workload: &Workload) -> usize {
    let mut path: Path<MonoTime> = profile.path(Direction::Down, 1, MonoTime::ZERO);
    let count = workload.samples * 5;
    for command in 0..count {
        let at = MonoTime::ZERO + workload.command_period * command;
        path.offer(at, COMMAND_FRAME, at);
    }
    let mut in_time = 0;
    while let Some(due) = path.next_due() {
        let Some(arrived) = path.take_due(due) else { break };
        in_time += usize::from(due.since(arrived.packet) <= ms(150));
    }
    count as usize - in_time
}

fn missed(outcomes: &Outcomes) -> usize {
    let commands = outcomes.streams.last().expect("the commands come last");
    commands.iter().filter(|command| command.arrival.is_none()).count()
}

fn pictures(outcomes: &Outcomes) -> usize {
    let cameras = outcomes.streams.split_last().expect("the commands come last").1;
    cameras.iter().flatten().filter(|picture| picture.arrival.is_some()).count()
}

/// At most a fifth more than the path alone misses, and one of a hundred.
fn assert_commands_come(profile: &Profile, workload: &Workload) -> Outcomes {
    let alone = missed_alone(profile, workload);
    let outcomes = drive(profile, 1, workload, SessionConfig::default());
    let (missed, count) = (missed(&outcomes), outcomes.streams.last().map_or(0, Vec::len));
    let told = format!(
        "{}, {} × {}: {missed} of {count} commands missed, {alone} by the path alone; {} pictures",
        profile.name,
        workload.images,
        workload.image_bytes,
        pictures(&outcomes)
    );
    println!("{told}");
    assert!(missed * 10 <= alone * 12 + count / 10, "{told}");
    outcomes
}

/// LNK-52: and hardly a packet: one is begun every two seconds, and has half a second.
#[test]
fn pictures_that_cannot_arrive_cost_no_command() {
    for (profile, kbit) in [(thin(1_000), 1_000), (halting(1_000), 1_000), (thin(512), 512), (thin(256), 256)]
    {
        for images in [1, 4] {
            let outcomes = assert_commands_come(&profile, &workload(images, 374_000));
            let (fresh, carried) = (outcomes.vehicle.packets_fresh, kbit * 20_000 / 8 / 1_531);
            assert!(fresh <= 100 + carried / 2, "{}: {fresh} of {carried} packets", profile.name);
        }
    }
}

#[test]
fn small_pictures_arrive_on_a_thin_path_and_cost_no_command() {
    for (kbit, images, bytes, least) in [(256, 1, 1_500, 100), (256, 4, 350, 500), (1_000, 1, 6_000, 195)] {
        let outcomes = assert_commands_come(&thin(kbit), &workload(images, bytes));
        assert!(pictures(&outcomes) >= least, "{} pictures of {bytes} bytes", pictures(&outcomes));
    }
}

/// LNK-42, LNK-43: a second packet of parity for each picture of two would be a third of the path.
#[test]
fn where_pictures_lack_rate_none_of_it_goes_into_parity_for_no_loss() {
    let outcomes = assert_commands_come(&halting(1_000), &workload(4, 2_000));
    let stats = outcomes.vehicle;
    println!("{} fresh, {} parity", stats.packets_fresh, stats.packets_parity);
    assert!(stats.packets_parity * 10 <= stats.packets_fresh, "{stats:?}");
}

/// LNK-2: whatever stands on the way of the answers, and for however long.
#[test]
fn a_queue_on_the_way_back_keeps_no_command_from_being_sent() {
    let profile =
        Profile { name: "queue of 2 s".to_owned(), up: link(10, 20, 2_000), down: link(10, 20, 2_000) };
    let mut world = World::new(&profile, 1);
    (0..4).for_each(|_| {
        world.network.add_rival(Rival::new(Algorithm::Cubic, at_ms(500)..MonoTime::MAX, ms(20)));
    });
    let qos = with_lifespan(reliable(10), 150);
    let mut command = world.stream(End::Operator, Class::Control, qos, 64, ms(20));
    world.drive(&mut [&mut command], at_ms(25_000));
    world.run_to(at_ms(28_000));
    let came = |outcome| matches!(outcome, Some(Outcome::Late | Outcome::Dropped));
    let fates = world.fates(&command);
    let unsent = fates.values().filter(|fate| fate.arrival.is_none() && !came(fate.receiver)).count();
    assert_eq!(unsent, 0, "of {}", fates.len());
}

/// LNK-52: a path that gets better is found out by the pictures begun in spite of the rate.
#[test]
fn pictures_come_again_when_a_thin_path_gets_better() {
    let mut profile = thin(100_000);
    profile.up = profile.up.with_rate_between(ms(2_000), ms(10_000), 1_000_000);
    let outcomes = drive(&profile, 1, &workload(1, 374_000), SessionConfig::default());
    let after = &outcomes.streams[0][140..];
    let arrived = after.iter().filter(|picture| picture.arrival.is_some()).count();
    assert!(arrived >= 58, "{arrived} of 60 pictures from four seconds after on");
}
