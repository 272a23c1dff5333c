//! Shapes of samples: how many shards of which length, and how many parity shards go with them.

use reed_solomon_simd::ReedSolomonEncoder;

/// Parity shards of the code for `k` data shards. Any prefix of them may be sent.
pub fn parity_shards(k: usize) -> usize {
    k.next_power_of_two().clamp(8, 128)
}

/// Data shards of a sample, and their length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) k: usize,
    pub(super) shard_bytes: usize,
}

/// The shards cannot be coded: the code's own limits, or the wrong number of them.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("cannot code {k} shards of {shard_bytes} bytes: {reason}")]
pub struct NotCodable {
    k: usize,
    shard_bytes: usize,
    reason: reed_solomon_simd::Error,
}

impl Shape {
    pub(super) fn bytes(self) -> usize {
        (self.k + parity_shards(self.k)) * self.shard_bytes
    }

    pub(super) fn encoder(self) -> Result<ReedSolomonEncoder, reed_solomon_simd::Error> {
        ReedSolomonEncoder::new(self.k, parity_shards(self.k), self.shard_bytes)
    }

    pub(super) fn error(self) -> impl Fn(reed_solomon_simd::Error) -> NotCodable {
        move |reason| NotCodable { k: self.k, shard_bytes: self.shard_bytes, reason }
    }
}
