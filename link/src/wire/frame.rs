//! Frames (SPEC §3): what a packet carries behind its header.

use super::{Malformed, Reader, Writer};
use tokkyu_contract::{FlowId, TraceId};

/// Longest acknowledgement bitmap, in words of 64 packets.
pub const MAX_FEEDBACK_WORDS: usize = 16;

const PADDING: u8 = 0;
const FRAGMENT: u8 = 1;
const SAMPLE: u8 = 2;
const FEEDBACK: u8 = 3;
const FLOOR: u8 = 4;
const PROBE: u8 = 5;
/// Types from here on have a length behind them, so that who does not know them passes them over.
const EXTENSIONS: u8 = 128;

/// One shard of a sample that does not fit a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment<'a> {
    /// Flow and sequence number.
    pub id: TraceId,
    /// Publisher's clock at capture, µs, low 32 bits.
    pub capture_us: u32,
    /// Data shards of the sample, at least 1.
    pub k: u16,
    /// Data shard below `k`, parity from `k` on.
    pub index: u16,
    /// The shard, an even number of bytes.
    pub shard: &'a [u8],
}

/// A sample in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole<'a> {
    /// Flow and sequence number.
    pub id: TraceId,
    /// Publisher's clock at capture, µs, low 32 bits.
    pub capture_us: u32,
    /// The payload.
    pub payload: &'a [u8],
}

/// What the receiver knows of the packets sent to it (LNK-22).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Highest packet number received, low 32 bits.
    pub highest: u32,
    /// Receiver's clock when it came, µs, low 32 bits.
    pub highest_rx_us: u32,
    /// Time since it came, µs.
    pub hold_us: u32,
    /// Datagram bytes received so far, modulo 2³².
    pub received_bytes: u32,
    /// Datagrams received so far that were marked Congestion Experienced, modulo 2¹⁶.
    pub ce: u16,
    /// Words of `bitmap` in use, 1 to 16.
    pub words: u8,
    /// Bit i of the whole: `highest − i` was received.
    pub bitmap: [u64; MAX_FEEDBACK_WORDS],
}

impl Feedback {
    /// How many packet numbers, counted down from the highest, the bitmap covers.
    pub fn covered(&self) -> u64 {
        u64::from(self.words) * 64
    }

    /// Whether the packet `back` numbers below the highest was received. False where the bitmap does not reach.
    pub fn received(&self, back: u64) -> bool {
        back < self.covered() && self.bitmap[(back / 64) as usize] >> (back % 64) & 1 == 1
    }
}

/// One frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A piece of a sample.
    Fragment(Fragment<'a>),
    /// A whole sample.
    Sample(Whole<'a>),
    /// Acknowledgements.
    Feedback(Feedback),
    /// No sample older than this one comes (again).
    Floor(TraceId),
    /// Nothing but a packet number: shows losses at the end of a burst.
    Probe,
    /// As many zeros to the end of the packet, this one's type included: makes it longer (LNK-88).
    Padding(usize),
    /// A frame that is not known here, to be passed over (LNK-20).
    Extension {
        /// Its type, 128 to 255.
        kind: u8,
        /// What it carries.
        body: &'a [u8],
    },
}

impl<'a> Frame<'a> {
    /// Bytes before the shard of a FRAGMENT frame, its type included.
    pub const FRAGMENT_OVERHEAD: usize = 15;
    /// Bytes before the payload of a SAMPLE frame, its type included.
    pub const SAMPLE_OVERHEAD: usize = 13;
    /// Bytes of a FLOOR frame.
    pub const FLOOR_LEN: usize = 7;

    /// Bytes of a FEEDBACK frame with `words` words of bitmap.
    pub const fn feedback_len(words: usize) -> usize {
        1 + 4 * 4 + 2 + 1 + 8 * words
    }

    /// Writes the frame at the end of `out`. A fragment must be a packet's last frame.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut w = Writer(out);
        match self {
            Frame::Fragment(f) => {
                w.u8(FRAGMENT).u16(f.id.flow.0).u32(f.id.sequence).u32(f.capture_us);
                w.u16(f.k).u16(f.index).bytes(f.shard);
            }
            Frame::Sample(s) => {
                w.u8(SAMPLE).u16(s.id.flow.0).u32(s.id.sequence).u32(s.capture_us);
                w.u16(s.payload.len() as u16).bytes(s.payload);
            }
            Frame::Feedback(f) => write_feedback(f, &mut w),
            Frame::Floor(id) => {
                w.u8(FLOOR).u16(id.flow.0).u32(id.sequence);
            }
            Frame::Probe => {
                w.u8(PROBE);
            }
            Frame::Padding(bytes) => out.resize(out.len() + bytes, PADDING),
            Frame::Extension { kind, body } => {
                w.u8(*kind).u16(body.len() as u16).bytes(body);
            }
        }
    }

    /// Reads the next frame.
    pub fn read(r: &mut Reader<'a>) -> Result<Frame<'a>, Malformed> {
        match r.u8()? {
            FRAGMENT => read_fragment(r).map(Frame::Fragment),
            SAMPLE => read_sample(r).map(Frame::Sample),
            FEEDBACK => read_feedback(r).map(Frame::Feedback),
            FLOOR => read_id(r).map(Frame::Floor),
            PROBE => Ok(Frame::Probe),
            PADDING => read_padding(r),
            kind @ EXTENSIONS.. => {
                let bytes = r.u16()?;
                Ok(Frame::Extension { kind, body: r.bytes(usize::from(bytes))? })
            }
            _ => Err(Malformed("unknown frame type")),
        }
    }
}

fn read_padding<'a>(r: &mut Reader<'a>) -> Result<Frame<'a>, Malformed> {
    let zeros = r.rest();
    match zeros.iter().all(|byte| *byte == PADDING) {
        true => Ok(Frame::Padding(1 + zeros.len())),
        false => Err(Malformed("padding that is not zero")),
    }
}

fn read_id(r: &mut Reader<'_>) -> Result<TraceId, Malformed> {
    Ok(TraceId { flow: FlowId(r.u16()?), sequence: r.u32()? })
}

fn read_fragment<'a>(r: &mut Reader<'a>) -> Result<Fragment<'a>, Malformed> {
    let (id, capture_us) = (read_id(r)?, r.u32()?);
    let (k, index, shard) = (r.u16()?, r.u16()?, r.rest());
    if k == 0 {
        return Err(Malformed("sample of no shards"));
    }
    if shard.is_empty() || shard.len() % 2 != 0 {
        return Err(Malformed("shard of odd size"));
    }
    Ok(Fragment { id, capture_us, k, index, shard })
}

fn read_sample<'a>(r: &mut Reader<'a>) -> Result<Whole<'a>, Malformed> {
    let (id, capture_us, len) = (read_id(r)?, r.u32()?, r.u16()?);
    Ok(Whole { id, capture_us, payload: r.bytes(usize::from(len))? })
}

fn write_feedback(f: &Feedback, w: &mut Writer<'_>) {
    w.u8(FEEDBACK).u32(f.highest).u32(f.highest_rx_us).u32(f.hold_us);
    w.u32(f.received_bytes).u16(f.ce).u8(f.words);
    for word in &f.bitmap[..usize::from(f.words)] {
        w.u64(*word);
    }
}

fn read_feedback(r: &mut Reader<'_>) -> Result<Feedback, Malformed> {
    let mut f = Feedback {
        highest: r.u32()?,
        highest_rx_us: r.u32()?,
        hold_us: r.u32()?,
        received_bytes: r.u32()?,
        ce: r.u16()?,
        words: r.u8()?,
        bitmap: [0; MAX_FEEDBACK_WORDS],
    };
    if f.words == 0 || usize::from(f.words) > MAX_FEEDBACK_WORDS {
        return Err(Malformed("feedback bitmap of a wrong length"));
    }
    for word in &mut f.bitmap[..usize::from(f.words)] {
        *word = r.u64()?;
    }
    Ok(f)
}
