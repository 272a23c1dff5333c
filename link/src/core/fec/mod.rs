//! Reed-Solomon code over a whole sample (LNK-21), with coders kept between samples of equal shape.
//!
//! Encoding (266 + 128 shards) takes about 0.1 ms, the library's decoding nearly a millisecond however little is missing: decode
//! only when a data shard is missing, and where few are, as `few.rs` does. The first coder of a process builds tables (11 ms): [`Codec::warm_up`] at start.

mod few;
mod shape;

use few::Solver;
use reed_solomon_simd::{ReedSolomonDecoder, ReedSolomonEncoder};
use shape::Shape;
pub use shape::{NotCodable, parity_shards};

/// Shapes of samples whose coders are kept.
const KEPT: usize = 8;
/// Bytes of samples whose coders are kept: a coder takes about as much as its samples. The last one used may take more.
const KEPT_BYTES: usize = 8 << 20;

/// Coders for samples.
#[derive(Default)]
pub struct Codec {
    encoders: Vec<(Shape, ReedSolomonEncoder)>,
    decoders: Vec<(Shape, ReedSolomonDecoder)>,
    solver: Solver,
}

/// The coder for `shape`, newest at the end; the least recently used ones are let go, those of the other kind first.
fn coder<'a, T, U>(
    kept: &'a mut Vec<(Shape, T)>,
    other: &mut Vec<(Shape, U)>,
    shape: Shape,
    make: impl FnOnce() -> Result<T, reed_solomon_simd::Error>,
) -> Result<&'a mut T, NotCodable> {
    let entry = match kept.iter().position(|(have, _)| *have == shape) {
        Some(at) => kept.remove(at),
        None => (shape, make().map_err(shape.error())?),
    };
    while !other.is_empty() && bytes(kept) + bytes(other) + shape.bytes() > KEPT_BYTES {
        other.remove(0);
    }
    while !kept.is_empty() && (kept.len() == KEPT || bytes(kept) + shape.bytes() > KEPT_BYTES) {
        kept.remove(0);
    }
    kept.push(entry);
    Ok(&mut kept.last_mut().expect("just pushed").1)
}

fn bytes<T>(kept: &[(Shape, T)]) -> usize {
    kept.iter().map(|(shape, _)| shape.bytes()).sum()
}

impl Codec {
    /// Builds the library's tables, which would delay the first sample. They are there for every codec of the process.
    pub fn warm_up(&mut self) {
        let mut data = [0u8; 128];
        let parity = self.encode(2, 64, data.chunks(64), 1).unwrap_or_default();
        let _ = self.decode(64, &mut data, &[false, true], parity.chunks(64).enumerate().take(1));
    }

    /// The first `wanted` parity shards of the `k` shards of `data`, or all there are.
    pub fn encode<'a>(
        &mut self,
        k: usize,
        shard_bytes: usize,
        data: impl Iterator<Item = &'a [u8]>,
        wanted: usize,
    ) -> Result<Vec<u8>, NotCodable> {
        let shape = Shape { k, shard_bytes };
        let m = parity_shards(k);
        let encoder = coder(&mut self.encoders, &mut self.decoders, shape, || shape.encoder())?;
        encoder.reset(k, m, shard_bytes).map_err(shape.error())?;
        for shard in data {
            encoder.add_original_shard(shard).map_err(shape.error())?;
        }
        let coded = encoder.encode().map_err(shape.error())?;
        let wanted = wanted.min(m);
        let mut parity = Vec::with_capacity(wanted * shape.shard_bytes);
        coded.recovery_iter().take(wanted).for_each(|shard| parity.extend_from_slice(shard));
        Ok(parity)
    }

    /// Restores the missing ones of the data shards in `data`, end to end; `have` says which are there. `parity` gives
    /// parity shards and which ones they are.
    pub fn decode<'a>(
        &mut self,
        shard_bytes: usize,
        data: &mut [u8],
        have: &[bool],
        parity: impl Iterator<Item = (usize, &'a [u8])>,
    ) -> Result<(), NotCodable> {
        let shape = Shape { k: have.len(), shard_bytes };
        let missing: Vec<usize> = (0..shape.k).filter(|index| !have[*index]).collect();
        let parity: Vec<_> = parity.take(missing.len()).collect();
        if missing.len() <= few::MOST && parity.len() == missing.len() {
            let encoder = coder(&mut self.encoders, &mut self.decoders, shape, || shape.encoder())?;
            if self.solver.restore(shape, encoder, data, &missing, &parity)?.is_some() {
                return Ok(());
            }
        }
        self.transform(shape, data, have, &parity)
    }

    /// Decoding by the library.
    fn transform(
        &mut self,
        shape: Shape,
        data: &mut [u8],
        have: &[bool],
        parity: &[few::Parity<'_>],
    ) -> Result<(), NotCodable> {
        let (k, m, shard_bytes) = (shape.k, parity_shards(shape.k), shape.shard_bytes);
        let make = || ReedSolomonDecoder::new(k, m, shard_bytes);
        let decoder = coder(&mut self.decoders, &mut self.encoders, shape, make)?;
        // A decoder left half-fed by an error would refuse the next sample.
        decoder.reset(k, m, shard_bytes).map_err(shape.error())?;
        for (index, shard) in data.chunks_exact(shard_bytes).enumerate().filter(|(i, _)| have[*i]) {
            decoder.add_original_shard(index, shard).map_err(shape.error())?;
        }
        for (index, shard) in parity {
            decoder.add_recovery_shard(*index, shard).map_err(shape.error())?;
        }
        let restored = decoder.decode().map_err(shape.error())?;
        for (index, shard) in restored.restored_original_iter() {
            data[index * shard_bytes..][..shard_bytes].copy_from_slice(shard);
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
            let parity = codec.encode(k, 64, data.chunks(64), usize::MAX).unwrap();
            let m = parity_shards(k);
            assert_eq!(parity.len(), m * 64);
            let mut damaged = data.clone();
            let gone = m.min(k);
            let mut have = vec![true; k];
            for lost in 0..gone {
                have[lost * k / gone] = false;
                damaged[lost * k / gone * 64..][..64].fill(0);
            }
            // The last ones as well as the first.
            let parity = parity.chunks(64).enumerate().skip(m - gone);
            codec.decode(64, &mut damaged, &have, parity).unwrap();
            assert_eq!(damaged, data, "k = {k}, {gone} lost");
        }
    }

    #[test]
    fn few_missing_shards_are_solved_for_as_the_library_decodes_them() {
        let mut codec = Codec::default();
        // Whole blocks of 64 bytes, and ends of all kinds.
        for (k, shard_bytes) in [(2, 2), (5, 64), (40, 126), (266, 1_406), (300, 130)] {
            let data: Vec<u8> = (0..k * shard_bytes).map(|i| (i * i / 5 + i * 7) as u8).collect();
            let coded = codec.encode(k, shard_bytes, data.chunks(shard_bytes), usize::MAX).unwrap();
            for gone in [1, 2, 3, 13, few::MOST].into_iter().filter(|gone| *gone <= k.min(parity_shards(k))) {
                let missing: Vec<usize> = (0..gone).map(|at| (at * k + k / 2) / gone % k).collect();
                let have: Vec<bool> = (0..k).map(|index| !missing.contains(&index)).collect();
                let mut damaged = data.clone();
                missing.iter().for_each(|at| damaged[at * shard_bytes..][..shard_bytes].fill(0));
                let m = parity_shards(k);
                let parity: Vec<_> = (0..gone).map(|at| (at * 37 + 5) % m).collect();
                let parity: Vec<_> =
                    parity.iter().map(|at| (*at, &coded[at * shard_bytes..][..shard_bytes])).collect();
                let (shape, mut other) = (Shape { k, shard_bytes }, damaged.clone());
                let mut encoder = shape.encoder().unwrap();
                let solved =
                    codec.solver.restore(shape, &mut encoder, &mut damaged, &missing, &parity).unwrap();
                assert!(solved.is_some() && damaged == data, "{k} of {shard_bytes} bytes, {gone} missing");
                codec.transform(shape, &mut other, &have, &parity).unwrap();
                assert_eq!(other, data);
            }
        }
    }

    #[test]
    fn coders_of_large_samples_are_not_kept_one_beside_the_other() {
        let mut codec = Codec::default();
        for shard_bytes in (2..40).step_by(2).chain((700..720).step_by(2)) {
            let data = sample(8_000, shard_bytes);
            let parity = codec.encode(8_000, shard_bytes, data.chunks(shard_bytes), usize::MAX).unwrap();
            let kept = bytes(&codec.decoders) + bytes(&codec.encoders[..codec.encoders.len() - 1]);
            assert!(kept <= 8 << 20, "{kept} bytes beside the one in use (LNK-8)");
            let (gone, mut damaged) = (few::MOST + 1, data.clone());
            damaged[..gone * shard_bytes].fill(0);
            let have: Vec<bool> = (0..8_000).map(|index| index >= gone).collect();
            codec.decode(shard_bytes, &mut damaged, &have, parity.chunks(shard_bytes).enumerate()).unwrap();
            assert_eq!(damaged, data);
            let kept = bytes(&codec.encoders) + bytes(&codec.decoders[..codec.decoders.len() - 1]);
            assert!(kept <= 8 << 20, "{kept} bytes beside the one in use (LNK-8)");
        }
    }

    #[test]
    fn too_few_shards_are_an_error_and_the_next_sample_still_decodes() {
        let mut codec = Codec::default();
        let data = sample(4, 64);
        let parity = codec.encode(4, 64, data.chunks(64), usize::MAX).unwrap();
        let have = [true, true, true, false];
        let mut damaged = [&data[..192], &[0; 64]].concat();
        assert!(codec.decode(64, &mut damaged, &have, std::iter::empty()).is_err());
        codec.decode(64, &mut damaged, &have, parity.chunks(64).enumerate().skip(3).take(1)).unwrap();
        assert_eq!(damaged, data);
    }
}
