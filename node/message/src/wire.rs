//! The wire form of what messages are made of (NODE-36).

use alloc::string::String;
use alloc::vec::Vec;

use crate::input::{Input, ReadError};
use crate::number::Number;
use crate::output::Output;

/// Has a wire form.
pub trait Wire: Default {
    /// The fewest bytes that one takes.
    const LEAST: usize;

    /// The bytes that this one takes.
    fn wire_len(&self) -> usize;

    /// Writes exactly [`Wire::wire_len`] bytes.
    fn write(&self, out: &mut Output<'_>);

    /// Becomes what `input` has next. Memory that it has is used again, so that one which is read over and over soon takes none.
    ///
    /// # Errors
    ///
    /// [`ReadError`]: the value is then of no use.
    fn read_from(&mut self, input: &mut Input<'_>) -> Result<(), ReadError>;

    /// The bytes of all of `items`.
    fn slice_len(items: &[Self]) -> usize {
        items.iter().map(Wire::wire_len).sum()
    }

    /// Writes all of `items`.
    fn write_slice(items: &[Self], out: &mut Output<'_>) {
        items.iter().for_each(|item| item.write(out));
    }

    /// Reads all of `items`.
    ///
    /// # Errors
    ///
    /// As for [`Wire::read_from`].
    fn read_slice(items: &mut [Self], input: &mut Input<'_>) -> Result<(), ReadError> {
        items.iter_mut().try_for_each(|item| item.read_from(input))
    }
}

/// Replaces what is in `bytes` by the wire form of `value`.
pub fn write_to<T: Wire>(value: &T, bytes: &mut Vec<u8>) {
    bytes.clear();
    bytes.resize(value.wire_len(), 0);
    let mut out = Output::new(bytes);
    value.write(&mut out);
    debug_assert!(out.is_exactly_full(), "wire_len and write disagree");
}

/// Reads `value` from all of `bytes`.
///
/// # Errors
///
/// As for [`Wire::read_from`], and [`ReadError::Rest`] if bytes are left.
pub fn read_whole<T: Wire>(value: &mut T, bytes: &[u8]) -> Result<(), ReadError> {
    let mut input = Input::new(bytes);
    value.read_from(&mut input)?;
    if input.is_empty() { Ok(()) } else { Err(ReadError::Rest(input.len())) }
}

impl<T: Number> Wire for T {
    const LEAST: usize = T::BYTES;

    fn wire_len(&self) -> usize {
        T::BYTES
    }

    fn write(&self, out: &mut Output<'_>) {
        out.put(bytemuck::bytes_of(&self.swapped_if_needed()));
    }

    fn read_from(&mut self, input: &mut Input<'_>) -> Result<(), ReadError> {
        *self = T::from_wire(input.take(T::BYTES)?);
        Ok(())
    }

    fn slice_len(items: &[T]) -> usize {
        size_of_val(items)
    }

    fn write_slice(items: &[T], out: &mut Output<'_>) {
        if cfg!(target_endian = "little") {
            out.put(bytemuck::cast_slice(items));
        } else {
            items.iter().for_each(|item| item.write(out));
        }
    }

    fn read_slice(items: &mut [T], input: &mut Input<'_>) -> Result<(), ReadError> {
        let bytes = input.take(size_of_val(items))?;
        bytemuck::cast_slice_mut(items).copy_from_slice(bytes);
        if cfg!(target_endian = "big") {
            items.iter_mut().for_each(|item| *item = item.swapped_if_needed());
        }
        Ok(())
    }
}

/// A byte; what is not 0 is true.
impl Wire for bool {
    const LEAST: usize = 1;

    fn wire_len(&self) -> usize {
        1
    }

    fn write(&self, out: &mut Output<'_>) {
        out.put(&[u8::from(*self)]);
    }

    fn read_from(&mut self, input: &mut Input<'_>) -> Result<(), ReadError> {
        let [byte] = input.array()?;
        *self = byte != 0;
        Ok(())
    }
}

/// Its length, and UTF-8.
impl Wire for String {
    const LEAST: usize = 4;

    fn wire_len(&self) -> usize {
        4 + self.len()
    }

    fn write(&self, out: &mut Output<'_>) {
        out.put_count(self.len());
        out.put(self.as_bytes());
    }

    fn read_from(&mut self, input: &mut Input<'_>) -> Result<(), ReadError> {
        let count = input.count(1)?;
        let text = core::str::from_utf8(input.take(count)?).map_err(|_| ReadError::Text)?;
        self.clear();
        self.push_str(text);
        Ok(())
    }
}

/// The number of elements, and they.
impl<T: Wire> Wire for Vec<T> {
    const LEAST: usize = 4;

    fn wire_len(&self) -> usize {
        4 + T::slice_len(self)
    }

    fn write(&self, out: &mut Output<'_>) {
        out.put_count(self.len());
        T::write_slice(self, out);
    }

    fn read_from(&mut self, input: &mut Input<'_>) -> Result<(), ReadError> {
        let count = input.count(T::LEAST)?;
        self.resize_with(count, T::default);
        T::read_slice(self, input)
    }
}
