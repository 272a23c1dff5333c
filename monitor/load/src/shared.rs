//! What the experiment orders and reads, in the memory that both systems have: words of 64 bits, for each home processor.
//!
//! | at | what |
//! |---|---|
//! | 0x2000 + 0x40 h | microseconds from one activation to the next (0: none), of its work, number of the policy, microseconds that it may wait, round, where it looks, whether it gives way |
//! | 0x3000 + 0x100 h | counts, in the order of `Count`; they begin anew with each round |

use core::sync::atomic::Ordering::Relaxed;

use tokkyu_monitor_placement::Policy;
use tokkyu_rtos_aarch64::linux;

const ORDERS_AT: u64 = 0x2000;
const ORDERS_BYTES: u64 = 0x40;
const COUNTS_AT: u64 = 0x3000;
const COUNTS_BYTES: u64 = 0x100;

/// For one home processor.
#[derive(Clone, Copy)]
pub(crate) struct Orders {
    pub(crate) period_us: u32,
    pub(crate) work_us: u32,
    pub(crate) policy: Policy,
    pub(crate) defer_us: u32,
    pub(crate) round: u64,
    pub(crate) look_at: u64,
    pub(crate) gives_way: bool,
}

/// What is counted, for one home processor.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(crate) enum Count {
    Activations,
    /// Begun elsewhere.
    Moved,
    /// Linux held something at home.
    Held,
    /// Whether it did was not known.
    Unknown,
    /// It held something where the task was begun too: everywhere.
    Nowhere,
    /// The one before was not done.
    Missed,
    /// Begun later than it was due.
    Deferred,
    /// From when it was due to the task's first function, at home, in ticks of the counter: all of them.
    StartTicks,
    /// The most.
    StartMost,
    /// The same of those that were moved.
    MovedTicks,
    /// The most of these.
    MovedMost,
    /// The round that these are of.
    Round,
    /// The task found a 1 in the 32 bits where it was to look.
    Seen,
    /// Linux held something elsewhere, once the task had come there.
    Arrived,
}

pub(crate) const COUNTS: u64 = Count::Arrived as u64 + 1;

fn order(home: usize, at: u64) -> u64 {
    linux::shared(ORDERS_AT + ORDERS_BYTES * home as u64 + 8 * at).map_or(0, |word| word.load(Relaxed))
}

pub(crate) fn orders(home: usize) -> Orders {
    // An hour is enough for anybody.
    let micros = |at| order(home, at).min(3_600_000_000) as u32;
    Orders {
        period_us: micros(0),
        work_us: micros(1),
        policy: Policy::of(order(home, 2)).unwrap_or_default(),
        defer_us: micros(3),
        round: order(home, 4),
        look_at: order(home, 5),
        gives_way: order(home, 6) != 0,
    }
}

/// Changes a count. One at a time does, for each home processor.
pub(crate) fn change(home: usize, count: Count, to: impl FnOnce(u64) -> u64) {
    if let Some(word) = linux::shared(COUNTS_AT + COUNTS_BYTES * home as u64 + 8 * count as u64) {
        word.store(to(word.load(Relaxed)), Relaxed);
    }
}

pub(crate) fn add(home: usize, count: Count, more: u64) {
    change(home, count, |now| now.wrapping_add(more));
}

/// A round begins.
pub(crate) fn clear(home: usize, round: u64) {
    for at in 0..COUNTS {
        if let Some(word) = linux::shared(COUNTS_AT + COUNTS_BYTES * home as u64 + 8 * at) {
            word.store(if at == Count::Round as u64 { round } else { 0 }, Relaxed);
        }
    }
}
