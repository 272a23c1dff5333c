//! Text into memory of a fixed size: what the writers write into where there is no heap.

use core::fmt;

/// Memory of the caller that text is written into. What does not fit is an error, and what was written until then is no message.
#[derive(Debug)]
pub struct Buffer<'b> {
    memory: &'b mut [u8],
    used: usize,
}

impl<'b> Buffer<'b> {
    /// Empty.
    pub fn new(memory: &'b mut [u8]) -> Buffer<'b> {
        Buffer { memory, used: 0 }
    }

    /// What was written.
    pub fn as_bytes(&self) -> &[u8] {
        &self.memory[..self.used]
    }

    /// Empty again.
    pub fn clear(&mut self) {
        self.used = 0;
    }
}

impl fmt::Write for Buffer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.memory[self.used..].get_mut(..text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.used += text.len();
        Ok(())
    }
}
