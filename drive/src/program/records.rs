//! The records file of a run, where one is asked for.
//!
//! Runs in the main thread, which may wait for the disk. Invariants: a disk that fails ends the recording and nothing
//! else; the failure is told at once and decides the exit code at the end (DRV-74). A file that exists is never written
//! over, and a start that fails leaves none behind, or it would keep the next one from beginning.

use std::fs;
use std::path::{Path, PathBuf};

use tokkyu_measure::{Record, RecordError, RecordWriter};

/// Records being written, or none.
pub(crate) struct RecordsFile {
    writer: Option<RecordWriter>,
    failed: Option<RecordError>,
    /// The file, until the program runs.
    unused: Option<PathBuf>,
}

impl RecordsFile {
    /// Makes the file, so that a path that is taken or cannot be written is told before the run. Without
    /// [`RecordsFile::begin`] it goes again.
    pub(crate) fn create(path: Option<&Path>) -> Result<RecordsFile, RecordError> {
        let writer = path.map(RecordWriter::create).transpose()?;
        Ok(RecordsFile { writer, failed: None, unused: path.map(Path::to_path_buf) })
    }

    /// The program runs: the file is kept from now on.
    pub(crate) fn begin(&mut self) {
        self.unused = None;
    }

    /// Writes `records`; a failure is given back once.
    pub(crate) fn write(&mut self, records: impl IntoIterator<Item = Record>) -> Option<&RecordError> {
        for record in records {
            let Some(writer) = &mut self.writer else { return None };
            if let Err(error) = writer.write(&record) {
                self.writer = None;
                self.failed = Some(error);
                return self.failed.as_ref();
            }
        }
        None
    }

    /// Brings everything to the disk.
    pub(crate) fn finish(mut self) -> Result<(), RecordError> {
        match (self.failed.take(), self.writer.take()) {
            (Some(error), _) => Err(error),
            (None, Some(writer)) => writer.finish(),
            (None, None) => Ok(()),
        }
    }
}

impl Drop for RecordsFile {
    fn drop(&mut self) {
        let Some(path) = self.unused.take() else { return };
        // Its first lines go to the disk before the file does.
        self.writer = None;
        // A pipe or a link was not made by us.
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()) {
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::{MonoTime, Outcome};

    #[test]
    fn a_full_disk_is_told_once_and_again_at_the_end() {
        let mut file = RecordsFile::create(Some(Path::new("/dev/full"))).unwrap();
        let record = |sequence| Record {
            stream: "camera/front".into(),
            sequence,
            capture: MonoTime::ZERO,
            arrival: None,
            outcome: Outcome::Delivered,
            warm_up: false,
        };
        let told = (0..10_000).filter(|sequence| file.write([record(*sequence)]).is_some()).count();
        assert_eq!(told, 1);
        assert!(file.finish().unwrap_err().to_string().contains("/dev/full"));
    }
}
