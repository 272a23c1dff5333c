//! What Linux does on a processor (MON-72, MON-73).

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::told::{COUNT_AT, COUNTED, FLAGS, NUMBER, WINDOWS, WORDS, Window, of_processor};

/// Whether Linux holds something on a processor that others may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No spin lock.
    Free,
    /// Perhaps a spin lock, or it waits for one.
    Holds,
    /// That is not known.
    Unknown,
}

/// Linux's memory, and what it shares with the RTOS. Addresses may be any.
pub trait Memory {
    /// Eight bytes from a physical address on. `None`: not all of them are in memory that Linux has, or not at a multiple of 8.
    fn word(&self, physical: u64) -> Option<u64>;

    /// Word number `word` of what Linux tells.
    fn told(&self, word: usize) -> u64;
}

/// What was told, as it is kept where Linux cannot change it. One writes, all may look meanwhile: at worst they see some of both, which
/// is bounded as all else is.
#[derive(Debug)]
pub struct Watch {
    words: [AtomicU64; WORDS],
}

impl Watch {
    /// Nothing is told.
    pub const fn new() -> Watch {
        Watch { words: [const { AtomicU64::new(0) }; WORDS] }
    }

    /// Whether something is told, and whether it is another than before, which is taken over then. One asks at a time, and not one who is in a hurry.
    pub fn refresh(&self, memory: &impl Memory) -> bool {
        let number = memory.told(NUMBER);
        if number == self.words[NUMBER].load(Relaxed) {
            return false;
        }
        self.words[NUMBER].store(0, Release);
        for (word, kept) in self.words.iter().enumerate().skip(NUMBER + 1) {
            kept.store(memory.told(word), Relaxed);
        }
        // Told again meanwhile: the next time.
        if memory.told(NUMBER) == number {
            self.words[NUMBER].store(number, Release);
        }
        true
    }

    /// Whether tasks are counted; `None`: nothing is told.
    pub fn is_counted(&self) -> Option<bool> {
        let number = self.words[NUMBER].load(Acquire);
        (number != 0).then(|| self.word(FLAGS) & COUNTED != 0)
    }

    #[inline]
    fn word(&self, word: usize) -> u64 {
        self.words[word].load(Relaxed)
    }

    /// What it does on a processor; `in_user_mode`: as far as that is known.
    #[inline]
    pub fn look(&self, memory: &impl Memory, processor: usize, in_user_mode: Option<bool>) -> State {
        if in_user_mode == Some(true) {
            return State::Free;
        }
        let number = self.words[NUMBER].load(Acquire);
        if number == 0 || memory.told(NUMBER) != number {
            return State::Unknown;
        }
        self.state(memory, processor).unwrap_or(State::Unknown)
    }

    #[inline]
    fn state(&self, memory: &impl Memory, processor: usize) -> Option<State> {
        let (running_at, idle) = of_processor(processor)?;
        let task = memory.word(self.word(running_at))?;
        let is_idle = task == self.word(idle);
        if self.word(FLAGS) & COUNTED == 0 {
            return Some(if is_idle { State::Free } else { State::Unknown });
        }
        let at = task.checked_add(self.word(COUNT_AT))?;
        let find = |window: usize| Window::read(window, |word| self.word(word)).find(at, 8);
        // Nearly all tasks are in the second.
        let physical = find(WINDOWS[1]).or_else(|| find(WINDOWS[0]))?;
        let count = memory.word(physical)? as u32;
        Some(if count == u32::from(is_idle) { State::Free } else { State::Holds })
    }
}

impl Default for Watch {
    fn default() -> Self {
        Watch::new()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::{PROCESSORS_MAX, TELLING_AT, Telling};

    /// A word for each address that there is; whatever is asked for is written down.
    #[derive(Default)]
    struct Linux {
        words: HashMap<u64, u64>,
        told: HashMap<u64, u64>,
    }

    impl Memory for Linux {
        fn word(&self, physical: u64) -> Option<u64> {
            self.words.get(&physical).copied()
        }

        fn told(&self, word: usize) -> u64 {
            self.told.get(&(TELLING_AT + 8 * word as u64)).copied().unwrap_or(0)
        }
    }

    const IMAGE: Window = Window { address: 0xffff_8000_8000_0000, bytes: 0x1000, physical: 0x4020_0000 };
    const LINEAR: Window = Window { address: 0xffff_0000_0000_0000, bytes: 0x10_0000, physical: 0x4000_0000 };
    const TASK: u64 = LINEAR.address + 0x2000;
    const IDLE: [u64; 2] = [IMAGE.address + 0x100, LINEAR.address + 0x3000];
    const RUNNING_AT: [u64; 2] = [0x4000_8000, 0x4000_9000];

    impl Linux {
        fn tells(&mut self, number: u64, flags: u64) {
            let mut telling = Telling { flags, count_at: 8, windows: [IMAGE, LINEAR], ..Telling::default() };
            telling.running_at[..2].copy_from_slice(&RUNNING_AT);
            telling.idle[..2].copy_from_slice(&IDLE);
            telling.write(number, |at, value| {
                self.told.insert(at, value);
            });
        }

        fn runs(&mut self, processor: usize, task: u64, count: u64) {
            self.words.insert(RUNNING_AT[processor], task);
            let physical = LINEAR.find(task + 8, 8).or(IMAGE.find(task + 8, 8)).unwrap();
            self.words.insert(physical, count);
        }
    }

    fn watched(linux: &Linux) -> Watch {
        let watch = Watch::new();
        assert!(watch.refresh(linux) && !watch.refresh(linux));
        watch
    }

    #[test]
    fn a_count_that_is_not_of_rest_holds() {
        let mut linux = Linux::default();
        linux.tells(1, COUNTED);
        let watch = watched(&linux);
        // The upper half says whether there is something to be done; it holds nothing.
        for (task, count, state) in [
            (TASK, 0, State::Free),
            (TASK, 1 << 32, State::Free),
            (TASK, 1, State::Holds),
            (TASK, 0x1_0000, State::Holds),
            (IDLE[1], 1, State::Free),
            (IDLE[1], 2, State::Holds),
            (IDLE[0], 1, State::Holds),
        ] {
            linux.runs(1, task, count);
            assert_eq!(watch.look(&linux, 1, None), state, "{task:#x} {count:#x}");
            assert_eq!(watch.look(&linux, 1, Some(true)), State::Free);
        }
        linux.runs(0, IDLE[0], 1);
        assert_eq!(watch.look(&linux, 0, Some(false)), State::Free);
    }

    #[test]
    fn without_counts_it_is_idle_or_not_known() {
        let mut linux = Linux::default();
        linux.tells(1, 0);
        let watch = watched(&linux);
        linux.runs(1, IDLE[1], 7);
        assert_eq!(watch.look(&linux, 1, Some(false)), State::Free);
        linux.runs(1, TASK, 0);
        assert_eq!(watch.look(&linux, 1, Some(false)), State::Unknown);
        assert_eq!(watch.is_counted(), Some(false));
    }

    #[test]
    fn a_linux_that_begins_anew_is_not_known_until_it_tells() {
        let mut linux = Linux::default();
        linux.tells(1, COUNTED);
        linux.runs(1, TASK, 0);
        let watch = watched(&linux);
        assert_eq!(watch.look(&linux, 1, None), State::Free);
        linux.told.clear();
        assert_eq!(watch.look(&linux, 1, None), State::Unknown);
        assert!(watch.refresh(&linux) && watch.is_counted().is_none());
        linux.tells(2, COUNTED);
        assert_eq!(watch.look(&linux, 1, None), State::Unknown);
        assert!(watch.refresh(&linux));
        assert_eq!(watch.look(&linux, 1, None), State::Free);
        assert_eq!(watch.look(&linux, 2, None), State::Unknown, "it has none");
    }

    proptest! {
        /// Whatever is told, only addresses that the memory has are read, and looking ends.
        #[test]
        fn any_telling_gives_a_state(told in prop::collection::vec(any::<u64>(), WORDS), words: Vec<(u64, u64)>) {
            let told: HashMap<u64, u64> = (0..).map(|word| TELLING_AT + 8 * word).zip(told).collect();
            let linux = Linux { words: words.into_iter().collect(), told };
            let watch = Watch::new();
            watch.refresh(&linux);
            for processor in 0..=PROCESSORS_MAX {
                watch.look(&linux, processor, None);
            }
        }
    }
}
