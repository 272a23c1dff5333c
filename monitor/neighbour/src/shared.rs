//! What the guest orders and reads, in the memory that both systems have: words of 64 bits, where load/ has none of its own.
//!
//! | at | what |
//! |---|---|
//! | 0x4000 | number of a round, and whether interrupts are raised back to back in it (0, 1) |
//! | 0x5000 | counts, in the order of `Count` |

use core::sync::atomic::Ordering::Relaxed;

use tokkyu_rtos_aarch64::linux;

const ORDERS_AT: u64 = 0x4000;
const COUNTS_AT: u64 = 0x5000;

/// What is told.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(crate) enum Count {
    /// Of the task, since the machine's reset.
    Activations,
    /// The round that has been seen; what follows is of this one.
    Round,
    /// How late the kernel came in at most.
    LateMost,
    /// How often interrupts were raised back to back, and each of the two handled.
    Raised,
    First,
    Second,
}

fn order(at: u64) -> u64 {
    linux::shared(ORDERS_AT + 8 * at).map_or(0, |word| word.load(Relaxed))
}

/// The number of the round.
pub(crate) fn round() -> u64 {
    order(0)
}

pub(crate) fn is_back_to_back() -> bool {
    order(1) != 0
}

pub(crate) fn tell(count: Count, is: u64) {
    if let Some(word) = linux::shared(COUNTS_AT + 8 * count as u64) {
        word.store(is, Relaxed);
    }
}
