//! Frame buffers made once: the relay allocates nothing for a frame.
//!
//! Invariant: a frame is either free or has as many holders as copies of it are under way.

/// Bytes of one buffer: more than an Ethernet frame at MTU 1500, so that a larger one is seen and not cut to size.
pub(super) const FRAME_CAPACITY: usize = 2_048;

/// Buffers for both directions: the fullest queue of the named profiles (8 MB, 5300 full frames) twice over, and more.
const FRAMES: usize = 16_384;

/// A buffer of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameId(u32);

pub(super) struct Pool {
    bytes: Vec<u8>,
    lengths: Vec<usize>,
    holders: Vec<u8>,
    free: Vec<FrameId>,
}

impl Pool {
    pub(super) fn new() -> Self {
        Pool {
            // Not zero: zeroed memory comes from the system untouched, and the first use of each page would fault.
            bytes: vec![0xa5; FRAMES * FRAME_CAPACITY],
            lengths: vec![0; FRAMES],
            holders: vec![0; FRAMES],
            // The last is handed out first and comes back first: a few hot buffers serve a quiet wire.
            free: (0..FRAMES as u32).map(FrameId).collect(),
        }
    }

    /// A free buffer with one holder, if there is one.
    pub(super) fn take(&mut self) -> Option<FrameId> {
        let id = self.free.pop()?;
        self.holders[id.0 as usize] = 1;
        Some(id)
    }

    /// The whole buffer, to be filled; [`set_length`](Pool::set_length) says how far.
    pub(super) fn buffer(&mut self, id: FrameId) -> &mut [u8] {
        let start = id.0 as usize * FRAME_CAPACITY;
        &mut self.bytes[start..start + FRAME_CAPACITY]
    }

    pub(super) fn set_length(&mut self, id: FrameId, length: usize) {
        self.lengths[id.0 as usize] = length.min(FRAME_CAPACITY);
    }

    pub(super) fn frame(&self, id: FrameId) -> &[u8] {
        let start = id.0 as usize * FRAME_CAPACITY;
        &self.bytes[start..start + self.lengths[id.0 as usize]]
    }

    /// Flips one bit of the frame; a bit beyond its end is left alone. Twice is as before.
    pub(super) fn flip(&mut self, id: FrameId, bit: usize) {
        if bit / 8 < self.lengths[id.0 as usize] {
            self.buffer(id)[bit / 8] ^= 1 << (bit % 8);
        }
    }

    /// Says that the frame will be released `holders` times.
    pub(super) fn hold(&mut self, id: FrameId, holders: u8) {
        self.holders[id.0 as usize] = holders;
    }

    /// One holder is done with the frame.
    pub(super) fn release(&mut self, id: FrameId) {
        let holders = &mut self.holders[id.0 as usize];
        *holders -= 1;
        if *holders == 0 {
            self.free.push(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_held_twice_is_free_after_the_second_release() {
        let mut pool = Pool::new();
        let free = pool.free.len();
        let id = pool.take().expect("a new pool has frames");
        pool.hold(id, 2);
        pool.release(id);
        assert_eq!(pool.free.len(), free - 1);
        pool.release(id);
        assert_eq!(pool.free.len(), free);
    }

    #[test]
    fn an_empty_pool_gives_nothing_and_frames_do_not_overlap() {
        let mut pool = Pool::new();
        let ids: Vec<FrameId> = std::iter::from_fn(|| pool.take()).collect();
        assert_eq!(ids.len(), FRAMES);
        for id in &ids {
            let stamp = id.0.to_le_bytes();
            pool.buffer(*id)[..4].copy_from_slice(&stamp);
            pool.set_length(*id, 4);
        }
        assert!(ids.iter().all(|id| pool.frame(*id) == id.0.to_le_bytes()));
    }

    #[test]
    fn a_flipped_bit_flips_back_and_never_leaves_the_frame() {
        let mut pool = Pool::new();
        let id = pool.take().expect("a new pool has frames");
        pool.buffer(id)[..3].copy_from_slice(&[0, 0, 0]);
        pool.set_length(id, 2);
        pool.flip(id, 11);
        assert_eq!(pool.frame(id), [0, 8]);
        pool.flip(id, 11);
        pool.flip(id, 16);
        assert_eq!(pool.buffer(id)[..3], [0, 0, 0]);
    }
}
