//! The Linux beside a system that sees it.

use core::sync::atomic::Ordering::Acquire;

use tokkyu_rtos_aarch64::linux;

use crate::look::{Memory, State, Watch};
use crate::told::TELLING_AT;

/// It, by the system's own means.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside;

impl Memory for Beside {
    #[inline]
    fn word(&self, physical: u64) -> Option<u64> {
        linux::word(physical)
    }

    #[inline]
    fn told(&self, word: usize) -> u64 {
        linux::shared(TELLING_AT + 8 * word as u64).map_or(0, |word| word.load(Acquire))
    }
}

impl Beside {
    /// What Linux does on a processor, asked on the processor `here`, of which more is known.
    #[inline]
    pub fn look(self, watch: &Watch, processor: usize, here: usize) -> State {
        watch.look(&self, processor, || processor == here && linux::is_in_user_mode())
    }
}
