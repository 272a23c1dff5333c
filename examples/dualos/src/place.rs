//! Where a control task is begun: on a processor on which Linux holds no spin lock, its own first.

use core::fmt::Write;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use tokkyu_monitor_placement::{Beside, Choice, Policy, Taken, Watch, choose};
use tokkyu_rtos_aarch64::Console;

use crate::system::{KERNEL, PROCESSORS};

const WATCH_US: u32 = 100_000;
const NOWHERE: usize = usize::MAX;

static WATCHED: Watch = Watch::new();
static TAKEN: Taken = Taken::new();
/// Of each home processor's task, where it is; `NOWHERE`: it is done.
static AT: [AtomicUsize; PROCESSORS] = [const { AtomicUsize::new(NOWHERE) }; PROCESSORS];

/// For a handler of the home processor: where its task is to begin. `None`: it is not done yet.
pub(crate) fn begin(home: usize) -> Option<usize> {
    if AT[home].load(Acquire) != NOWHERE {
        return None;
    }
    let look = |processor| Beside.look(&WATCHED, processor, home);
    match choose(Policy::LeastLocked, (home, PROCESSORS), &TAKEN, (0, false), look) {
        Choice::At(processor, _) => {
            AT[home].store(processor, Release);
            Some(processor)
        }
        // Of another policy.
        Choice::Later => None,
    }
}

/// For the task of that home: it is done.
pub(crate) fn end(home: usize) {
    TAKEN.give(AT[home].swap(NOWHERE, AcqRel));
}

/// The task that looks for what Linux tells.
pub(crate) fn watch() {
    loop {
        if WATCHED.refresh(&Beside) {
            let what = match WATCHED.is_counted() {
                Some(true) => "Linux tells where it holds locks: control begins where it holds none",
                Some(false) => {
                    "Linux tells where it idles, and counts no locks: control begins where it idles"
                }
                None => "Linux tells nothing of its locks: control begins at home",
            };
            let _ = writeln!(Console, "rtos: {what}");
        }
        if KERNEL.dly_tsk(WATCH_US).is_err() {
            return;
        }
    }
}
