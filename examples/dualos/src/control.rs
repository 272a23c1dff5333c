//! The control task of a home processor: a millisecond, of which its work takes a tenth.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use tokkyu_monitor_statistics::Tasks;
use tokkyu_rtos_aarch64::linux;

use crate::system::{KERNEL, PERIOD_US, PROCESSORS};
use crate::{command, place};

/// What a robot's control would compute.
const WORK_US: u64 = 100;

/// What came of it, for one home processor; its task alone writes, but for the misses and moves.
pub(crate) struct Kept {
    first_us: AtomicU64,
    pub(crate) activations: AtomicU64,
    /// Activations that came while the one before was not done.
    pub(crate) missed: AtomicU64,
    /// Activations elsewhere than at home.
    pub(crate) moved: AtomicU64,
    /// The latest beginning, after the time that it was meant for.
    pub(crate) latest_us: AtomicU64,
    /// All of them together.
    late_us: AtomicU64,
}

pub(crate) static KEPT: [Kept; PROCESSORS] = [const {
    Kept {
        first_us: AtomicU64::new(0),
        activations: AtomicU64::new(0),
        missed: AtomicU64::new(0),
        moved: AtomicU64::new(0),
        latest_us: AtomicU64::new(0),
        late_us: AtomicU64::new(0),
    }
}; PROCESSORS];

fn now_us() -> u64 {
    KERNEL.get_tim().unwrap_or(0)
}

/// Its time has come, on its home processor.
pub(crate) fn activate(home: usize) {
    let Some(processor) = place::begin(home) else {
        KEPT[home].missed.fetch_add(1, Relaxed);
        return;
    };
    if KERNEL.mact_tsk(home as i32 + 1, processor as i32 + 1).is_err() {
        place::end(home);
        KEPT[home].missed.fetch_add(1, Relaxed);
        return;
    }
    KEPT[home].moved.fetch_add(u64::from(processor != home), Relaxed);
}

/// One activation.
pub(crate) fn task(home: usize) {
    let (kept, begun_us) = (&KEPT[home], now_us());
    let done = kept.activations.load(Relaxed);
    if done == 0 {
        kept.first_us.store(begun_us, Relaxed);
    }
    // Those that were missed had their time too.
    let turn = done + kept.missed.load(Relaxed);
    let meant_us = kept.first_us.load(Relaxed) + turn * u64::from(PERIOD_US);
    let late_us = begun_us.saturating_sub(meant_us);
    kept.latest_us.fetch_max(late_us, Relaxed);
    kept.late_us.fetch_add(late_us, Relaxed);
    kept.activations.store(done + 1, Relaxed);
    // What the motors would get; the rest of its time stands for driving them.
    core::hint::black_box(command::at(begun_us));
    while now_us() - begun_us < WORK_US {}
    kept.tell(home);
    place::end(home);
}

impl Kept {
    /// Tells whoever looks at the machine (`tokkyu board top`). Until the activation has ended nobody else does for this home processor.
    fn tell(&self, home: usize) {
        let [activations, elsewhere, missed, latest_us, late_us] =
            [&self.activations, &self.moved, &self.missed, &self.latest_us, &self.late_us]
                .map(|count| count.load(Relaxed));
        let used_up = linux::budget(home + 1).map_or(0, |budget| budget.used_up);
        Tasks { activations, elsewhere, missed, latest_us, late_us, used_up, at_us: now_us() }.write(
            home,
            |at, value| {
                if let Some(word) = linux::shared(at) {
                    word.store(value, Relaxed);
                }
            },
        );
    }
}
