//! What Linux does on a processor (MON-72, MON-73).

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::told::{COUNT_AT, COUNTED, FLAGS, NUMBER, PROCESSORS_MAX, WINDOWS, Window, of_processor};

/// How many spin locks Linux perhaps has on a processor, the last of which it may wait for. The fewer, the better it is to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State(u32);

impl State {
    /// None.
    pub const FREE: State = State(0);
    /// That is not known: more than any that is.
    pub const UNKNOWN: State = State(0x100);

    /// More than that.
    pub(crate) const MOST: State = State(u32::MAX);

    /// So many.
    pub const fn holds(locks: u8) -> State {
        State(locks as u32)
    }

    /// As a number: locks, or 256 where that is not known.
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// In a count, how often preemption is forbidden (Linux, `include/linux/preempt.h`): each spin lock does that once. Above are interrupts of
/// each kind that are being handled, which by themselves hold nothing.
const DEPTH: u64 = 0xff;

/// Linux's memory, and what it shares with the RTOS. Addresses may be any.
pub trait Memory {
    /// Eight bytes from a physical address on. `None`: not all of them are in memory that Linux has, or not at a multiple of 8.
    fn word(&self, physical: u64) -> Option<u64>;

    /// Word number `word` of what Linux tells.
    fn told(&self, word: usize) -> u64;
}

/// What was told, as it is kept where Linux cannot change it. One writes, all may look meanwhile: at worst they see some of both, and every
/// address is looked for in Linux's memory anyway.
#[derive(Debug)]
pub struct Watch {
    number: AtomicU64,
    flags: AtomicU64,
    count_at: AtomicU64,
    windows: [Words; 2],
    processors: [ProcessorWords; PROCESSORS_MAX],
}

/// As [`Window`], for words: where the last one is, in place of how many bytes there are.
#[derive(Debug)]
struct Words {
    address: AtomicU64,
    last: AtomicU64,
    physical: AtomicU64,
}

#[derive(Debug)]
struct ProcessorWords {
    running_at: AtomicU64,
    idle: AtomicU64,
}

impl Words {
    const fn new() -> Words {
        Words { address: AtomicU64::new(0), last: AtomicU64::new(0), physical: AtomicU64::new(0) }
    }

    /// Of one that has no room for a word one is found, which is looked for in Linux's memory as all are.
    fn keep(&self, window: Window) {
        self.address.store(window.address, Relaxed);
        self.last.store(window.bytes.saturating_sub(8), Relaxed);
        self.physical.store(window.physical, Relaxed);
    }

    #[inline(always)]
    fn find(&self, address: u64) -> Option<u64> {
        let offset = address.wrapping_sub(self.address.load(Relaxed));
        (offset <= self.last.load(Relaxed)).then(|| self.physical.load(Relaxed).wrapping_add(offset))
    }
}

impl ProcessorWords {
    /// The task that runs there.
    #[inline]
    fn running(&self, memory: &impl Memory) -> Option<u64> {
        memory.word(self.running_at.load(Relaxed))
    }

    #[inline]
    fn is_idle(&self, task: u64) -> bool {
        task == self.idle.load(Relaxed)
    }
}

impl Watch {
    /// Nothing is told.
    pub const fn new() -> Watch {
        Watch {
            number: AtomicU64::new(0),
            flags: AtomicU64::new(0),
            count_at: AtomicU64::new(0),
            windows: [const { Words::new() }; 2],
            processors: [const { ProcessorWords { running_at: AtomicU64::new(0), idle: AtomicU64::new(0) } };
                PROCESSORS_MAX],
        }
    }

    /// Takes over what is told, if that is another than before; whether it is. One asks at a time, and not one who is in a hurry.
    pub fn refresh(&self, memory: &impl Memory) -> bool {
        let number = memory.told(NUMBER);
        if number == self.number.load(Relaxed) {
            return false;
        }
        // Nothing is known meanwhile.
        self.number.store(0, Release);
        self.flags.store(0, Release);
        let flags = memory.told(FLAGS);
        self.count_at.store(memory.told(COUNT_AT), Relaxed);
        for (window, at) in self.windows.iter().zip(WINDOWS) {
            let [address, bytes, physical] = [at, at + 1, at + 2].map(|at| memory.told(at));
            window.keep(Window { address, bytes, physical });
        }
        for (number, processor) in self.processors.iter().enumerate() {
            let (running_at, idle) = of_processor(number);
            processor.running_at.store(memory.told(running_at), Relaxed);
            processor.idle.store(memory.told(idle), Relaxed);
        }
        // Told again meanwhile: the next time.
        if number != 0 && memory.told(NUMBER) == number {
            self.flags.store(flags, Release);
            self.number.store(number, Release);
        }
        true
    }

    /// Whether tasks are counted; `None`: nothing is told.
    pub fn is_counted(&self) -> Option<bool> {
        let number = self.number.load(Acquire);
        (number != 0).then(|| self.flags.load(Relaxed) & COUNTED != 0)
    }

    /// What it does on a processor. `is_in_user_mode` is asked where tasks are not counted, and says true where that is known.
    #[inline(always)]
    pub fn look(
        &self,
        memory: &impl Memory,
        processor: usize,
        is_in_user_mode: impl FnOnce() -> bool,
    ) -> State {
        // Not so while nothing is told.
        if self.flags.load(Relaxed) & COUNTED != 0 {
            return self.counted(memory, processor).unwrap_or(State::UNKNOWN);
        }
        if is_in_user_mode() || self.runs_idle_task(memory, processor) { State::FREE } else { State::UNKNOWN }
    }

    #[inline(always)]
    fn counted(&self, memory: &impl Memory, processor: usize) -> Option<State> {
        let processor = self.processors.get(processor)?;
        let task = processor.running(memory)?;
        let at = task.wrapping_add(self.count_at.load(Relaxed));
        // Nearly all tasks are in the second.
        let physical = self.windows[1].find(at).or_else(|| self.windows[0].find(at))?;
        let depth = (memory.word(physical)? & DEPTH) as u8;
        Some(State::holds(depth.saturating_sub(u8::from(processor.is_idle(task)))))
    }

    #[cold]
    fn runs_idle_task(&self, memory: &impl Memory, processor: usize) -> bool {
        let is_told = self.number.load(Acquire) != 0;
        let here = self.processors.get(processor).filter(|_| is_told);
        here.is_some_and(|here| here.running(memory).is_some_and(|task| here.is_idle(task)))
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
    use crate::told::WORDS;
    use crate::{TELLING_AT, Telling};

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

    /// As on another processor, where it is not known whether Linux is in user mode.
    fn look(watch: &Watch, linux: &Linux, processor: usize) -> State {
        watch.look(linux, processor, || false)
    }

    #[test]
    fn a_count_that_is_not_of_rest_holds() {
        let mut linux = Linux::default();
        linux.tells(1, COUNTED);
        let watch = watched(&linux);
        // The upper half says whether there is something to be done, the second byte and what is above which interrupts are handled.
        for (task, count, state) in [
            (TASK, 0, State::FREE),
            (TASK, 1 << 32, State::FREE),
            (TASK, 1, State::holds(1)),
            (TASK, 0x1_0000, State::FREE),
            (TASK, 0x1_0203, State::holds(3)),
            (IDLE[1], 1, State::FREE),
            (IDLE[1], 2, State::holds(1)),
            (IDLE[1], 0x1_0001, State::FREE),
            (IDLE[0], 1, State::holds(1)),
        ] {
            linux.runs(1, task, count);
            assert_eq!(look(&watch, &linux, 1), state, "{task:#x} {count:#x}");
        }
        linux.runs(0, IDLE[0], 1);
        assert_eq!(look(&watch, &linux, 0), State::FREE);
    }

    #[test]
    fn without_counts_it_is_idle_in_user_mode_or_not_known() {
        let mut linux = Linux::default();
        linux.tells(1, 0);
        let watch = watched(&linux);
        linux.runs(1, IDLE[1], 7);
        assert_eq!(look(&watch, &linux, 1), State::FREE);
        linux.runs(1, TASK, 0);
        assert_eq!(look(&watch, &linux, 1), State::UNKNOWN);
        assert_eq!(watch.look(&linux, 1, || true), State::FREE);
        assert_eq!(watch.is_counted(), Some(false));
    }

    #[test]
    fn a_linux_that_begins_anew_is_not_known_until_it_tells() {
        let mut linux = Linux::default();
        linux.tells(1, COUNTED);
        linux.runs(1, TASK, 0);
        let watch = watched(&linux);
        assert_eq!(look(&watch, &linux, 1), State::FREE);
        linux.told.clear();
        assert!(watch.refresh(&linux) && watch.is_counted().is_none());
        assert_eq!(look(&watch, &linux, 1), State::UNKNOWN);
        linux.tells(2, COUNTED);
        assert!(watch.refresh(&linux));
        assert_eq!(look(&watch, &linux, 1), State::FREE);
        assert_eq!(look(&watch, &linux, 2), State::UNKNOWN, "it has none");
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
                look(&watch, &linux, processor);
            }
        }
    }
}
