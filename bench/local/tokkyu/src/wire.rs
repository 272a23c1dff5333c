//! The wire form of `std_msgs/UInt8MultiArray` with an empty layout, around a payload that is made in its place.

use tokkyu_message::{Output, Wire};

use crate::std_msgs::{MultiArrayLayout, UInt8MultiArray};

/// Bytes of the wire form of a message with a payload of `bytes`.
pub(crate) fn length(bytes: usize) -> usize {
    UInt8MultiArray::default().wire_len() + bytes
}

/// Writes all but the payload, and gives its place: `length(bytes)` bytes are to be there, else it is empty.
pub(crate) fn payload_in(message: &mut [u8], bytes: usize) -> &mut [u8] {
    let mut out = Output::new(message);
    MultiArrayLayout::default().write(&mut out);
    out.put_count(bytes);
    out.skip(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_message::{Message, View, write_to};

    #[test]
    fn a_payload_made_in_its_place_is_the_messages_data() {
        let data: Vec<u8> = (0..100).collect();
        let mut written = Vec::new();
        write_to(&UInt8MultiArray { data: data.clone(), ..Default::default() }, &mut written);
        let mut made = vec![0xff; length(data.len())];
        payload_in(&mut made, data.len()).copy_from_slice(&data);
        assert_eq!(made, written);
        let view = <UInt8MultiArray as Message>::View::of(&made).unwrap();
        assert_eq!(view.data.as_bytes(), data);
    }

    /// The rivals' nodes compare it: that of Debian's std_msgs.
    #[test]
    fn the_type_is_that_of_std_msgs() {
        assert_eq!(UInt8MultiArray::DATATYPE, "std_msgs/UInt8MultiArray");
        assert_eq!(UInt8MultiArray::MD5SUM, "82373f1612381bb6ee473b5cd6f5d89c");
    }
}
