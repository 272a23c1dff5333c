//! Memory of a fixed-size memory pool.

use core::cell::UnsafeCell;

/// So many bytes, for one pool.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct Blocks<const BYTES: usize>(UnsafeCell<[u8; BYTES]>);

// SAFETY: nobody reaches its bytes but who gets a block of the pool.
unsafe impl<const BYTES: usize> Sync for Blocks<BYTES> {}

impl<const BYTES: usize> Blocks<BYTES> {
    /// Zeros.
    pub const fn new() -> Self {
        Blocks(UnsafeCell::new([0; BYTES]))
    }

    /// Where it begins.
    pub const fn start(&'static self) -> *mut u8 {
        self.0.get().cast()
    }
}

impl<const BYTES: usize> Default for Blocks<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}
