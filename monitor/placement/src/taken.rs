//! Which processors the RTOS has.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{AcqRel, Relaxed, Release};

use crate::told::PROCESSORS_MAX;

/// Of each processor, how many tasks the RTOS has for it.
#[derive(Debug)]
pub struct Taken([AtomicU32; PROCESSORS_MAX]);

impl Taken {
    /// None.
    pub const fn new() -> Taken {
        Taken([const { AtomicU32::new(0) }; PROCESSORS_MAX])
    }

    /// Takes it if nobody has: of two that try, one gets it.
    pub(crate) fn try_take(&self, processor: usize) -> bool {
        self.0[processor].compare_exchange(0, 1, AcqRel, Relaxed).is_ok()
    }

    /// Takes it with whoever has.
    pub(crate) fn share(&self, processor: usize) {
        self.0[processor].fetch_add(1, AcqRel);
    }

    /// A task that was chosen for there is done.
    pub fn give(&self, processor: usize) {
        self.0[processor].fetch_sub(1, Release);
    }

    /// How many tasks there are for it.
    pub fn tasks(&self, processor: usize) -> u32 {
        self.0[processor].load(Relaxed)
    }
}

impl Default for Taken {
    fn default() -> Self {
        Taken::new()
    }
}
