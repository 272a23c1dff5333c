//! Which sequence numbers of a flow came to an end, in the memory of a bit each.

/// Sequence numbers remembered below the highest of a flow: what is older counts as having ended.
pub const REMEMBERED: u32 = 1 << 14;
const WORDS: usize = REMEMBERED as usize / 64;

/// Sequence numbers that came to an end.
#[derive(Default)]
pub struct Sequences {
    next: u32,
    bits: Vec<u64>,
}

impl Sequences {
    /// Whether `sequence` came to an end.
    pub fn contains(&self, sequence: u32) -> bool {
        let ahead = sequence.wrapping_sub(self.next) as i32;
        if ahead >= 0 {
            return false;
        }
        let (word, bit) = slot(sequence);
        ahead.unsigned_abs() > REMEMBERED || self.bits.get(word).is_some_and(|word| word & bit != 0)
    }

    /// `sequence` came to an end.
    pub fn insert(&mut self, sequence: u32) {
        self.bits.resize(WORDS, 0);
        let ahead = sequence.wrapping_sub(self.next) as i32;
        if ahead >= 0 {
            self.forget(self.next, ahead as u32 + 1);
            self.next = sequence.wrapping_add(1);
        }
        let (word, bit) = slot(sequence);
        self.bits[word] |= bit;
    }

    /// Clears `count` slots, which held older numbers; whole words at once, so that a jump costs little.
    fn forget(&mut self, first: u32, count: u32) {
        if count >= REMEMBERED {
            return self.bits.fill(0);
        }
        let mut done = 0;
        while done < count {
            let sequence = first.wrapping_add(done);
            let (word, bit) = slot(sequence);
            if sequence.is_multiple_of(64) && count - done >= 64 {
                self.bits[word] = 0;
                done += 64;
            } else {
                self.bits[word] &= !bit;
                done += 1;
            }
        }
    }
}

fn slot(sequence: u32) -> (usize, u64) {
    ((sequence / 64) as usize % WORDS, 1 << (sequence % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_are_remembered_over_a_wrap_and_a_jump() {
        let mut seen = Sequences::default();
        for sequence in [u32::MAX - 1, u32::MAX, 1] {
            seen.insert(sequence);
        }
        assert!(seen.contains(1) && !seen.contains(0) && !seen.contains(2));
        seen.insert(500_000);
        assert!(seen.contains(1), "far behind counts as seen");
        assert!(!seen.contains(499_999));
    }

    #[test]
    fn a_jump_forgets_exactly_what_stood_in_its_slots() {
        for jump in [1, 63, 64, 65, 200, 5_000, REMEMBERED - 1, REMEMBERED, REMEMBERED + 1] {
            let mut seen = Sequences::default();
            (0..REMEMBERED + 37).for_each(|sequence| seen.insert(sequence));
            let last = REMEMBERED + 36;
            seen.insert(last + jump);
            for sequence in last + jump + 1 - REMEMBERED..=last + jump {
                let expected = sequence <= last || sequence == last + jump;
                assert_eq!(seen.contains(sequence), expected, "{sequence} after a jump of {jump}");
            }
        }
    }
}
