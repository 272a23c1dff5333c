//! What chance decides for one packet, drawn when it is offered.
//!
//! Every impairment has a random stream of its own (PCG, seeded from the path's seed and the stream's number) and
//! draws the same number of values for each packet. So a verdict depends on the seed, the impairment's own settings
//! and the packet's number alone: turning jitter on, or sending faster, does not move a single loss.
use core::time::Duration;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::loss::{LossProcess, Taken};
use super::profile::{DirectionProfile, Reorder};

/// Bytes at the start of a frame that corruption leaves alone: Ethernet, IPv4 and UDP headers.
pub const HEADER_BYTES: u64 = 14 + 20 + 8;

/// The impairments that draw. The numbers are part of what a seed means: never reorder them.
#[derive(Clone, Copy)]
pub(super) enum StreamId {
    Loss = 1,
    Jitter = 2,
    Reorder = 3,
    Duplicate = 4,
    Corrupt = 5,
}

/// One stream of random values.
pub(super) struct Stream(Pcg64Mcg);

impl Stream {
    pub(super) fn new(seed: u64, id: StreamId) -> Self {
        // An odd constant (2^64 divided by the golden ratio) keeps the streams of neighbouring seeds apart.
        let seed = seed.wrapping_add((id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Stream(Pcg64Mcg::seed_from_u64(seed))
    }

    /// True with the given probability. One draw.
    pub(super) fn hits(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Uniform in 0.0 ≤ x < 1.0, in steps of 2^-53. One draw.
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in 0 ≤ x < `bound`; 0 if `bound` is 0. One draw.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }
}

/// The verdict on one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) taken: Option<Taken>,
    /// Added to the delay, −jitter to +jitter.
    pub(super) jitter_ns: i64,
    /// Extra delay that lets others overtake.
    pub(super) held_back: Option<Duration>,
    pub(super) duplicate: bool,
    /// Bit of the frame to flip.
    pub(super) corrupt_bit: Option<u64>,
}

/// All streams of one path.
pub(super) struct Chance {
    loss: LossProcess,
    jitter: Stream,
    jitter_ns: u64,
    reorder: Stream,
    reorder_by: Reorder,
    duplicate: Stream,
    duplicate_share: f64,
    corrupt: Stream,
    corrupt_share: f64,
}

impl Chance {
    pub(super) fn new(profile: &DirectionProfile, seed: u64) -> Self {
        Chance {
            loss: LossProcess::new(&profile.loss, Stream::new(seed, StreamId::Loss)),
            jitter: Stream::new(seed, StreamId::Jitter),
            jitter_ns: u64::try_from(profile.jitter.as_nanos()).unwrap_or(u64::MAX).min(i64::MAX as u64 / 2),
            reorder: Stream::new(seed, StreamId::Reorder),
            reorder_by: profile.reorder,
            duplicate: Stream::new(seed, StreamId::Duplicate),
            duplicate_share: profile.duplicate_share,
            corrupt: Stream::new(seed, StreamId::Corrupt),
            corrupt_share: profile.corrupt_share,
        }
    }

    /// Draws for the next packet. Must be called for every packet offered, also for those already known to be lost.
    pub(super) fn next(&mut self, frame_bytes: u64) -> Verdict {
        let corrupts = self.corrupt.hits(self.corrupt_share);
        let payload_bits = frame_bytes.saturating_sub(HEADER_BYTES) * 8;
        let bit = HEADER_BYTES * 8 + self.corrupt.below(payload_bits);
        Verdict {
            taken: self.loss.next(),
            jitter_ns: self.jitter.below(2 * self.jitter_ns + 1) as i64 - self.jitter_ns as i64,
            held_back: self.reorder.hits(self.reorder_by.share).then_some(self.reorder_by.extra_delay),
            duplicate: self.duplicate.hits(self.duplicate_share),
            corrupt_bit: (corrupts && payload_bits > 0).then_some(bit),
        }
    }
}
