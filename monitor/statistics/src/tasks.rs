//! What the RTOS tells of its tasks (MON-100).

use tokkyu_monitor_core::PROCESSORS_MAX;

use crate::word;

const BLOCKS_AT: u64 = 0x4000;
const BLOCK_BYTES: u64 = 128;
const MAGIC: u64 = u64::from_le_bytes(*b"TKSTAT\x01\0");
/// Behind the first word, in this order.
const WORDS: usize = 7;

/// Of tasks of one home processor, since the RTOS's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// Those that are done.
    pub activations: u64,
    /// Of these, begun elsewhere than at home.
    pub elsewhere: u64,
    /// Those that came while the one before was not done.
    pub missed: u64,
    /// The latest begin, after the time that it was meant for.
    pub latest_us: u64,
    /// The same of all, added up.
    pub late_us: u64,
    /// How often the processor's budget was used up.
    pub used_up: u64,
    /// The RTOS's time when this was written.
    pub at_us: u64,
}

impl Tasks {
    /// Writes it: `write` gets offsets into the shared memory. One at a time writes for a processor; for one that there is no room for
    /// nothing is written.
    pub fn write(&self, processor: usize, mut write: impl FnMut(u64, u64)) {
        if processor >= PROCESSORS_MAX {
            return;
        }
        let at = BLOCKS_AT + BLOCK_BYTES * processor as u64;
        for (number, value) in (1..).zip(self.words()) {
            write(at + 8 * number, value);
        }
        write(at, MAGIC);
    }

    /// What is told of a processor, from the whole shared memory.
    pub fn read(memory: &[u8], processor: usize) -> Option<Tasks> {
        let at = BLOCKS_AT + BLOCK_BYTES * (processor < PROCESSORS_MAX).then_some(processor as u64)?;
        if word(memory, at)? != MAGIC {
            return None;
        }
        let mut words = [0; WORDS];
        for (number, value) in (1..).zip(&mut words) {
            *value = word(memory, at + 8 * number)?;
        }
        let [activations, elsewhere, missed, latest_us, late_us, used_up, at_us] = words;
        Some(Tasks { activations, elsewhere, missed, latest_us, late_us, used_up, at_us })
    }

    fn words(&self) -> [u64; WORDS] {
        let Tasks { activations, elsewhere, missed, latest_us, late_us, used_up, at_us } = *self;
        [activations, elsewhere, missed, latest_us, late_us, used_up, at_us]
    }

    /// What has come to it since; the latest begin stays that of all. Nothing: something has become less.
    pub fn since(&self, before: &Tasks) -> Option<Tasks> {
        Some(Tasks {
            activations: self.activations.checked_sub(before.activations)?,
            elsewhere: self.elsewhere.checked_sub(before.elsewhere)?,
            missed: self.missed.checked_sub(before.missed)?,
            latest_us: self.latest_us,
            late_us: self.late_us.checked_sub(before.late_us)?,
            used_up: self.used_up.checked_sub(before.used_up)?,
            at_us: self.at_us.checked_sub(before.at_us)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: Tasks =
        Tasks { activations: 1, elsewhere: 2, missed: 3, latest_us: 4, late_us: 5, used_up: 6, at_us: 7 };

    fn written(processor: usize) -> std::vec::Vec<u8> {
        let mut memory = std::vec![0; 0x1_0000];
        TOLD.write(processor, |at, value| {
            memory[at as usize..at as usize + 8].copy_from_slice(&value.to_le_bytes());
        });
        memory
    }

    #[test]
    fn what_is_written_is_read_where_the_specification_has_it() {
        let memory = written(2);
        assert_eq!(Tasks::read(&memory, 2), Some(TOLD));
        assert_eq!((Tasks::read(&memory, 1), Tasks::read(&memory, PROCESSORS_MAX)), (None, None));
        assert_eq!(&memory[0x4100..0x4108], b"TKSTAT\x01\0");
        assert_eq!(
            (word(&memory, 0x4108), word(&memory, 0x4138), word(&memory, 0x4140)),
            (Some(1), Some(7), Some(0))
        );
    }

    #[test]
    fn another_version_is_not_read() {
        let mut memory = written(0);
        memory[0x4006] = 2;
        assert_eq!(Tasks::read(&memory, 0), None);
    }

    #[test]
    fn there_is_no_room_for_more_processors() {
        assert!(written(PROCESSORS_MAX).iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_difference_keeps_the_latest_and_takes_nothing_that_has_become_less() {
        let later = Tasks { activations: 11, latest_us: 9, late_us: 25, at_us: 1007, ..TOLD };
        let expected = Tasks { activations: 10, latest_us: 9, late_us: 20, at_us: 1000, ..Tasks::default() };
        assert_eq!(later.since(&TOLD), Some(expected));
        assert_eq!(TOLD.since(&later), None);
    }
}
