//! What Linux tells of itself: where it counts (MON-71).

/// Processors that there is room for.
pub const PROCESSORS_MAX: usize = 8;
/// Where it is in the shared memory.
pub const TELLING_AT: u64 = 0x1000;
/// In [`Telling::flags`]: tasks are counted.
pub const COUNTED: u64 = 1;

pub(crate) const NUMBER: usize = 0;
pub(crate) const FLAGS: usize = 1;
pub(crate) const COUNT_AT: usize = 2;
/// Where the words of each window begin.
pub(crate) const WINDOWS: [usize; 2] = [4, 7];
const PROCESSORS_FROM: usize = 0x100 / 8;
/// Words of what is told.
#[cfg(test)]
pub(crate) const WORDS: usize = PROCESSORS_FROM + 2 * PROCESSORS_MAX;

/// Addresses of the kernel's that are one behind the other in memory too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The first address.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Where the first is in memory.
    pub physical: u64,
}

impl Window {
    /// Where in memory `bytes` from an address on are, if all of them are in here.
    pub fn find(&self, address: u64, bytes: u64) -> Option<u64> {
        let offset = address.checked_sub(self.address)?;
        let is_inside = offset <= self.bytes && bytes <= self.bytes - offset;
        is_inside.then(|| self.physical.wrapping_add(offset))
    }
}

/// All that is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Telling {
    /// [`COUNTED`].
    pub flags: u64,
    /// Where the count is in a task, in bytes from its beginning.
    pub count_at: u64,
    /// The kernel's image, where its first task is, and memory, where all others are.
    pub windows: [Window; 2],
    /// For each processor, where in memory the word is that has the address of its running task.
    pub running_at: [u64; PROCESSORS_MAX],
    /// For each processor, the address of its idle task.
    pub idle: [u64; PROCESSORS_MAX],
}

impl Telling {
    /// Writes it, as `number`, which is not 0: `write` gets offsets into the shared memory, in the order in which the words have to be written.
    pub fn write(&self, number: u64, mut write: impl FnMut(u64, u64)) {
        let mut put = |word: usize, value| write(TELLING_AT + 8 * word as u64, value);
        put(NUMBER, 0);
        put(FLAGS, self.flags);
        put(COUNT_AT, self.count_at);
        for (at, window) in WINDOWS.into_iter().zip(self.windows) {
            put(at, window.address);
            put(at + 1, window.bytes);
            put(at + 2, window.physical);
        }
        for processor in 0..PROCESSORS_MAX {
            put(PROCESSORS_FROM + 2 * processor, self.running_at[processor]);
            put(PROCESSORS_FROM + 2 * processor + 1, self.idle[processor]);
        }
        put(NUMBER, number);
    }
}

/// Of a processor, the words with where its running task stands, and with its idle task.
#[inline]
pub(crate) fn of_processor(processor: usize) -> (usize, usize) {
    let at = PROCESSORS_FROM + 2 * processor;
    (at, at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let telling = Telling {
            flags: COUNTED,
            count_at: 8,
            windows: [
                Window { address: 1, bytes: 2, physical: 3 },
                Window { address: 4, bytes: 5, physical: 6 },
            ],
            running_at: [10, 11, 12, 13, 14, 15, 16, 17],
            idle: [20, 21, 22, 23, 24, 25, 26, 27],
        };
        let mut words = [0; WORDS];
        let mut numbers = std::vec::Vec::new();
        telling.write(7, |at, value| {
            words[((at - TELLING_AT) / 8) as usize] = value;
            numbers.push(words[NUMBER]);
        });
        let word = |at: usize| words[at];
        assert_eq!((word(FLAGS), word(COUNT_AT)), (telling.flags, telling.count_at));
        let window = |at| Window { address: word(at), bytes: word(at + 1), physical: word(at + 2) };
        assert_eq!(WINDOWS.map(window), telling.windows);
        for processor in 0..PROCESSORS_MAX {
            let (running_at, idle) = of_processor(processor);
            assert_eq!(
                (word(running_at), word(idle)),
                (telling.running_at[processor], telling.idle[processor])
            );
        }
        // Before anything else it is nothing, and something when all is there.
        assert!(numbers[..numbers.len() - 1].iter().all(|number| *number == 0));
        assert_eq!(words[NUMBER], 7);
    }

    #[test]
    fn a_window_has_what_is_inside() {
        let window = Window { address: 0xffff_0000_0000_0000, bytes: 0x1000, physical: 0x4000_0000 };
        assert_eq!(window.find(window.address + 8, 8), Some(0x4000_0008));
        assert_eq!(window.find(window.address + 0xffc, 4), Some(0x4000_0ffc));
        assert_eq!(window.find(window.address + 0xffd, 4), None);
        assert_eq!(window.find(window.address - 1, 1), None);
        assert_eq!(window.find(u64::MAX, 8), None);
    }
}
