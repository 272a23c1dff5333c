//! Attributes of netlink messages.

use netlink_packet_core::{DecodeError, DefaultNla, Emitable, NlasIterator};

const NLA_F_NESTED: u16 = 1 << 15;
const NLA_TYPE_MASK: u16 = 0x3fff;

/// An attribute; what it holds is looked at where it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// As the message's own list has it.
    pub kind: u16,
    /// Its bytes.
    pub value: Vec<u8>,
}

impl Attribute {
    /// With these bytes.
    pub fn new(kind: u16, value: &[u8]) -> Attribute {
        Attribute { kind, value: value.to_vec() }
    }

    /// One that holds others. The kernel refuses it without the flag.
    pub fn nested(kind: u16, inside: &[Attribute]) -> Attribute {
        let inside: Vec<DefaultNla> = inside.iter().map(Attribute::to_nla).collect();
        let mut value = vec![0; inside.as_slice().buffer_len()];
        inside.as_slice().emit(&mut value);
        Attribute { kind: kind | NLA_F_NESTED, value }
    }

    fn to_nla(&self) -> DefaultNla {
        DefaultNla::new(self.kind, self.value.clone())
    }

    /// All that stand in these bytes.
    ///
    /// # Errors
    /// One is longer than what is left.
    pub fn read_all(bytes: &[u8]) -> Result<Vec<Attribute>, DecodeError> {
        let read = |nla: netlink_packet_core::NlaBuffer<&[u8]>| Attribute {
            kind: nla.kind() & NLA_TYPE_MASK,
            value: nla.value().to_vec(),
        };
        NlasIterator::new(bytes).map(|nla| nla.map(read)).collect()
    }

    /// Bytes of all together.
    pub fn length(attributes: &[Attribute]) -> usize {
        nlas(attributes).as_slice().buffer_len()
    }

    /// Writes all, into as many bytes.
    pub fn write_all(attributes: &[Attribute], buffer: &mut [u8]) {
        nlas(attributes).as_slice().emit(buffer);
    }

    /// A number in the machine's byte order, if it is as long as one.
    pub fn u32(&self) -> Option<u32> {
        Some(u32::from_ne_bytes(self.value.as_slice().try_into().ok()?))
    }

    /// A number that the kernel writes into 4 bytes where it has room there, else into 8 (`uint` of its descriptions).
    pub fn uint(&self) -> Option<u64> {
        let long = || Some(u64::from_ne_bytes(self.value.as_slice().try_into().ok()?));
        self.u32().map(u64::from).or_else(long)
    }
}

/// The attribute of this kind.
pub fn of_kind(attributes: &[Attribute], kind: u16) -> Option<&Attribute> {
    attributes.iter().find(|attribute| attribute.kind == kind)
}

fn nlas(attributes: &[Attribute]) -> Vec<DefaultNla> {
    attributes.iter().map(Attribute::to_nla).collect()
}
