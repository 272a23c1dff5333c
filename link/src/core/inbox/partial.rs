//! A sample of which some shards are here (LNK-21).
//!
//! What comes in order is appended: nothing is zeroed but the place of what is missing, and of parity there is only what
//! came. Most samples come whole, and zeroing twice their bytes first was a twentieth of the receiver's work.

use super::complete::Complete;
use crate::core::fec::{Codec, parity_shards};
use crate::core::memory::{Share, coded_cost};
use crate::core::sample::LENGTH_BYTES;
use crate::wire::Fragment;
use bytes::Bytes;
use tokkyu_contract::{MonoTime, PeerTime, TraceId};

/// An incomplete sample.
pub(super) struct Partial {
    pub(super) k: usize,
    pub(super) shard_bytes: usize,
    /// Data shards end to end up to the last one that came, zeros for those missing between.
    data: Vec<u8>,
    /// Parity shards as they came.
    parity: Vec<u8>,
    /// Which ones these are, from 0.
    parity_indices: Vec<u16>,
    have: Vec<bool>,
    count: usize,
    pub(super) capture: PeerTime,
    pub(super) first_packet: MonoTime,
    pub(super) share: Share,
    /// Its place in the order of arrival; none for what is not pushed out.
    pub(super) stamp: Option<u64>,
}

impl Partial {
    /// Nothing yet of the sample that `shard` belongs to.
    pub(super) fn new(now: MonoTime, shard: &Fragment<'_>, capture: PeerTime, share: Share) -> Self {
        let (k, shard_bytes) = (usize::from(shard.k), shard.shard.len());
        Partial {
            k,
            shard_bytes,
            data: Vec::with_capacity(k * shard_bytes),
            parity: Vec::new(),
            parity_indices: Vec::new(),
            have: vec![false; k + parity_shards(k)],
            count: 0,
            capture,
            first_packet: now,
            share,
            stamp: None,
        }
    }

    /// What it counts (LNK-8).
    pub(super) fn cost(&self) -> usize {
        coded_cost(self.k, self.shard_bytes)
    }

    /// Shards still needed.
    pub(super) fn missing(&self) -> usize {
        self.k - self.count.min(self.k)
    }

    /// Takes in shard `index`, of [`Partial::shard_bytes`]. False when it is here already.
    pub(super) fn put(&mut self, index: usize, shard: &[u8]) -> bool {
        if std::mem::replace(&mut self.have[index], true) {
            return false;
        }
        match index.checked_sub(self.k) {
            None => self.put_data(index * self.shard_bytes, shard),
            Some(index) => {
                if self.parity.is_empty() {
                    // All at once: growing by doubling would take more than is counted.
                    self.parity.reserve_exact(self.most_parity_bytes());
                }
                self.parity.extend_from_slice(shard);
                self.parity_indices.push(index as u16);
            }
        }
        self.count += 1;
        true
    }

    fn most_parity_bytes(&self) -> usize {
        parity_shards(self.k).min(self.missing()) * self.shard_bytes
    }

    fn put_data(&mut self, at: usize, shard: &[u8]) {
        match self.data.get_mut(at..at + shard.len()) {
            Some(place) => place.copy_from_slice(shard),
            None => {
                self.data.resize(at, 0);
                self.data.extend_from_slice(shard);
            }
        }
    }

    /// The sample, when nothing is missing. None if its shards contradict each other.
    pub(super) fn complete(mut self, id: TraceId, codec: &mut Codec) -> Option<Complete> {
        if !self.parity_indices.is_empty() {
            self.data.resize(self.k * self.shard_bytes, 0);
            let parity = self.parity_indices.iter().map(|at| usize::from(*at));
            let parity = parity.zip(self.parity.chunks_exact(self.shard_bytes));
            codec.decode(self.shard_bytes, &mut self.data, &self.have[..self.k], parity).ok()?;
        }
        let payload = payload_of(self.data)?;
        Some(Complete { id, capture: self.capture, first_packet: self.first_packet, payload })
    }
}

/// The payload of the data shards: their length stands in the last four bytes. Taken without a copy.
fn payload_of(mut data: Vec<u8>) -> Option<Bytes> {
    let (body, length) = data.split_last_chunk::<LENGTH_BYTES>()?;
    let bytes = u32::from_le_bytes(*length) as usize;
    if bytes > body.len() {
        return None;
    }
    data.truncate(bytes);
    // An honest sender fills all but one shard; another's memory must not stay with the application.
    if bytes < data.capacity() / 2 {
        data.shrink_to_fit();
    }
    Some(Bytes::from(data))
}
