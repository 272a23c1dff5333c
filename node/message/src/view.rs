//! Messages that are read where they are, without a copy (NODE-37).

use core::fmt;
use core::marker::PhantomData;

use crate::input::{Input, ReadError};
use crate::number::Number;

/// What a wire form has, borrowed from it.
pub trait View<'a>: Clone + fmt::Debug {
    /// The fewest bytes that one takes.
    const LEAST: usize;

    /// What `input` has next. All of it is checked here, and nothing is taken from a heap.
    ///
    /// # Errors
    ///
    /// [`ReadError`].
    fn look(input: &mut Input<'a>) -> Result<Self, ReadError>;

    /// What all of `bytes` are.
    ///
    /// # Errors
    ///
    /// [`ReadError`], bytes that are left over among them.
    fn of(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let mut input = Input::new(bytes);
        let view = Self::look(&mut input)?;
        if input.is_empty() { Ok(view) } else { Err(ReadError::Rest(input.len())) }
    }
}

impl<T: Number> View<'_> for T {
    const LEAST: usize = T::BYTES;

    fn look(input: &mut Input<'_>) -> Result<T, ReadError> {
        Ok(T::from_wire(input.take(T::BYTES)?))
    }
}

impl View<'_> for bool {
    const LEAST: usize = 1;

    fn look(input: &mut Input<'_>) -> Result<bool, ReadError> {
        let [byte] = input.array()?;
        Ok(byte != 0)
    }
}

impl<'a> View<'a> for &'a str {
    const LEAST: usize = 4;

    fn look(input: &mut Input<'a>) -> Result<&'a str, ReadError> {
        let count = input.count(1)?;
        core::str::from_utf8(input.take(count)?).map_err(|_| ReadError::Text)
    }
}

/// An array of numbers. They are not aligned.
#[derive(Clone, Copy)]
pub struct Numbers<'a, T> {
    bytes: &'a [u8],
    _of: PhantomData<T>,
}

impl<'a, T: Number> Numbers<'a, T> {
    /// The next `count` numbers.
    ///
    /// # Errors
    ///
    /// [`ReadError::Short`].
    pub fn exactly(count: usize, input: &mut Input<'a>) -> Result<Numbers<'a, T>, ReadError> {
        let bytes = input.take(count.checked_mul(T::BYTES).ok_or(ReadError::Short)?)?;
        Ok(Numbers { bytes, _of: PhantomData })
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.bytes.len() / T::BYTES
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The number at `index`.
    pub fn get(&self, index: usize) -> Option<T> {
        self.iter().nth(index)
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = T> + Clone + use<'a, T> {
        self.bytes.chunks_exact(T::BYTES).map(T::from_wire)
    }

    /// Their bytes, little endian. Of `uint8` the numbers themselves.
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }
}

impl<'a, T: Number> View<'a> for Numbers<'a, T> {
    const LEAST: usize = 4;

    fn look(input: &mut Input<'a>) -> Result<Numbers<'a, T>, ReadError> {
        let count = input.count(T::BYTES)?;
        Numbers::exactly(count, input)
    }
}

impl<T: Number> fmt::Debug for Numbers<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// An array of what is not a number. It was checked as a whole, and is read anew each time.
#[derive(Clone)]
pub struct List<'a, V> {
    count: usize,
    elements: Input<'a>,
    _of: PhantomData<V>,
}

impl<'a, V: View<'a>> List<'a, V> {
    /// The next `count` elements.
    ///
    /// # Errors
    ///
    /// [`ReadError`] of any of them.
    pub fn exactly(count: usize, input: &mut Input<'a>) -> Result<List<'a, V>, ReadError> {
        let elements = input.clone();
        (0..count).try_for_each(|_| V::look(input).map(drop))?;
        Ok(List { count, elements, _of: PhantomData })
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All of them, from the first.
    pub fn iter(&self) -> ListIter<'a, V> {
        ListIter { left: self.count, elements: self.elements.clone(), _of: PhantomData }
    }
}

impl<'a, V: View<'a>> View<'a> for List<'a, V> {
    const LEAST: usize = 4;

    fn look(input: &mut Input<'a>) -> Result<List<'a, V>, ReadError> {
        let count = input.count(V::LEAST)?;
        List::exactly(count, input)
    }
}

impl<'a, V: View<'a>> fmt::Debug for List<'a, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The elements of a [`List`].
#[derive(Clone, Debug)]
pub struct ListIter<'a, V> {
    left: usize,
    elements: Input<'a>,
    _of: PhantomData<V>,
}

impl<'a, V: View<'a>> Iterator for ListIter<'a, V> {
    type Item = V;

    fn next(&mut self) -> Option<V> {
        self.left = self.left.checked_sub(1)?;
        V::look(&mut self.elements).ok()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}
