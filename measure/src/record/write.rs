//! Writer of the records format: a buffer of whole lines in front of a file.
//!
//! Runs in a recording thread that may block on the disk. Memory is bounded by [`BUFFER_BYTES`] and one line.
//! Invariant: whatever fails, the file ends with a whole line, so that what was measured before can be read (MEA-14).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{FORMAT, HEADER, Record, RecordError, VERSION_PREFIX, valid_stream_name};
use crate::storage::StorageError;

const BUFFER_BYTES: usize = 64 * 1024;

/// Writes records to one file.
///
/// Call [`RecordWriter::finish`] at the end: dropping the writer also flushes, but cannot tell that the disk is full.
#[derive(Debug)]
pub struct RecordWriter {
    path: PathBuf,
    lines: LineBuffer<File>,
    failed: bool,
}

impl RecordWriter {
    /// Creates the file and puts the version and header lines into the buffer.
    ///
    /// # Errors
    /// [`RecordError::Storage`] if the file cannot be created, or is there already: what was measured before is kept
    /// (MEA-16).
    pub fn create(path: &Path) -> Result<Self, RecordError> {
        let file = new_file(path).map_err(|source| StorageError::new("create", path, source))?;
        let mut lines = LineBuffer::new(file);
        lines.push(&format!("{VERSION_PREFIX}{FORMAT}\n{HEADER}\n"));
        Ok(RecordWriter { path: path.to_path_buf(), lines, failed: false })
    }

    /// Appends one record; goes to the disk when the buffer is full.
    ///
    /// # Errors
    /// [`RecordError::StreamName`] for a name the format cannot carry, [`RecordError::Storage`] if the disk refuses,
    /// [`RecordError::Stopped`] after that.
    pub fn write(&mut self, record: &Record) -> Result<(), RecordError> {
        if !valid_stream_name(&record.stream) {
            return Err(RecordError::StreamName { name: record.stream.clone() });
        }
        self.refuse_after_failure()?;
        self.lines.push(&line_of(record));
        if self.lines.pending() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Writes what is buffered and waits until it is on the disk.
    ///
    /// # Errors
    /// As [`RecordWriter::write`].
    pub fn finish(mut self) -> Result<(), RecordError> {
        self.refuse_after_failure()?;
        self.flush()?;
        self.lines.sink.sync_all().map_err(|source| StorageError::new("write", &self.path, source).into())
    }

    fn refuse_after_failure(&self) -> Result<(), RecordError> {
        if self.failed { Err(RecordError::Stopped { path: self.path.clone() }) } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        self.lines.flush().map_err(|source| {
            self.failed = true;
            // Cuts the torn last line off. If even that is refused, the reader names the torn line.
            let _ = self.lines.sink.set_len(self.lines.whole_bytes);
            StorageError::new("write", &self.path, source).into()
        })
    }
}

impl Drop for RecordWriter {
    fn drop(&mut self) {
        if !self.failed {
            // Nobody is left to take the error; `finish` is the call that tells it.
            let _ = self.flush();
        }
    }
}

/// A file that was not there before. What keeps nothing, such as a pipe or `/dev/stdout`, has nothing to lose and may be
/// there.
fn new_file(path: &Path) -> io::Result<File> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !keeps_content(path) => {
            OpenOptions::new().write(true).open(path)
        }
        result => result,
    }
}

fn keeps_content(path: &Path) -> bool {
    // What cannot be looked at might.
    fs::metadata(path).map_or(true, |found| found.is_file())
}

fn line_of(record: &Record) -> String {
    let arrival_ns = record.arrival.map(|at| at.as_nanos().to_string()).unwrap_or_default();
    format!(
        "{},{},{},{arrival_ns},{},{}\n",
        record.stream,
        record.sequence,
        record.capture.as_nanos(),
        record.outcome,
        u8::from(record.warm_up)
    )
}

/// Text on its way to `sink` that knows how many bytes of whole lines have reached it.
#[derive(Debug)]
struct LineBuffer<W> {
    sink: W,
    pending: Vec<u8>,
    /// Bytes in the sink up to and with the last line end.
    whole_bytes: u64,
}

impl<W: Write> LineBuffer<W> {
    fn new(sink: W) -> Self {
        LineBuffer { sink, pending: Vec::with_capacity(BUFFER_BYTES), whole_bytes: 0 }
    }

    /// `lines` ends with a line end.
    fn push(&mut self, lines: &str) {
        self.pending.extend_from_slice(lines.as_bytes());
    }

    fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Empties the buffer into the sink. After an error the buffer is empty too: the run is over.
    fn flush(&mut self) -> io::Result<()> {
        let (written, result) = write_counted(&mut self.sink, &self.pending);
        let whole = self.pending[..written].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.whole_bytes += whole as u64;
        self.pending.clear();
        result
    }
}

/// Like `write_all`, but tells how much went through before an error.
fn write_counted(sink: &mut impl Write, bytes: &[u8]) -> (usize, io::Result<()>) {
    let mut written = 0;
    while written < bytes.len() {
        match sink.write(&bytes[written..]) {
            Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
            Ok(n) => written += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (written, Err(error)),
        }
    }
    (written, Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{parse, read};
    use tokkyu_contract::{MonoTime, Outcome};

    fn record(sequence: u32) -> Record {
        Record {
            stream: "camera/1".into(),
            sequence,
            capture: MonoTime::from_millis(u64::from(sequence) * 100),
            arrival: Some(MonoTime::from_millis(u64::from(sequence) * 100 + 7)),
            outcome: Outcome::Delivered,
            warm_up: sequence < 20,
        }
    }

    /// A disk with room for so many bytes.
    struct SmallDisk {
        content: Vec<u8>,
        room: usize,
    }

    impl Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.room - self.content.len());
            self.content.extend_from_slice(&bytes[..taken]);
            if taken == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_is_written_is_read_back_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records.csv");
        // More than one buffer, so that flushing in the middle of the run is part of it.
        let records: Vec<Record> = (0..3_000).map(record).collect();
        let mut writer = RecordWriter::create(&path).unwrap();
        records.iter().for_each(|record| writer.write(record).unwrap());
        writer.finish().unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > BUFFER_BYTES as u64);
        assert_eq!(read(&path).unwrap(), records);
    }

    #[test]
    fn records_that_are_there_already_are_kept_and_another_file_is_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records.csv");
        fs::write(&path, "measured yesterday").unwrap();
        let error = RecordWriter::create(&path).unwrap_err().to_string();
        assert!(error.contains("records.csv") && error.contains("give another file"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "measured yesterday");
        std::os::unix::fs::symlink(&path, dir.path().join("link.csv")).unwrap();
        assert!(RecordWriter::create(&dir.path().join("link.csv")).is_err(), "a link to records");
    }

    #[test]
    fn a_full_disk_is_an_error_that_names_the_file_and_stops_the_writer() {
        let path = Path::new("/dev/full");
        let mut writer = RecordWriter::create(path).unwrap();
        let error = (0..3_000).find_map(|i| writer.write(&record(i)).err()).expect("the device is full");
        assert!(error.to_string().contains("/dev/full"), "{error}");
        assert!(error.to_string().contains("free space"), "{error}");
        assert!(matches!(writer.write(&record(1)), Err(RecordError::Stopped { .. })));
        assert!(matches!(writer.finish(), Err(RecordError::Stopped { .. })));
    }

    #[test]
    fn finishing_tells_of_a_full_disk_that_no_write_has_met() {
        let mut writer = RecordWriter::create(Path::new("/dev/full")).unwrap();
        writer.write(&record(0)).unwrap();
        assert!(matches!(writer.finish(), Err(RecordError::Storage(_))));
    }

    #[test]
    fn every_size_of_a_full_disk_leaves_whole_lines() {
        let header = format!("{VERSION_PREFIX}{FORMAT}\n{HEADER}\n");
        for room in header.len()..header.len() + 100 {
            let mut lines = LineBuffer::new(SmallDisk { content: Vec::new(), room });
            lines.push(&header);
            lines.flush().unwrap();
            (0..10).for_each(|i| lines.push(&line_of(&record(i))));
            assert_eq!(lines.flush().unwrap_err().kind(), io::ErrorKind::StorageFull);
            let kept = &lines.sink.content[..lines.whole_bytes as usize];
            let lines_that_fit = parse(kept).expect("ends with a whole line").len();
            assert_eq!(lines_that_fit, (0..10).filter(|i| fits(*i, room - header.len())).count());
        }
    }

    fn fits(index: u32, room: usize) -> bool {
        (0..=index).map(|i| line_of(&record(i)).len()).sum::<usize>() <= room
    }

    #[test]
    fn a_name_that_could_not_be_read_back_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = RecordWriter::create(&dir.path().join("records.csv")).unwrap();
        for name in ["", "a,b", "a\nb", "say \"hi\"", &"x".repeat(256)] {
            let named = Record { stream: name.to_owned(), ..record(0) };
            assert!(matches!(writer.write(&named), Err(RecordError::StreamName { .. })), "{name:?}");
        }
    }

    #[test]
    fn a_dropped_writer_still_leaves_its_records() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("records.csv");
        let mut writer = RecordWriter::create(&path).unwrap();
        writer.write(&record(5)).unwrap();
        drop(writer);
        assert_eq!(read(&path).unwrap(), [record(5)]);
    }
}
