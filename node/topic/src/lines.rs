//! What lies on cache lines of its own (NODE-23). A line that two processors write is carried from one to the other for each sample, with whatever else
//! is on it: it costs as much as hundreds of instructions.

use alloc::boxed::Box;
use core::ops::{Deref, Index};

use crate::sync::AtomicU32;

/// Bytes of a line, as of x86-64 and of most ARM cores; where lines are longer, or none, it is only not as fast as it could be.
pub(crate) const LINE: usize = 64;
/// Words of a line.
pub(crate) const WORDS: usize = LINE / 4;

/// On lines where nothing else is.
#[repr(align(64))]
pub(crate) struct Apart<T>(pub(crate) T);

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Words on lines where nothing else is, the first at the beginning of one.
pub(crate) struct Words(Box<[Apart<[AtomicU32; WORDS]>]>);

impl Words {
    /// `count` words that are 0.
    pub(crate) fn new(count: usize) -> Words {
        let line = |_| Apart(core::array::from_fn(|_| AtomicU32::new(0)));
        Words((0..count.div_ceil(WORDS)).map(line).collect())
    }

    /// Bytes of so many.
    pub(crate) const fn bytes(count: usize) -> usize {
        count.div_ceil(WORDS) * size_of::<Apart<[AtomicU32; WORDS]>>()
    }

    /// The line with the first words.
    pub(crate) fn first_line(&self) -> Option<&impl Sized> {
        self.0.first()
    }
}

impl Index<usize> for Words {
    type Output = AtomicU32;

    fn index(&self, at: usize) -> &AtomicU32 {
        &self.0[at / WORDS][at % WORDS]
    }
}
