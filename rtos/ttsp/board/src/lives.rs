//! What stays from life to life: the plans, and which is next.

use core::fmt::Write;
use core::ops::Range;

use tokkyu_rtos_aarch64::{Console, exit, reset};
use tokkyu_ttsp::carry::{MAGIC, count, unpack};
use tokkyu_ttsp::plan::Plan;

/// The plans, in memory beside the image. The last page of it is for what is kept from life to life.
pub(crate) static MEMORY: Range<usize> = PLANS..PLANS + BYTES;
const PLANS: usize = 0x4100_0000;
const BYTES: usize = 4 << 20;
/// A word that says whether there was a life before, and how many: of the scenarios that were begun.
const KEPT: *mut [u32; 2] = (PLANS + BYTES - 4096) as *mut [u32; 2];

fn plans() -> &'static [u8] {
    // SAFETY: mapped memory that nobody writes while this runs.
    unsafe { core::slice::from_raw_parts(PLANS as *const u8, BYTES - 4096) }
}

/// The scenario of this life, and its index; ends the system where there is none.
pub(crate) fn next() -> (u32, Plan) {
    // SAFETY: mapped memory that nothing else uses; the first processor alone comes here, once.
    let before = unsafe {
        let [mark, begun] = KEPT.read_volatile();
        let begun = if mark == MAGIC { begun } else { 0 };
        KEPT.write_volatile([MAGIC, begun + 1]);
        begun
    };
    match count(plans()) {
        None => end("there is no folder of plans in memory", 1),
        Some(all) if before >= all => end("done", 0),
        Some(_) => match unpack(plans(), before) {
            Some(plan) => (before, plan),
            None => tell(before, Err("it is no plan that this image understands")),
        },
    }
}

fn end(words: &str, code: i32) -> ! {
    let _ = writeln!(Console, "{words}");
    exit(code)
}

/// What became of it; then comes the next.
pub(crate) fn tell(index: u32, outcome: Result<(), &str>) -> ! {
    let _ = match outcome {
        Ok(()) => writeln!(Console, "scenario {index} passed"),
        Err(why) => writeln!(Console, "scenario {index} failed: {why}"),
    };
    reset()
}
