//! Packet header (SPEC §3).

use super::{Malformed, Reader, Writer};

/// Bytes of a packet header.
pub const HEADER_LEN: usize = 10;

const ASK: u8 = 1;
const LONG_LOST: u8 = 2;

/// What every packet begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Feedback is wanted at once.
    pub ask: bool,
    /// Long packets of this sender do not reach its peer (LNK-70).
    pub long_lost: bool,
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
        Writer(out)
            .u8(if self.ask { ASK } else { 0 } | if self.long_lost { LONG_LOST } else { 0 })
            .u8(self.feedback_interval)
            .u32(self.number)
            .u32(self.sent_us);
    }

    /// Reads a header from the front of `reader`.
    pub fn read(reader: &mut Reader<'_>) -> Result<Header, Malformed> {
        let flags = reader.u8()?;
        if flags & !(ASK | LONG_LOST) != 0 {
            return Err(Malformed("unknown header flags"));
        }
        let feedback_interval = reader.u8()?;
        if feedback_interval == 0 {
            return Err(Malformed("feedback interval 0"));
        }
        let (ask, long_lost) = (flags & ASK != 0, flags & LONG_LOST != 0);
        Ok(Header { ask, long_lost, feedback_interval, number: reader.u32()?, sent_us: reader.u32()? })
    }
}
