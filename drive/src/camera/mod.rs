//! Where pictures come from. Runs on the vehicle, one thread for each camera; SPEC.md DRV-30 to DRV-38.
//!
//! The caller keeps the rate: it calls [`Camera::next`] once for each picture that is due. A call returns within
//! [`LONGEST_WAIT`], so a program that was told to stop notices between two calls, and one camera that fails never
//! holds up another.
//!
//! ```text
//!  TestPicture   FfmpegCamera ── Feed (child process, threads, newest-first slot)
//!  Dummy              │
//!      │         DeviceCamera (of a device: its own JPEG, or raw)
//!      │              │
//!      │         Retrying (reopens what vanished, with backoff)
//!      └───────────┬──┘
//!             JpegCamera (optional: compresses to the bit rate that is granted)
//!                  │
//!                Frame → Picture → sample
//! ```

pub mod device;
pub mod dummy;
pub mod encode;
mod feed;
pub mod ffmpeg;
mod folder;
mod glyphs;
pub mod jpeg_rate;
pub mod mjpeg;
pub mod retry;
pub mod street;
pub mod test_picture;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use bytes::Bytes;
use tokkyu_contract::MonoTime;

use crate::picture::{Encoding, Picture, PictureError};

pub use device::DeviceCamera;
pub use dummy::Dummy;
pub use encode::JpegCamera;
pub use ffmpeg::{FfmpegCamera, Format, Input};
pub use folder::{Folder, PICTURE_KINDS};
pub use jpeg_rate::JpegRate;
pub use retry::Retrying;
pub use test_picture::TestPicture;

/// Longest time one call of [`Camera::next`] waits for a picture.
pub const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// One picture as its source gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The picture's bytes, shared on clone.
    pub data: Bytes,
    /// What the bytes mean.
    pub encoding: Encoding,
    /// Counts the source's pictures from 0; a gap is a picture the source took and nobody fetched in time.
    pub sequence: u64,
    /// Position in the recording the picture is from, `None` for a live source.
    pub source_time: Option<Duration>,
    /// When the source gave it, by this machine's clock; `None` for one that is made for the time it is asked for.
    pub given: Option<MonoTime>,
}

/// A picture as it travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shot {
    /// Header and picture.
    pub sample: Bytes,
    /// As [`Frame::given`].
    pub given: Option<MonoTime>,
}

impl From<Frame> for Picture {
    fn from(frame: Frame) -> Picture {
        // The header carries the low 32 bits: 13 years at 10 Hz.
        Picture { encoding: frame.encoding, sequence: frame.sequence as u32, data: frame.data }
    }
}

/// A source of pictures.
pub trait Camera: Send {
    /// The newest picture, never one handed out before. `due` is the time on this machine's monotonic clock for
    /// which the picture is asked.
    ///
    /// Waits at most [`LONGEST_WAIT`].
    ///
    /// # Errors
    /// [`CameraError::NotYet`] when no new picture came within the wait: call again at the next due time. An error
    /// that is not [passing](CameraError::is_passing) is the end of this source; [`Retrying`] opens it anew.
    fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError>;

    /// The sample of the [next](Camera::next) picture, with `number` as its number in the flow.
    ///
    /// # Errors
    /// As there; or the picture is none that a sample can carry.
    fn next_sample(&mut self, due: MonoTime, number: u32) -> Result<Shot, CameraError> {
        let frame = self.next(due)?;
        let given = frame.given;
        let picture = Picture { sequence: number, ..Picture::from(frame) };
        Ok(Shot { sample: picture.encode()?, given })
    }
}

impl<C: Camera + ?Sized> Camera for Box<C> {
    fn next(&mut self, due: MonoTime) -> Result<Frame, CameraError> {
        (**self).next(due)
    }

    fn next_sample(&mut self, due: MonoTime, number: u32) -> Result<Shot, CameraError> {
        (**self).next_sample(due, number)
    }
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum CameraError {
    /// The source works, but has nothing new yet.
    #[error("no new picture yet")]
    NotYet,
    /// [`Retrying`] waits before it opens the source again.
    #[error("{why}; next attempt in {:.1} s", retry_in.as_secs_f64())]
    Down {
        /// What closed the source, or kept it from opening.
        why: String,
        /// Time until the next attempt.
        retry_in: Duration,
    },
    /// The `ffmpeg` program is not installed.
    #[error(
        "video files and cameras are read through the program ffmpeg, which is not installed; install it with: apt install ffmpeg"
    )]
    FfmpegMissing,
    /// The file, folder or device is not there.
    #[error("{}: no such file, folder or device", path.display())]
    NotFound {
        /// As it was given.
        path: PathBuf,
    },
    /// The folder holds no picture of a kind that is read.
    #[error("{}: no pictures in this folder (looked for: {kinds})", folder.display())]
    NoPictures {
        /// As it was given.
        folder: PathBuf,
        /// The endings that were looked for.
        kinds: String,
    },
    /// The folder holds pictures of more than one kind, which cannot be read as one sequence.
    #[error("{}: pictures of several kinds ({kinds}); keep one kind in the folder", folder.display())]
    MixedPictures {
        /// As it was given.
        folder: PathBuf,
        /// The kinds with their counts.
        kinds: String,
    },
    /// The folder's pictures are none, or too many names are left to tell ffmpeg which ones are.
    #[error("{}: {broken}; take what is broken out of the folder", folder.display())]
    BrokenPictures {
        /// As it was given.
        folder: PathBuf,
        /// Which, and why.
        broken: String,
    },
    /// ffmpeg ended before the first picture.
    #[error("{}: no video could be read: ffmpeg says \"{said}\"", input.display())]
    NoVideo {
        /// The input as it was given.
        input: PathBuf,
        /// Last line ffmpeg wrote to its standard error.
        said: String,
    },
    /// The source gave pictures and then went away.
    #[error("{}: the camera vanished: {said}", input.display())]
    Vanished {
        /// The input as it was given.
        input: PathBuf,
        /// What is known about the end.
        said: String,
    },
    /// A size or rate no picture can have.
    #[error("{field}: {value} is not possible; {allowed}")]
    Setting {
        /// Name of the setting.
        field: &'static str,
        /// What was asked.
        value: String,
        /// What can be asked.
        allowed: &'static str,
    },
    /// A picture could not be compressed.
    #[error("picture {sequence} could not be compressed to JPEG: {why}")]
    Encode {
        /// The picture's sequence number.
        sequence: u64,
        /// The encoder's reason.
        why: String,
    },
    /// A picture that no sample can carry.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// A file or process could not be used.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// The system's reason.
        source: io::Error,
    },
}

impl CameraError {
    /// True when the source is still worth asking at the next due time.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            CameraError::NotYet
                | CameraError::Down { .. }
                | CameraError::Encode { .. }
                | CameraError::Picture(_)
        )
    }
}

/// Checks a picture size in pixels: 1 to 65 535 each way (the header's 16 bits), and short enough for one sample.
fn checked_size(width: u16, height: u16, bytes_per_pixel: usize) -> Result<(), CameraError> {
    let bytes = usize::from(width) * usize::from(height) * bytes_per_pixel;
    let longest = crate::picture::MAX_SAMPLE_BYTES - crate::picture::HEADER_BYTES;
    if bytes == 0 || bytes > longest {
        let allowed = "give a width and a height of at least 1 pixel, and at most 32 MiB for one picture";
        return Err(CameraError::Setting { field: "size", value: format!("{width}×{height}"), allowed });
    }
    Ok(())
}
