//! Each target takes its seeds, and what little changes make of them. How far that reaches is no matter of chance alone: `fuzz/run`, with
//! coverage to guide it, goes further.

use std::fs;
use std::path::{Path, PathBuf};

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use tokkyu_fuzz::TARGETS;
use tokkyu_fuzz::memory::Counted;

#[global_allocator]
static MEMORY: Counted = Counted;

/// Of each seed; a session of the link takes some milliseconds for one.
const CHANGED: u64 = 400;

fn seeds(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    seeds.sort();
    seeds
}

/// Cut, doubled, with bytes that are others, or with something put in.
fn change(bytes: &[u8], chance: &mut Pcg64Mcg) -> Vec<u8> {
    let mut at = |length: usize| chance.next_u64() as usize % length.max(1);
    let mut changed = bytes.to_vec();
    for _ in 0..=at(4) {
        let place = at(changed.len());
        match at(5) {
            0 => changed.truncate(place),
            1 => changed.extend_from_within(..place),
            2 => changed.insert(place, at(256) as u8),
            3 if place < changed.len() => changed[place] = [0, 1, 0x7f, 0x80, 0xff][at(5)],
            _ if place < changed.len() => changed[place] ^= 1 << at(8),
            _ => {}
        }
    }
    changed
}

/// Says which input it was when the target panics.
struct Input<'a> {
    seed: &'a Path,
    number: u64,
}

impl Drop for Input<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input was change {} of {} (0: none)", self.number, self.seed.display());
        }
    }
}

fn takes_its_seeds(target: &str) {
    let (_, run) = TARGETS.iter().find(|(name, _)| *name == target).expect("a test for each target alone");
    let seeds = seeds(target);
    assert!(!seeds.is_empty(), "fuzz/seeds/{target} is empty");
    for seed in &seeds {
        let bytes = fs::read(seed).unwrap();
        for number in 0..=CHANGED {
            let input = Input { seed, number };
            match number {
                0 => run(&bytes),
                _ => run(&change(&bytes, &mut Pcg64Mcg::seed_from_u64(number))),
            }
            drop(input);
        }
    }
}

macro_rules! tests {
    ($($target:ident)*) => {
        $(#[test] fn $target() { takes_its_seeds(stringify!($target)); })*
        /// A target without a test, and the other way round.
        #[test]
        fn every_target_has_a_test_and_seeds() {
            let told: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(told, [$(stringify!($target)),*]);
        }
    };
}

tests! {
    base_speed board_frames bridge_message capacity_trace command companion definition device_tree drive_file fleet gate_report graph
    kernel_configuration master message mjpeg node_bridge_master node_bridge_message picture probe public_keys records result_file robot_yaml rtos_image secret_key session site_yaml table
    tcpros topics ttsp_scenario wire_packet xmlrpc
}
