//! `--save DIR`: keeps every picture that arrived, with its age, without ever holding up the link.
//!
//! The receiving thread hands samples over through a bounded queue and never waits ([`Saver::offer`]); a thread of our
//! own compresses and writes. SPEC.md DRV-40 to DRV-44.
//! Invariants: every sample offered is written, or counted as dropped, or counted as refused; a disk that fails ends
//! the saving, with a message, and nothing else; no file is written over; every picture that was given up is told.
//!
//! ```text
//!   offer() ──▶ queue (bounded) ──▶ thread: decode header ─▶ DIR/camera_front/000123_age045ms.png
//!      │ full: dropped                          │           └▶ DIR/index.csv
//!      └──────────────────────────────────────── └ disk fails: message, all later ones dropped
//! ```

mod file;
mod names;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use tokkyu_contract::MonoTime;

use crate::picture::Picture;
use names::Names;

/// Samples waiting for the disk at most: 24 MB of raw pictures of the flow this project measures with.
pub const QUEUE: usize = 64;
/// Longest wait for the disk at the end.
pub const PATIENCE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(5);
const INDEX: &str = "index.csv";
/// First line of `index.csv`.
pub const INDEX_HEADER: &str = "sequence,capture_ns,arrival_ns,age_ms,file";

/// One sample that arrived.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// Name of its flow; names the folder.
    pub camera: Arc<str>,
    /// The link's sequence number in the flow.
    pub sequence: u64,
    /// When it was captured, moved to this machine's monotonic clock by the link.
    pub captured: MonoTime,
    /// When it arrived, on the same clock.
    pub arrived: MonoTime,
    /// The whole sample, header included.
    pub sample: Bytes,
}

impl Arrived {
    /// Age on arrival.
    pub fn age(&self) -> Duration {
        self.arrived.since(self.captured)
    }
}

/// Why saving cannot begin, or ended.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The folder has a recording already.
    #[error("{}: this folder holds a recording already; give another one to --save", path.display())]
    Exists {
        /// The recording's index.
        path: PathBuf,
    },
    /// A file or folder could not be written.
    #[error("{}: {}; the program goes on without saving", path.display(), told(source))]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// No thread could be started.
    #[error("no thread for saving could be started: {0}")]
    Thread(io::Error),
}

fn told(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".to_owned(),
        _ => error.to_string(),
    }
}

/// What became of the samples offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Samples handed over.
    pub offered: u64,
    /// Written.
    pub written: u64,
    /// Given up: the disk was too slow, or saving had ended.
    pub dropped: u64,
    /// Not a picture sample.
    pub refused: u64,
}

#[derive(Default)]
struct Shared {
    offered: AtomicU64,
    written: AtomicU64,
    dropped: AtomicU64,
    refused: AtomicU64,
    trouble: OnceLock<String>,
}

/// Saves what arrives; see the module. [`Saver::finish`] writes what still waits.
pub struct Saver {
    queue: Option<SyncSender<Arrived>>,
    thread: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
    has_ended: bool,
}

impl Saver {
    /// Saves into `folder`, which is made if it does not exist.
    ///
    /// # Errors
    /// [`SaveError`]: a recording that exists is never written over.
    pub fn create(folder: &Path) -> Result<Saver, SaveError> {
        let writer = Writer::create(folder)?;
        let shared = Arc::new(Shared::default());
        let (queue, waiting) = sync_channel(QUEUE);
        let (of_thread, run) = (Arc::clone(&shared), thread::Builder::new().name("save".into()));
        let thread = run.spawn(move || save_all(writer, &waiting, &of_thread)).map_err(SaveError::Thread)?;
        Ok(Saver { queue: Some(queue), thread: Some(thread), shared, has_ended: false })
    }

    /// Hands a sample over. Never waits: without room it is counted as dropped.
    pub fn offer(&self, arrived: Arrived) {
        self.shared.offered.fetch_add(1, Ordering::Relaxed);
        let sent = self.queue.as_ref().map_or(Ok(()), |queue| queue.try_send(arrived));
        let Err(error) = sent else { return };
        if matches!(error, TrySendError::Disconnected(_)) {
            self.note_death();
        }
        self.shared.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// A slow disk is not to blame for what a dead thread does not write.
    fn note_death(&self) {
        let why = "the thread that saves died; this is a fault of tokkyu, please report it";
        let _ = self.shared.trouble.set(why.to_owned());
    }

    /// What became of the samples so far; those still in the queue are in `offered` alone.
    pub fn saved(&self) -> Saved {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Saved {
            offered: read(&self.shared.offered),
            written: read(&self.shared.written),
            dropped: read(&self.shared.dropped),
            refused: read(&self.shared.refused),
        }
    }

    /// Why saving ended, or what is missing though it goes on, in words for the driver; `None` while nothing is.
    pub fn trouble(&self) -> Option<String> {
        let Saved { offered, written, dropped, refused } = self.saved();
        // Before the end they wait for their turn.
        let waiting = if self.has_ended { offered.saturating_sub(written + dropped + refused) } else { 0 };
        match (self.shared.trouble.get(), dropped, waiting) {
            (Some(why), ..) => Some(why.clone()),
            (None, 0, 0) => None,
            (None, dropped, 0) => Some(format!("the disk is too slow: {dropped} pictures were given up")),
            (None, dropped, waiting) => Some(format!(
                "the disk is too slow: {dropped} pictures were given up, and {waiting} were not written at the end"
            )),
        }
    }

    /// Writes what still waits (at most [`QUEUE`] samples) and ends. Waits at most [`PATIENCE`]: a network disk that
    /// hangs keeps its thread, not the program.
    pub fn finish(mut self) -> Saved {
        self.end();
        self.saved()
    }

    /// The same, leaving [`Saver::saved`] and [`Saver::trouble`] to be asked; both are final then, unless the disk hangs.
    pub fn end(&mut self) {
        // Closing the queue is what ends the thread.
        self.queue = None;
        self.has_ended = true;
        let Some(thread) = self.thread.take() else { return };
        for _ in 0..PATIENCE.as_millis() / LOOK_EVERY.as_millis() {
            if thread.is_finished() {
                if thread.join().is_err() {
                    self.note_death();
                }
                return;
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}

impl Drop for Saver {
    fn drop(&mut self) {
        self.end();
    }
}

fn save_all(mut writer: Writer, waiting: &Receiver<Arrived>, shared: &Shared) {
    while let Ok(arrived) = waiting.recv() {
        let counter = match Picture::decode(&arrived.sample) {
            Err(_) => &shared.refused,
            Ok(_) if shared.trouble.get().is_some() => &shared.dropped,
            Ok(picture) => match writer.write(&arrived, &picture) {
                Ok(()) => &shared.written,
                Err(error) => {
                    // Set once; the loop goes on only to count what is dropped.
                    let _ = shared.trouble.set(error.to_string());
                    &shared.dropped
                }
            },
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Whether a recording can begin in `folder`: one that exists is never written over.
///
/// # Errors
/// [`SaveError::Exists`].
pub fn check(folder: &Path) -> Result<(), SaveError> {
    let path = folder.join(INDEX);
    if path.exists() { Err(SaveError::Exists { path }) } else { Ok(()) }
}

/// The folder being filled.
struct Writer {
    folder: PathBuf,
    index: File,
    names: Names,
}

impl Writer {
    fn create(folder: &Path) -> Result<Writer, SaveError> {
        let disk = |path: &Path, source| SaveError::Disk { path: path.into(), source };
        fs::create_dir_all(folder).map_err(|error| disk(folder, error))?;
        check(folder)?;
        let path = folder.join(INDEX);
        let file = File::create_new(&path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => SaveError::Exists { path: path.clone() },
            _ => disk(&path, error),
        })?;
        let mut writer = Writer { folder: folder.into(), index: file, names: Names::default() };
        writer.index_line(INDEX_HEADER)?;
        Ok(writer)
    }

    fn write(&mut self, arrived: &Arrived, picture: &Picture) -> Result<(), SaveError> {
        let camera = self.names.folder(&arrived.camera).to_owned();
        let age_ms = arrived.age().as_millis();
        let (folder, stem) = (self.folder.join(&camera), format!("{:06}_age{age_ms:03}ms", arrived.sequence));
        let (file, name) = file::create(&folder, &stem, picture.encoding)
            .map_err(|source| SaveError::Disk { path: folder.join(&stem), source })?;
        let path = folder.join(&name);
        let (captured, at) = (arrived.captured.as_nanos(), arrived.arrived.as_nanos());
        let line = format!("{},{captured},{at},{age_ms},{camera}/{name}", arrived.sequence);
        let written =
            file::fill(file, picture).map_err(|source| SaveError::Disk { path: path.clone(), source });
        written.and_then(|()| self.index_line(&line)).inspect_err(|_| {
            // Half a picture, or one that the index does not have, is worse than none.
            let _ = fs::remove_file(&path);
        })
    }

    /// Each line is written at once: whatever ends the program, the index knows every picture that is there.
    fn index_line(&mut self, line: &str) -> Result<(), SaveError> {
        let written = self.index.write_all(format!("{line}\n").as_bytes());
        written.map_err(|source| SaveError::Disk { path: self.folder.join(INDEX), source })
    }
}

#[cfg(test)]
mod tests;
