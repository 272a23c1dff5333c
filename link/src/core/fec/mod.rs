//! Reed-Solomon code over a whole sample (LNK-21), with coders kept between samples of equal shape.
//!
//! Encoding (266 + 128 shards) takes about 0.1 ms, decoding half a millisecond however little is missing: decode only
//! when a data shard is missing. The first coder of a process builds tables (11 ms): [`Codec::warm_up`] at start.

use reed_solomon_simd::{ReedSolomonDecoder, ReedSolomonEncoder};

/// Shapes of samples whose coders are kept.
const KEPT: usize = 8;
/// Bytes of samples whose coders are kept: a coder takes about as much as its samples. The last one used may take more.
const KEPT_BYTES: usize = 8 << 20;

/// Parity shards of the code for `k` data shards. Any prefix of them may be sent.
pub fn parity_shards(k: usize) -> usize {
    k.next_power_of_two().clamp(8, 128)
}

/// Coders for samples.
#[derive(Default)]
pub struct Codec {
    encoders: Vec<(Shape, ReedSolomonEncoder)>,
    decoders: Vec<(Shape, ReedSolomonDecoder)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape {
    k: usize,
    shard_bytes: usize,
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
    fn bytes(self) -> usize {
        (self.k + parity_shards(self.k)) * self.shard_bytes
    }

    fn error(self) -> impl Fn(reed_solomon_simd::Error) -> NotCodable {
        move |reason| NotCodable { k: self.k, shard_bytes: self.shard_bytes, reason }
    }
}

/// The coder for `shape`, newest at the end; the least recently used one is let go.
fn coder<T>(
    kept: &mut Vec<(Shape, T)>,
    shape: Shape,
    make: impl FnOnce() -> Result<T, reed_solomon_simd::Error>,
) -> Result<&mut T, NotCodable> {
    let entry = match kept.iter().position(|(have, _)| *have == shape) {
        Some(at) => kept.remove(at),
        None => (shape, make().map_err(shape.error())?),
    };
    let bytes = |kept: &[(Shape, T)]| kept.iter().map(|(shape, _)| shape.bytes()).sum::<usize>();
    while !kept.is_empty() && (kept.len() == KEPT || bytes(kept) + shape.bytes() > KEPT_BYTES) {
        kept.remove(0);
    }
    kept.push(entry);
    Ok(&mut kept.last_mut().expect("just pushed").1)
}

impl Codec {
    /// Builds the library's tables, which would delay the first sample.
    pub fn warm_up(&mut self) {
        let data = [0u8; 128];
        let parity = self.encode(2, 64, data.chunks(64)).unwrap_or_default();
        let mut shards = data.to_vec();
        shards.extend_from_slice(&parity);
        let mut have = vec![true; shards.len() / 64];
        have[0] = false;
        let _ = self.decode(2, 64, &mut shards, &have);
    }

    /// Parity of the `k` shards of `data`.
    pub fn encode<'a>(
        &mut self,
        k: usize,
        shard_bytes: usize,
        data: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Vec<u8>, NotCodable> {
        let shape = Shape { k, shard_bytes };
        let m = parity_shards(k);
        let encoder = coder(&mut self.encoders, shape, || ReedSolomonEncoder::new(k, m, shape.shard_bytes))?;
        encoder.reset(k, m, shard_bytes).map_err(shape.error())?;
        for shard in data {
            encoder.add_original_shard(shard).map_err(shape.error())?;
        }
        let coded = encoder.encode().map_err(shape.error())?;
        let mut parity = Vec::with_capacity(m * shape.shard_bytes);
        coded.recovery_iter().for_each(|shard| parity.extend_from_slice(shard));
        Ok(parity)
    }

    /// Restores the missing data shards in place. `shards` is data then parity end to end, `have` says which are there.
    pub fn decode(
        &mut self,
        k: usize,
        shard_bytes: usize,
        shards: &mut [u8],
        have: &[bool],
    ) -> Result<(), NotCodable> {
        let shape = Shape { k, shard_bytes };
        let m = parity_shards(k);
        let decoder = coder(&mut self.decoders, shape, || ReedSolomonDecoder::new(k, m, shard_bytes))?;
        // A decoder left half-fed by an error would refuse the next sample.
        decoder.reset(k, m, shard_bytes).map_err(shape.error())?;
        for (index, shard) in shards.chunks_exact(shard_bytes).enumerate().filter(|(i, _)| have[*i]) {
            let added = if index < k {
                decoder.add_original_shard(index, shard)
            } else {
                decoder.add_recovery_shard(index - k, shard)
            };
            added.map_err(shape.error())?;
        }
        let restored = decoder.decode().map_err(shape.error())?;
        for (index, shard) in restored.restored_original_iter() {
            shards[index * shard_bytes..][..shard_bytes].copy_from_slice(shard);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(k: usize, shard_bytes: usize) -> Vec<u8> {
        (0..k * shard_bytes).map(|i| (i * 31 + i / 7) as u8).collect()
    }

    #[test]
    fn any_k_shards_give_the_sample_back() {
        let mut codec = Codec::default();
        for k in [1usize, 2, 3, 15, 128, 266] {
            let data = sample(k, 64);
            let parity = codec.encode(k, 64, data.chunks(64)).unwrap();
            let m = parity_shards(k);
            assert_eq!(parity.len(), m * 64);
            let mut shards = [data.clone(), parity].concat();
            let gone = m.min(k);
            let mut have = vec![true; k + m];
            for lost in 0..gone {
                have[lost * k / gone] = false;
                shards[lost * k / gone * 64..][..64].fill(0);
            }
            codec.decode(k, 64, &mut shards, &have).unwrap();
            assert_eq!(&shards[..k * 64], &data[..], "k = {k}, {gone} lost");
        }
    }

    #[test]
    fn coders_of_large_samples_are_not_kept_one_beside_the_other() {
        let mut codec = Codec::default();
        for shard_bytes in (2..40).step_by(2).chain((700..720).step_by(2)) {
            let data = sample(8_000, shard_bytes);
            codec.encode(8_000, shard_bytes, data.chunks(shard_bytes)).unwrap();
            let kept: usize = codec.encoders.iter().rev().skip(1).map(|(shape, _)| shape.bytes()).sum();
            assert!(kept <= 8 << 20, "{kept} bytes beside the one in use (LNK-8)");
        }
    }

    #[test]
    fn too_few_shards_are_an_error_and_the_next_sample_still_decodes() {
        let mut codec = Codec::default();
        let data = sample(4, 64);
        let mut shards = [data.clone(), codec.encode(4, 64, data.chunks(64)).unwrap()].concat();
        let mut have = vec![false; 12];
        have[..3].fill(true);
        assert!(codec.decode(4, 64, &mut shards, &have).is_err());
        have[7] = true;
        codec.decode(4, 64, &mut shards, &have).unwrap();
        assert_eq!(&shards[..256], &data[..]);
    }
}
