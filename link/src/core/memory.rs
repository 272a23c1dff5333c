//! What samples count against a memory bound, and which share of it they may take (LNK-7, LNK-8).
//!
//! Both ends count alike, from what stands in the packets: a sender knows what its samples take at the receiver.

use super::fec::parity_shards;

/// Counted for each sample: what it takes to keep track of it.
pub const SAMPLE_BYTES: usize = 512;
/// Counted for each shard beside its bytes.
pub const SHARD_BYTES: usize = 8;
/// Counted for the state of a flow of the peer: numbers that came to an end, ledger, numbers an ordered reader skips.
pub const FLOW_BYTES: usize = 3072;
/// A smaller bound is taken as this.
pub const LEAST_BOUND: usize = 64 << 10;
/// Taken for the peer's bound until its table tells (LNK-9).
pub const ASSUMED_BOUND: usize = 4 << 20;

/// What a sample in one piece counts.
pub fn whole_cost(payload_bytes: usize) -> usize {
    payload_bytes + SAMPLE_BYTES
}

/// What a sample of `k` shards counts, all its parity included.
pub fn coded_cost(k: usize, shard_bytes: usize) -> usize {
    (k + parity_shards(k) + 1) * (shard_bytes + SHARD_BYTES) + SAMPLE_BYTES
}

/// The two halves of a receiver's bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// Samples of keep_all reliable flows: nothing else pushes them out.
    Ordered,
    /// Everything else; the oldest gives way.
    Rest,
}

/// What is in use of a bound.
#[derive(Debug)]
pub struct Memory {
    half: usize,
    ordered: usize,
    rest: usize,
}

impl Memory {
    /// Nothing in use of `bound` bytes.
    pub fn new(bound: usize) -> Self {
        Memory { half: bound.max(LEAST_BOUND) / 2, ordered: 0, rest: 0 }
    }

    /// Bytes each share has.
    pub fn half(&self) -> usize {
        self.half
    }

    /// Bytes in use, both shares together.
    pub fn used(&self) -> usize {
        self.ordered + self.rest
    }

    /// Bytes of `share` not in use.
    pub fn free(&self, share: Share) -> usize {
        match share {
            Share::Ordered => self.half - self.ordered,
            Share::Rest => self.half - self.rest,
        }
    }

    /// Takes `bytes` of `share`; false when there are not as many.
    pub fn take(&mut self, share: Share, bytes: usize) -> bool {
        let fits = bytes <= self.free(share);
        if fits {
            *self.share(share) += bytes;
        }
        fits
    }

    /// Gives back what was taken.
    pub fn give_back(&mut self, share: Share, bytes: usize) {
        let used = self.share(share);
        debug_assert!(*used >= bytes, "{bytes} given back of {used}");
        *used = used.saturating_sub(bytes);
    }

    fn share(&mut self, share: Share) -> &mut usize {
        match share {
            Share::Ordered => &mut self.ordered,
            Share::Rest => &mut self.rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_half_cannot_take_from_the_other() {
        let mut memory = Memory::new(200_000);
        assert!(memory.take(Share::Rest, 100_000));
        assert!(!memory.take(Share::Rest, 1));
        assert!(memory.take(Share::Ordered, 60_000) && !memory.take(Share::Ordered, 40_001));
        memory.give_back(Share::Rest, 30_000);
        assert_eq!((memory.free(Share::Rest), memory.free(Share::Ordered)), (30_000, 40_000));
        assert_eq!(memory.used(), 130_000);
    }
}
