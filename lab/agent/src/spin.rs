//! A foreground that never lets go of its processor.

use std::hint::black_box;

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// Computes until it is ended, on this processor alone if one is named.
pub fn run(processor: &[&str]) -> Result<(), String> {
    if let [text] = processor {
        let number = text.parse().map_err(|_| format!("{text}: not a processor"))?;
        let mut processors = CpuSet::new();
        processors.set(number).map_err(|error| format!("{text}: {error}"))?;
        sched_setaffinity(Pid::from_raw(0), &processors).map_err(|error| format!("{text}: {error}"))?;
    }
    let mut number = 0_u64;
    loop {
        number = black_box(number.wrapping_add(1));
    }
}
