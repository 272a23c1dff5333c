//! Frames on their way: whose each buffer is.
//!
//! ```text
//!  receiving:  device ── a frame has come ──► program ── read ──► device
//!  sending:    free ── filled ──► device ── it has gone ──► free
//! ```

use alloc::boxed::Box;
use alloc::vec::Vec;

/// virtio's header, and a frame with a VLAN's tag.
pub(crate) const BYTES: usize = 1600;

pub(crate) type Buffer = Box<[u8; BYTES]>;

/// Buffers, those of the device by the number that it has given them.
pub(crate) struct Buffers {
    /// By number; nothing: the device has none of that number.
    given: Vec<Option<Buffer>>,
    free: Vec<Buffer>,
}

impl Buffers {
    /// So many, and numbers below `numbers`.
    pub(crate) fn new(count: usize, numbers: usize) -> Buffers {
        let free = (0..count).map(|_| Box::new([0; BYTES])).collect();
        Buffers { given: (0..numbers).map(|_| None).collect(), free }
    }

    pub(crate) fn has_free(&self) -> bool {
        !self.free.is_empty()
    }

    pub(crate) fn take_free(&mut self) -> Option<Buffer> {
        self.free.pop()
    }

    pub(crate) fn put_free(&mut self, buffer: Buffer) {
        self.free.push(buffer);
    }

    /// The device has it, by that number.
    pub(crate) fn give(&mut self, number: u16, buffer: Buffer) {
        if let Some(place) = self.given.get_mut(usize::from(number)) {
            *place = Some(buffer);
        }
    }

    /// What the device had by that number.
    pub(crate) fn take(&mut self, number: u16) -> Option<Buffer> {
        self.given.get_mut(usize::from(number))?.take()
    }
}
