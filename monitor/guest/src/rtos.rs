//! What neighbour/ counts beside the guest, and what it is ordered to do (its shared.rs).

use crate::call::counter;
use crate::power::until;
use crate::processor::SHARED;

const ORDERS: usize = SHARED + 0x4000;
const COUNTS: usize = SHARED + 0x5000;
/// From one of its activations to the next.
const PERIOD_TICKS: u64 = 50_000;

fn count(at: usize) -> u64 {
    // SAFETY: the shared memory.
    unsafe { ((COUNTS + 8 * at) as *const u64).read_volatile() }
}

/// Whether it is there.
pub fn is_beside() -> bool {
    count(0) > 0
}

/// A round begins: what it counts is of this one, when this returns. Nobody beside: nothing.
pub fn begin_round(is_back_to_back: bool) {
    if !is_beside() {
        return;
    }
    let number = count(1) + 1;
    // SAFETY: the shared memory.
    unsafe {
        ((ORDERS + 8) as *mut u64).write_volatile(is_back_to_back.into());
        (ORDERS as *mut u64).write_volatile(number);
    }
    until("the RTOS sees a round", || count(1) == number);
}

/// How late it came in at most in this round.
pub fn late_most() -> u64 {
    count(2)
}

/// Pairs of interrupts in this round: raised, and each of the two handled.
pub fn pairs() -> [u64; 3] {
    [3, 4, 5].map(count)
}

/// Its activations from one time on.
pub struct Watch {
    since: u64,
    activations: u64,
}

impl Watch {
    pub fn begin() -> Watch {
        Watch { since: counter(), activations: count(0) }
    }

    /// How many there were, and whether that is what a clock says.
    pub fn end(&self) -> (u64, bool) {
        let (ticks, activations) = (counter() - self.since, count(0) - self.activations);
        (activations, activations.abs_diff(ticks / PERIOD_TICKS) <= 1)
    }
}
