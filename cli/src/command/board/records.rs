//! What a board has written down of its tasks (rtos/aarch64/src/trace.rs), read from its memory.

use tokkyu_rtos::Call;

/// Length of the header.
pub const HEADER_BYTES: u64 = 32;
const MAGIC: &[u8] = b"TKTRACE1";
const PROCESSORS: u64 = 8;
/// More records no board has.
const LENGTH_MAX: u64 = 1 << 20;

/// The rings' place and form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Of the counter, per second.
    pub frequency: u64,
    /// Records of a ring.
    pub length: u64,
    /// Of the first ring.
    pub address: u64,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The processor goes over to a task; 0: it idles.
    Switch(u32),
    /// An interrupt came.
    Interrupt(u32),
    /// Its handler has ended.
    End,
    /// A call begins, about an object.
    Called(Call, u32),
    /// A message of a topic begins to be handed over.
    Publishes(u32),
    /// It has been.
    Published(u32),
}

/// When, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// By the counter.
    pub at: u64,
    /// What.
    pub what: What,
}

fn word(memory: &[u8], at: usize) -> Option<u64> {
    let bytes = memory.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

impl Header {
    /// From the memory of `TOKKYU_TRACE`. None: it is not there, or the board has not begun.
    pub fn read(memory: &[u8]) -> Option<Header> {
        if memory.get(..8)? != MAGIC {
            return None;
        }
        let [frequency, length, address] = [word(memory, 8)?, word(memory, 16)?, word(memory, 24)?];
        let is_sound = frequency > 0 && (1..=LENGTH_MAX).contains(&length);
        is_sound.then_some(Header { frequency, length, address })
    }

    fn ring_bytes(&self) -> u64 {
        8 + self.length * 16
    }

    /// Bytes of all rings.
    pub fn bytes(&self) -> u64 {
        PROCESSORS * self.ring_bytes()
    }

    /// The records of each processor, the oldest first, from the rings' memory.
    pub fn records(&self, memory: &[u8]) -> Vec<Vec<Record>> {
        memory.chunks(self.ring_bytes() as usize).map(|ring| self.ring(ring)).collect()
    }

    fn ring(&self, ring: &[u8]) -> Vec<Record> {
        let written = word(ring, 0).unwrap_or(0);
        let record = |number: u64| {
            let at = 8 + (number % self.length) as usize * 16;
            read(word(ring, at)?, word(ring, at + 8)?)
        };
        (written.saturating_sub(self.length)..written).filter_map(record).collect()
    }
}

fn read(at: u64, packed: u64) -> Option<Record> {
    let number = (packed >> 32) as u32;
    let what = match packed as u8 {
        1 => What::Switch(number),
        2 => What::Interrupt(number),
        3 => What::End,
        4 => What::Called(*Call::ALL.get((packed >> 8 & 0xff_ffff) as usize)?, number),
        5 => What::Publishes(number),
        6 => What::Published(number),
        _ => return None,
    };
    Some(Record { at, what })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn the_newest_of_a_ring_come_in_their_order() {
        let header = Header { frequency: 1_000, length: 2, address: 0 };
        // Three were written into two places.
        let ring = memory(&[3, 30, 2 | 27 << 32, 20, 1 | 4 << 32]);
        let expected =
            [(20, What::Switch(4)), (30, What::Interrupt(27))].map(|(at, what)| Record { at, what });
        assert_eq!(header.records(&ring), [expected]);
    }

    #[test]
    fn what_is_no_header_is_none_and_nonsense_is_passed_over() {
        let mut bytes = memory(&[0, 1_000, 16, 0x4010_0000]);
        assert_eq!(Header::read(&bytes), None);
        bytes[..8].copy_from_slice(MAGIC);
        assert_eq!(Header::read(&bytes).map(|header| header.length), Some(16));
        bytes[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(Header::read(&bytes), None);
        assert_eq!(Header::read(&bytes[..20]), None);
        let header = Header { frequency: 1, length: 2, address: 0 };
        let none: [Vec<Record>; 1] = [Vec::new()];
        assert_eq!(header.records(&memory(&[u64::MAX, 1, 9, 2, 4 | 0xffff << 8])), none);
        assert_eq!(header.records(&memory(&[1])), none);
    }
}
