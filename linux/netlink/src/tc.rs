//! Traffic control messages of rtnetlink, as far as they are used here: `struct tcmsg` and its attributes
//! (`linux/rtnetlink.h`, `linux/pkt_sched.h`).

use netlink_packet_core::{
    DecodeError, NetlinkDeserializable, NetlinkHeader, NetlinkPayload, NetlinkSerializable,
};

use crate::attribute::{Attribute, of_kind};

/// Adds or changes a qdisc, or is one in an answer.
pub const NEW_QDISC: u16 = libc::RTM_NEWQDISC;
/// Removes a qdisc.
pub const DEL_QDISC: u16 = libc::RTM_DELQDISC;
/// Asks for qdiscs.
pub const GET_QDISC: u16 = libc::RTM_GETQDISC;
/// Asks for classes.
pub const GET_CLASS: u16 = libc::RTM_GETTCLASS;

/// Parent of a root qdisc.
pub const ROOT: u32 = 0xffff_ffff;

/// Name of a qdisc or class.
pub const TCA_KIND: u16 = 1;
/// What is its own.
pub const TCA_OPTIONS: u16 = 2;
/// Its counters.
pub const TCA_STATS2: u16 = 7;

/// Bytes of `struct tcmsg`.
const HEADER: usize = 20;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcMessage {
    /// One of the constants above.
    pub kind: u16,
    /// Number of the device, 0 for all.
    pub interface: i32,
    /// Major number in the upper half.
    pub handle: u32,
    /// [`ROOT`], or a class.
    pub parent: u32,
    /// In their order.
    pub attributes: Vec<Attribute>,
}

impl TcMessage {
    /// Name of the qdisc or class.
    pub fn name(&self) -> Option<&str> {
        let value = &of_kind(&self.attributes, TCA_KIND)?.value;
        std::str::from_utf8(value).ok().map(|name| name.trim_end_matches('\0'))
    }
}

impl NetlinkSerializable for TcMessage {
    fn message_type(&self) -> u16 {
        self.kind
    }

    fn buffer_len(&self) -> usize {
        HEADER + Attribute::length(&self.attributes)
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer[..HEADER].fill(0);
        buffer[4..8].copy_from_slice(&self.interface.to_ne_bytes());
        buffer[8..12].copy_from_slice(&self.handle.to_ne_bytes());
        buffer[12..16].copy_from_slice(&self.parent.to_ne_bytes());
        Attribute::write_all(&self.attributes, &mut buffer[HEADER..]);
    }
}

impl NetlinkDeserializable for TcMessage {
    type Error = DecodeError;

    fn deserialize(header: &NetlinkHeader, payload: &[u8]) -> Result<TcMessage, DecodeError> {
        let (head, rest) = payload
            .split_at_checked(HEADER)
            .ok_or_else(|| DecodeError::invalid_buffer("tcmsg", payload.len(), HEADER))?;
        let word = |at: usize| <[u8; 4]>::try_from(&head[at..at + 4]).unwrap_or_default();
        Ok(TcMessage {
            kind: header.message_type,
            interface: i32::from_ne_bytes(word(4)),
            handle: u32::from_ne_bytes(word(8)),
            parent: u32::from_ne_bytes(word(12)),
            attributes: Attribute::read_all(rest)?,
        })
    }
}

impl From<TcMessage> for NetlinkPayload<TcMessage> {
    fn from(message: TcMessage) -> NetlinkPayload<TcMessage> {
        NetlinkPayload::InnerMessage(message)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_sent_is_read_again(handle: u32, parent: u32, interface: i32, values: Vec<(u16, Vec<u8>)>) {
            let attributes = values
                .iter()
                .map(|(kind, value)| Attribute::new(kind & 0x3fff, value))
                .collect();
            let message = TcMessage { kind: NEW_QDISC, interface, handle, parent, attributes };
            let mut bytes = vec![0; message.buffer_len()];
            message.serialize(&mut bytes);
            let mut header = NetlinkHeader::default();
            header.message_type = NEW_QDISC;
            prop_assert_eq!(TcMessage::deserialize(&header, &bytes).unwrap(), message);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = TcMessage::deserialize(&NetlinkHeader::default(), &bytes);
        }
    }
}
