//! Packet header (SPEC §3).

use super::{Malformed, Reader, Writer};

/// Bytes of a packet header.
pub const HEADER_LEN: usize = 10;

const ASK: u8 = 1;
const LONG_LOST: u8 = 2;
const CUT: u8 = 4;

/// What every packet begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Feedback is wanted at once.
    pub ask: bool,
    /// Long packets of this sender do not reach its peer (LNK-70).
    pub long_lost: bool,
    /// Packets of this sender are shorter than agreed (LNK-86).
    pub is_cut: bool,
    /// Longest interval between feedbacks, in units of 50 µs, at least 1.
    pub feedback_interval: u8,
    /// Low 32 bits of the packet number.
    pub number: u32,
    /// Sender's monotonic clock, µs, low 32 bits.
    pub sent_us: u32,
}

impl Header {
    /// Writes the header at the end of `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        Writer(out)
            .u8(flag(self.ask, ASK) | flag(self.long_lost, LONG_LOST) | flag(self.is_cut, CUT))
            .u8(self.feedback_interval)
            .u32(self.number)
            .u32(self.sent_us);
    }

    /// Reads a header from the front of `reader`.
    pub fn read(reader: &mut Reader<'_>) -> Result<Header, Malformed> {
        let flags = reader.u8()?;
        if flags & !(ASK | LONG_LOST | CUT) != 0 {
            return Err(Malformed("unknown header flags"));
        }
        let feedback_interval = reader.u8()?;
        if feedback_interval == 0 {
            return Err(Malformed("feedback interval 0"));
        }
        let has = |flag: u8| flags & flag != 0;
        let (ask, long_lost, is_cut) = (has(ASK), has(LONG_LOST), has(CUT));
        Ok(Header {
            ask,
            long_lost,
            is_cut,
            feedback_interval,
            number: reader.u32()?,
            sent_us: reader.u32()?,
        })
    }
}
