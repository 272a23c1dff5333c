//! Numbers of the wire form: little endian, without alignment.

use bytemuck::Pod;

/// A number that arrays of messages are made of.
pub trait Number: Pod + PartialEq + core::fmt::Debug + Default {
    /// Bytes of one.
    const BYTES: usize;

    /// From `BYTES` bytes; of fewer those that are missing are 0.
    fn from_wire(bytes: &[u8]) -> Self;

    /// To the wire form or back, which is the same step.
    #[must_use]
    fn swapped_if_needed(self) -> Self;
}

macro_rules! number {
    ($($of:ty: $swap:expr),* $(,)?) => {$(
        impl Number for $of {
            const BYTES: usize = size_of::<$of>();

            fn from_wire(bytes: &[u8]) -> $of {
                let mut array = [0; size_of::<$of>()];
                array.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                <$of>::from_le_bytes(array)
            }

            fn swapped_if_needed(self) -> $of {
                $swap(self)
            }
        }
    )*};
}

number! {
    u8: u8::to_le, i8: i8::to_le, u16: u16::to_le, i16: i16::to_le, u32: u32::to_le, i32: i32::to_le, u64: u64::to_le, i64: i64::to_le,
    f32: |number: f32| f32::from_ne_bytes(number.to_le_bytes()),
    f64: |number: f64| f64::from_ne_bytes(number.to_le_bytes()),
}
