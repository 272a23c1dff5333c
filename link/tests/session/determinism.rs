//! The same seed gives the same run, to the bit; another seed loses other packets.

use crate::world::networks::made_up;
use crate::world::{Seed, World, at_ms, link_qos, ms, named, reliable};
use tokkyu_contract::Class;
use tokkyu_link::core::SessionConfig;
use tokkyu_link::sim::drive::{Outcomes, Workload, drive};
use tokkyu_link::sim::network::End;

fn paper(network: &str, seed: u64) -> Outcomes {
    let _seed = Seed::new(network, seed);
    let workload = Workload { image_bytes: 100_000, ..Workload::paper(4, 20, link_qos()) };
    drive(&named(network), seed, &workload, SessionConfig::default())
}

/// Everything that can be compared, printed: floats compare by their digits.
fn print(outcomes: &Outcomes) -> String {
    format!("{outcomes:?}")
}

#[test]
fn the_same_seed_gives_the_same_outcomes_to_the_bit() {
    for network in ["lan-loss5-both", "wan-loss5", "wan-burst5", "wifi", "narrow", "policer", "shallow"] {
        for seed in [1, 77] {
            assert_eq!(print(&paper(network, seed)), print(&paper(network, seed)), "{network}, seed {seed}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_events_at_the_same_times() {
    let notes = |seed: u64| -> Vec<String> {
        let (profile, bps) = made_up(seed);
        let mut world = World::new(&profile, seed);
        let bytes = (bps * 0.1 * 0.3 / 8.0).min(60_000.0) as usize;
        let mut image = world.stream(End::Vehicle, Class::Realtime, link_qos(), bytes, ms(100));
        let mut command = world.stream(End::Operator, Class::Control, reliable(10), 64, ms(20));
        world.drive(&mut [&mut image, &mut command], at_ms(1_500));
        world.close();
        world.notes.iter().map(|note| format!("{} {:?} {:?}", note.at, note.end, note.event)).collect()
    };
    for seed in 0..10 {
        assert_eq!(notes(seed), notes(seed), "seed {seed}");
    }
}

#[test]
fn another_seed_loses_other_packets() {
    let runs: Vec<String> = (1..=5).map(|seed| print(&paper("wan-loss5", seed))).collect();
    for (at, run) in runs.iter().enumerate() {
        assert!(runs[..at].iter().all(|earlier| earlier != run), "seed {} is an earlier one's run", at + 1);
    }
}

#[test]
fn without_chance_in_the_network_the_seed_changes_nothing() {
    assert_eq!(print(&paper("narrow", 1)), print(&paper("narrow", 2)));
}
