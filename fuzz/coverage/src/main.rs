//! One program for all fuzz targets: libFuzzer, and the target that TOKKYU_FUZZ_TARGET names. ../run starts it.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use tokkyu_fuzz::TARGETS;
use tokkyu_fuzz::memory::Counted;

#[global_allocator]
static MEMORY: Counted = Counted;

/// The variable of the environment that names a target.
const VARIABLE: &str = "TOKKYU_FUZZ_TARGET";

static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

fn named() -> fn(&[u8]) {
    let wanted = std::env::var(VARIABLE).unwrap_or_default();
    let found = TARGETS.iter().find(|(name, _)| *name == wanted);
    found.unwrap_or_else(|| panic!("{VARIABLE}={wanted:?} names no target: start it by fuzz/run")).1
}

fuzz_target!(|bytes: &[u8]| TARGET.get_or_init(named)(bytes));
