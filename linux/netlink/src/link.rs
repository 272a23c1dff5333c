//! Messages about devices: `struct ifinfomsg` and its attributes (`linux/if_link.h`).

use netlink_packet_core::{
    DecodeError, NetlinkDeserializable, NetlinkHeader, NetlinkPayload, NetlinkSerializable,
};

use crate::attribute::Attribute;

/// Asks for a device.
pub const GET_LINK: u16 = libc::RTM_GETLINK;
/// Changes a device, by its number.
pub const SET_LINK: u16 = libc::RTM_NEWLINK;
/// Most segments in one packet on its way to the device.
pub const IFLA_GSO_MAX_SEGS: u16 = libc::IFLA_GSO_MAX_SEGS;

/// Bytes of `struct ifinfomsg`.
const HEADER: usize = 16;

/// A message. Flags are left as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkMessage {
    /// One of the constants above.
    pub kind: u16,
    /// Number of the device.
    pub interface: i32,
    /// In their order.
    pub attributes: Vec<Attribute>,
}

impl NetlinkSerializable for LinkMessage {
    fn message_type(&self) -> u16 {
        self.kind
    }

    fn buffer_len(&self) -> usize {
        HEADER + Attribute::length(&self.attributes)
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer[..HEADER].fill(0);
        buffer[4..8].copy_from_slice(&self.interface.to_ne_bytes());
        Attribute::write_all(&self.attributes, &mut buffer[HEADER..]);
    }
}

impl NetlinkDeserializable for LinkMessage {
    type Error = DecodeError;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<LinkMessage, DecodeError> {
        let (head, rest) = payload
            .split_at_checked(HEADER)
            .ok_or_else(|| DecodeError::invalid_buffer("ifinfomsg", payload.len(), HEADER))?;
        Ok(LinkMessage {
            kind: header.message_type,
            interface: i32::from_ne_bytes(<[u8; 4]>::try_from(&head[4..8]).unwrap_or_default()),
            attributes: Attribute::read_all(rest)?,
        })
    }
}

impl From<LinkMessage> for NetlinkPayload<LinkMessage> {
    fn from(message: LinkMessage) -> NetlinkPayload<LinkMessage> {
        NetlinkPayload::InnerMessage(message)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = LinkMessage::deserialize(&NetlinkHeader::default(), &bytes);
        }
    }
}
