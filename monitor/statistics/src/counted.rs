//! What Linux tells of what its kernel counts for a processor (MON-102).

use tokkyu_monitor_core::PROCESSORS_MAX;

use crate::word;

const BLOCKS_AT: u64 = 0x5000;
const BLOCK_BYTES: u64 = 64;
/// Behind the sequence, in this order.
const WORDS: usize = 6;

/// Ticks of a processor, since Linux's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// When they were counted, by the clock of whoever writes.
    pub time_ns: u64,
    /// Of a second.
    pub ticks_a_second: u64,
    /// In user mode.
    pub user: u64,
    /// In the kernel.
    pub system: u64,
    /// With nothing to do.
    pub idle: u64,
    /// Stolen from it.
    pub stolen: u64,
}

fn block(processor: usize) -> Option<u64> {
    (processor < PROCESSORS_MAX).then_some(BLOCKS_AT + BLOCK_BYTES * processor as u64)
}

/// Nothing is told of that processor any more: `write` gets offsets into the shared memory.
pub fn forget(processor: usize, mut write: impl FnMut(u64, u64)) {
    if let Some(at) = block(processor) {
        write(at, 0);
    }
}

impl Counted {
    /// Writes it, for the `turn`th time: `write` gets offsets into the shared memory, in the order in which the words have to be written. For
    /// a processor that there is no room for nothing is written.
    pub fn write(&self, processor: usize, turn: u64, mut write: impl FnMut(u64, u64)) {
        let Some(at) = block(processor) else { return };
        let being_written = turn << 1 | 1;
        write(at, being_written);
        let Counted { time_ns, ticks_a_second, user, system, idle, stolen } = *self;
        for (number, value) in (1..).zip([time_ns, ticks_a_second, user, system, idle, stolen]) {
            write(at + 8 * number, value);
        }
        // 0 would be nothing.
        write(at, being_written.wrapping_add(1).max(2));
    }

    /// What is told of a processor, from the whole shared memory, and as which number. Nothing: it is not told, or not yet as a whole.
    pub fn read(memory: &[u8], processor: usize) -> Option<(u64, Counted)> {
        let at = block(processor)?;
        let sequence = word(memory, at).filter(|sequence| *sequence != 0 && sequence.is_multiple_of(2))?;
        let mut words = [0; WORDS];
        for (number, value) in (1..).zip(&mut words) {
            *value = word(memory, at + 8 * number)?;
        }
        let [time_ns, ticks_a_second, user, system, idle, stolen] = words;
        Some((sequence, Counted { time_ns, ticks_a_second, user, system, idle, stolen }))
    }

    /// What has come to it since. Nothing: something has become less, as when Linux has begun anew.
    pub fn since(&self, before: &Counted) -> Option<Counted> {
        Some(Counted {
            time_ns: self.time_ns.checked_sub(before.time_ns)?,
            ticks_a_second: self.ticks_a_second,
            user: self.user.checked_sub(before.user)?,
            system: self.system.checked_sub(before.system)?,
            idle: self.idle.checked_sub(before.idle)?,
            stolen: self.stolen.checked_sub(before.stolen)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    const TOLD: Counted = Counted { time_ns: 1, ticks_a_second: 100, user: 3, system: 4, idle: 5, stolen: 6 };

    #[test]
    fn it_is_read_when_all_is_there_and_not_before() {
        let mut memory = vec![0; 0x1_0000];
        let mut read = vec![];
        TOLD.write(7, 3, |at, value| {
            memory[at as usize..at as usize + 8].copy_from_slice(&value.to_le_bytes());
            read.push(Counted::read(&memory, 7));
        });
        let last = read.pop();
        assert!(read.len() == 7 && read.iter().all(Option::is_none), "{read:?}");
        assert_eq!(last, Some(Some((8, TOLD))));
        assert_eq!((word(&memory, 0x51c8), word(&memory, 0x51f0)), (Some(1), Some(6)));
        forget(7, |at, value| memory[at as usize] = value as u8);
        assert_eq!(Counted::read(&memory, 7), None);
    }

    #[test]
    fn there_is_no_room_for_more_processors() {
        TOLD.write(PROCESSORS_MAX, 1, |at, _| panic!("{at}"));
        forget(PROCESSORS_MAX, |at, _| panic!("{at}"));
        assert_eq!(Counted::read(&[1; 0x1_0000], PROCESSORS_MAX), None);
    }

    #[test]
    fn no_turn_is_nothing() {
        let mut first = vec![];
        TOLD.write(0, u64::MAX, |at, value| first.extend((at == BLOCKS_AT).then_some(value)));
        assert_eq!(first, [u64::MAX, 2]);
    }
}
