//! Messages that nodes of one process share as they are.

use tokkyu_graph::Object;
use tokkyu_message::{Message, Output};

/// A message of a Rust type.
pub(crate) struct Typed<M>(pub(crate) M);

impl<M: Message> Object for Typed<M> {
    fn wire_len(&self) -> usize {
        self.0.wire_len()
    }

    fn write(&self, out: &mut [u8]) {
        self.0.write(&mut Output::new(out));
    }
}
