//! Memory that a message is written into.

/// What is left of the memory. It is as long as `wire_len` said, so that everything fits; what does not is left out and said at the end.
#[derive(Debug)]
pub struct Output<'a> {
    left: &'a mut [u8],
    is_short: bool,
}

impl<'a> Output<'a> {
    /// All of `bytes`.
    pub const fn new(bytes: &'a mut [u8]) -> Output<'a> {
        Output { left: bytes, is_short: false }
    }

    /// Appends `bytes`.
    pub fn put(&mut self, bytes: &[u8]) {
        let place = self.skip(bytes.len());
        // Empty where it does not fit.
        if place.len() == bytes.len() {
            place.copy_from_slice(bytes);
        }
    }

    /// Passes over the next `count` bytes and gives them to fill: what is big is made in its place. Empty where they are not there.
    pub fn skip(&mut self, count: usize) -> &'a mut [u8] {
        let left = core::mem::take(&mut self.left);
        if count > left.len() {
            self.is_short = true;
            self.left = left;
            return &mut [];
        }
        let (taken, rest) = left.split_at_mut(count);
        self.left = rest;
        taken
    }

    /// A length in front of an array or a string.
    pub fn put_count(&mut self, count: usize) {
        self.put(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    }

    /// Whether everything fitted and nothing is left over.
    pub fn is_exactly_full(&self) -> bool {
        self.left.is_empty() && !self.is_short
    }
}
