//! Raw records: one line for each sample, written while a run goes on and read by everything that reports on it.
//!
//! Runs in the tool's ordinary threads, never on a real-time thread: writing may block on the disk. Format:
//! SPEC.md MEA-10 to MEA-15. A record's two stamps are always on one clock (MEA-12).

mod parse;
mod write;

use tokkyu_contract::{MonoTime, Outcome};

pub use parse::{Fault, ParseError, parse, read};
pub use write::RecordWriter;

use crate::storage::StorageError;
use std::path::PathBuf;

/// Version of the records format this crate writes, and the newest it reads.
pub const FORMAT: u32 = 1;

/// Longest stream name, in bytes.
pub const STREAM_NAME_MAX_BYTES: usize = 255;

/// Largest records file that is read, in bytes: 10 000 samples of 5 streams take about 4 MB.
pub const FILE_MAX_BYTES: u64 = 1 << 30;

const VERSION_PREFIX: &str = "# tokkyu-records ";
const HEADER: &str = "stream,sequence,capture_ns,arrival_ns,outcome,warm_up";

/// What one end of a stream knows of one sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Name of the stream, e.g. `camera/1`; see [`valid_stream_name`].
    pub stream: String,
    /// The publisher's number of the sample, from 0.
    pub sequence: u32,
    /// When the sample was captured, on the recording end's clock (the receiver moves the sender's stamp to its own).
    pub capture: MonoTime,
    /// When the whole sample had arrived; `None` if it has not, or at the sender.
    pub arrival: Option<MonoTime>,
    /// What became of the sample, as far as this end knows.
    pub outcome: Outcome,
    /// One of the first samples, which are reported apart.
    pub warm_up: bool,
}

impl Record {
    /// Age of the sample at its arrival in nanoseconds; `None` if it did not arrive or arrived before its capture.
    pub fn latency_ns(&self) -> Option<u64> {
        self.arrival?.as_nanos().checked_sub(self.capture.as_nanos())
    }
}

/// A name that survives the format: not empty, at most [`STREAM_NAME_MAX_BYTES`], without comma, quote or control
/// character.
pub fn valid_stream_name(name: &str) -> bool {
    let plain = |c: char| c != ',' && c != '"' && !c.is_control();
    !name.is_empty() && name.len() <= STREAM_NAME_MAX_BYTES && name.chars().all(plain)
}

/// A records file could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file system refused; whole lines written before are kept.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The file is not in the records format.
    #[error("{}: {error}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line and fault.
        error: ParseError,
    },
    /// More than [`FILE_MAX_BYTES`].
    #[error("{} has {bytes} bytes, more than the {FILE_MAX_BYTES} that are read: split the run", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// A stream name that could not be read back.
    #[error(
        "stream name {name:?} cannot be recorded: use 1 to 255 bytes without comma, quote or control character"
    )]
    StreamName {
        /// The name.
        name: String,
    },
    /// Writing failed before; going on would leave a hole in the middle of the file.
    #[error("{} is closed to more records because an earlier write failed", path.display())]
    Stopped {
        /// The file.
        path: PathBuf,
    },
}
