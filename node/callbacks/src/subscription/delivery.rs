//! A sample on its way to a callback.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tokkyu_graph::Origin;

use crate::link::Taken;

/// One sample, in whichever form it came.
pub struct Delivery<'s> {
    pub(super) sample: &'s Taken<'s>,
    pub(super) origin: &'s Arc<Origin>,
    pub(super) scratch: &'s mut Vec<u8>,
}

impl Delivery<'_> {
    /// Where it comes from.
    pub fn origin(&self) -> &Arc<Origin> {
        self.origin
    }

    /// Its number at its publisher's link, modulo 2³².
    pub fn sequence(&self) -> u32 {
        self.sample.sequence()
    }

    /// Samples of the same link that were lost right before this one.
    pub fn missed(&self) -> u32 {
        self.sample.missed()
    }

    /// The object that was published in this process, if it is one.
    pub fn object(&self) -> Option<&Arc<dyn tokkyu_graph::Object>> {
        self.sample.object()
    }

    /// The wire form. It lies in the slot, or is made of the object.
    pub fn wire(&mut self) -> &[u8] {
        self.sample.wire(self.scratch)
    }
}
