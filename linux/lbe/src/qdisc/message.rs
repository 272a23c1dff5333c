//! Traffic control messages of rtnetlink, as far as they are used here: `struct tcmsg` and its attributes
//! (`linux/rtnetlink.h`, `linux/pkt_sched.h`).

use netlink_packet_core::{
    DecodeError, DefaultNla, Emitable, NetlinkDeserializable, NetlinkHeader, NetlinkPayload,
    NetlinkSerializable, NlasIterator,
};

/// Adds or changes a qdisc, or is one in an answer.
pub(crate) const NEW_QDISC: u16 = libc::RTM_NEWQDISC;
/// Removes a qdisc.
pub(crate) const DEL_QDISC: u16 = libc::RTM_DELQDISC;
/// Asks for qdiscs.
pub(crate) const GET_QDISC: u16 = libc::RTM_GETQDISC;
/// Asks for classes.
pub(crate) const GET_CLASS: u16 = libc::RTM_GETTCLASS;

/// Parent of a root qdisc.
pub(crate) const ROOT: u32 = 0xffff_ffff;

pub(crate) const TCA_KIND: u16 = 1;
pub(crate) const TCA_OPTIONS: u16 = 2;
pub(crate) const TCA_STATS2: u16 = 7;
const NLA_F_NESTED: u16 = 1 << 15;
const NLA_TYPE_MASK: u16 = 0x3fff;

/// Bytes of `struct tcmsg`.
const HEADER: usize = 20;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TcMessage {
    pub(crate) kind: u16,
    pub(crate) interface: i32,
    pub(crate) handle: u32,
    pub(crate) parent: u32,
    pub(crate) attributes: Vec<Attribute>,
}

/// An attribute; what it holds is looked at where it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) kind: u16,
    pub(crate) value: Vec<u8>,
}

impl Attribute {
    pub(crate) fn new(kind: u16, value: &[u8]) -> Attribute {
        Attribute { kind, value: value.to_vec() }
    }

    /// One that holds others. The kernel refuses it without the flag.
    pub(crate) fn nested(kind: u16, inside: &[Attribute]) -> Attribute {
        let inside: Vec<DefaultNla> = inside.iter().map(Attribute::to_nla).collect();
        let mut value = vec![0; inside.as_slice().buffer_len()];
        inside.as_slice().emit(&mut value);
        Attribute { kind: kind | NLA_F_NESTED, value }
    }

    fn to_nla(&self) -> DefaultNla {
        DefaultNla::new(self.kind, self.value.clone())
    }

    /// All that stand in these bytes.
    pub(crate) fn read_all(bytes: &[u8]) -> Result<Vec<Attribute>, DecodeError> {
        let read = |nla: netlink_packet_core::NlaBuffer<&[u8]>| Attribute {
            kind: nla.kind() & NLA_TYPE_MASK,
            value: nla.value().to_vec(),
        };
        NlasIterator::new(bytes).map(|nla| nla.map(read)).collect()
    }

    /// A number in the machine's byte order, if it is as long as one.
    pub(crate) fn u32(&self) -> Option<u32> {
        Some(u32::from_ne_bytes(self.value.as_slice().try_into().ok()?))
    }
}

/// The attribute of this kind.
pub(crate) fn of_kind(attributes: &[Attribute], kind: u16) -> Option<&Attribute> {
    attributes.iter().find(|attribute| attribute.kind == kind)
}

impl TcMessage {
    /// Name of the qdisc or class.
    pub(crate) fn name(&self) -> Option<&str> {
        let value = &of_kind(&self.attributes, TCA_KIND)?.value;
        std::str::from_utf8(value).ok().map(|name| name.trim_end_matches('\0'))
    }

    fn nlas(&self) -> Vec<DefaultNla> {
        self.attributes.iter().map(Attribute::to_nla).collect()
    }
}

impl NetlinkSerializable for TcMessage {
    fn message_type(&self) -> u16 {
        self.kind
    }

    fn buffer_len(&self) -> usize {
        HEADER + self.nlas().as_slice().buffer_len()
    }

    fn serialize(&self, buffer: &mut [u8]) {
        buffer[..HEADER].fill(0);
        buffer[4..8].copy_from_slice(&self.interface.to_ne_bytes());
        buffer[8..12].copy_from_slice(&self.handle.to_ne_bytes());
        buffer[12..16].copy_from_slice(&self.parent.to_ne_bytes());
        self.nlas().as_slice().emit(&mut buffer[HEADER..]);
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
                .map(|(kind, value)| Attribute::new(kind & NLA_TYPE_MASK, value))
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
