//! Reader of the records format. Takes any bytes without a panic and rejects what is not exactly the format, naming
//! the line (MEA-13). Time and memory are linear in the input.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use tokkyu_contract::{MonoTime, Outcome};

use super::{FILE_MAX_BYTES, FORMAT, HEADER, Record, RecordError, VERSION_PREFIX, valid_stream_name};
use crate::storage::StorageError;

/// A line that is not in the records format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct ParseError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a line. Quoted text is cut to a few characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The first line is not the version comment.
    #[error("not a records file: the first line must be \"# tokkyu-records <version>\"")]
    NoVersion,
    /// The file is from the future.
    #[error("records format {0} is newer than {FORMAT}, the newest this program reads: use a newer tokkyu")]
    NewerVersion(u32),
    /// The second line is not the header line.
    #[error("the second line must be \"{HEADER}\"")]
    NoHeader,
    /// The line does not end.
    #[error("the line is cut off, so the writing ended early: remove the line to read those before it")]
    CutOff,
    /// Not text.
    #[error("not valid UTF-8")]
    NotText,
    /// Wrong number of fields.
    #[error("{0} fields where 6 are needed ({HEADER})")]
    FieldCount(usize),
    /// A field whose value is none of those allowed.
    #[error("{field} {found:?} is not {expected}")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// What stands there, cut short.
        found: String,
        /// What could stand there.
        expected: &'static str,
    },
}

/// Reads a whole records file.
///
/// # Errors
/// [`RecordError::Storage`] if it cannot be read, [`RecordError::TooLarge`], or [`RecordError::Malformed`] with the
/// line.
pub fn read(path: &Path) -> Result<Vec<Record>, RecordError> {
    let storage = |source| StorageError::new("read", path, source);
    let file = File::open(path).map_err(storage)?;
    let mut bytes = Vec::new();
    file.take(FILE_MAX_BYTES + 1).read_to_end(&mut bytes).map_err(storage)?;
    if bytes.len() as u64 > FILE_MAX_BYTES {
        return Err(RecordError::TooLarge { path: path.to_path_buf(), bytes: bytes.len() as u64 });
    }
    parse(&bytes).map_err(|error| RecordError::Malformed { path: path.to_path_buf(), error })
}

/// Reads records from the bytes of a file.
///
/// # Errors
/// The first line that is not in the format, and why.
pub fn parse(bytes: &[u8]) -> Result<Vec<Record>, ParseError> {
    let mut records = Vec::new();
    let mut lines = 0;
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        lines = index + 1;
        let at_line = |fault| ParseError { line: lines, fault };
        let text = whole_line(line).map_err(at_line)?;
        match index {
            0 => check_version(text).map_err(at_line)?,
            1 if text == HEADER => {}
            1 => return Err(at_line(Fault::NoHeader)),
            _ => records.push(parse_record(text).map_err(at_line)?),
        }
    }
    match lines {
        0 => Err(ParseError { line: 1, fault: Fault::NoVersion }),
        1 => Err(ParseError { line: 2, fault: Fault::NoHeader }),
        _ => Ok(records),
    }
}

fn whole_line(line: &[u8]) -> Result<&str, Fault> {
    let line = line.strip_suffix(b"\n").ok_or(Fault::CutOff)?;
    str::from_utf8(line).map_err(|_| Fault::NotText)
}

fn check_version(text: &str) -> Result<(), Fault> {
    let version = text.strip_prefix(VERSION_PREFIX).and_then(whole_number::<u32>).ok_or(Fault::NoVersion)?;
    match version {
        FORMAT => Ok(()),
        newer if newer > FORMAT => Err(Fault::NewerVersion(newer)),
        _ => Err(Fault::NoVersion),
    }
}

fn parse_record(text: &str) -> Result<Record, Fault> {
    let fields: Vec<&str> = text.split(',').take(7).collect();
    let [stream, sequence, capture, arrival, outcome, warm_up] = fields[..] else {
        return Err(Fault::FieldCount(text.split(',').count()));
    };
    Ok(Record {
        stream: parse_stream(stream)?,
        sequence: whole_number(sequence)
            .ok_or_else(|| wrong("sequence", sequence, "a whole number from 0 to 4294967295"))?,
        capture: parse_time("capture_ns", capture)?,
        arrival: if arrival.is_empty() { None } else { Some(parse_time("arrival_ns", arrival)?) },
        outcome: parse_outcome(outcome)?,
        warm_up: parse_flag(warm_up)?,
    })
}

fn parse_stream(field: &str) -> Result<String, Fault> {
    if !valid_stream_name(field) {
        return Err(wrong("stream", field, "a name of 1 to 255 bytes without quote or control character"));
    }
    Ok(field.to_owned())
}

fn parse_time(name: &'static str, field: &str) -> Result<MonoTime, Fault> {
    whole_number(field)
        .map(MonoTime::from_nanos)
        .ok_or_else(|| wrong(name, field, "a whole number of nanoseconds that fits 64 bits"))
}

fn parse_outcome(field: &str) -> Result<Outcome, Fault> {
    Outcome::ALL
        .into_iter()
        .find(|outcome| outcome.as_str() == field)
        .ok_or_else(|| wrong("outcome", field, "delivered, late, expired, dropped or lost"))
}

fn parse_flag(field: &str) -> Result<bool, Fault> {
    match field {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(wrong("warm_up", field, "0 or 1")),
    }
}

/// Digits only: the standard reader would also take a plus sign.
fn whole_number<T: std::str::FromStr>(field: &str) -> Option<T> {
    if field.bytes().all(|byte| byte.is_ascii_digit()) { field.parse().ok() } else { None }
}

fn wrong(field: &'static str, found: &str, expected: &'static str) -> Fault {
    Fault::Field { field, found: found.chars().take(40).collect(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "# tokkyu-records 1\nstream,sequence,capture_ns,arrival_ns,outcome,warm_up\n";

    fn parse_lines(lines: &str) -> Result<Vec<Record>, ParseError> {
        parse(format!("{HEAD}{lines}").as_bytes())
    }

    #[test]
    fn a_file_is_read_line_by_line_as_written() {
        let records =
            parse_lines("camera/1,0,1000,4000,delivered,1\ndrive/command,7,2000,,lost,0\n").unwrap();
        assert_eq!(records.len(), 2);
        assert_eq!(records[0].latency_ns(), Some(3_000));
        assert!(records[0].warm_up);
        assert_eq!(records[1].stream, "drive/command");
        assert_eq!(records[1].arrival, None);
        assert_eq!(records[1].outcome, Outcome::Lost);
    }

    #[test]
    fn a_file_without_records_is_empty_and_not_wrong() {
        assert_eq!(parse_lines(""), Ok(vec![]));
    }

    #[test]
    fn each_malformed_line_is_rejected_with_its_number_and_field() {
        for (line, part) in [
            ("camera/1,0,1,2,delivered", "5 fields"),
            ("camera/1,0,1,2,delivered,0,0", "7 fields"),
            ("camera/1,0,1,2,delivered,0,0,9", "8 fields"),
            ("", "1 fields"),
            (",0,1,2,delivered,0", "stream \"\""),
            ("camera/1,-1,1,2,delivered,0", "sequence \"-1\""),
            ("camera/1,+1,1,2,delivered,0", "sequence \"+1\""),
            ("camera/1,4294967296,1,2,delivered,0", "sequence"),
            ("camera/1,0,,2,delivered,0", "capture_ns \"\""),
            ("camera/1,0,1,18446744073709551616,delivered,0", "arrival_ns"),
            ("camera/1,0,1,2,gone,0", "outcome \"gone\""),
            ("camera/1,0,1,2,delivered,true", "warm_up \"true\""),
            ("camera/1,0,1,2,delivered,0\r", "warm_up"),
        ] {
            let error = parse_lines(&format!("camera/1,0,1,2,delivered,0\n{line}\n")).unwrap_err();
            assert_eq!(error.line, 4, "{line}");
            assert!(error.to_string().contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn a_line_cut_off_by_a_full_disk_is_told_as_such() {
        let error = parse_lines("camera/1,0,1,2,delivered,0\ncamera/1,1,1,").unwrap_err();
        assert_eq!(error, ParseError { line: 4, fault: Fault::CutOff });
    }

    #[test]
    fn a_newer_format_is_refused_and_says_what_to_do() {
        let error = parse(b"# tokkyu-records 2\nanything\n").unwrap_err();
        assert_eq!(error, ParseError { line: 1, fault: Fault::NewerVersion(2) });
        assert!(error.to_string().contains("use a newer tokkyu"), "{error}");
    }

    #[test]
    fn other_files_are_refused_at_their_first_lines() {
        for (bytes, line, fault) in [
            (&b""[..], 1, Fault::NoVersion),
            (b"{\"format\": 1}\n", 1, Fault::NoVersion),
            (b"# tokkyu-records 0\n", 1, Fault::NoVersion),
            (b"# tokkyu-records 1\n", 2, Fault::NoHeader),
            (b"# tokkyu-records 1\ncamera/1,0,1,2,delivered,0\n", 2, Fault::NoHeader),
            (b"# tokkyu-records 1", 1, Fault::CutOff),
            (b"\xff\xfe\n", 1, Fault::NotText),
        ] {
            assert_eq!(parse(bytes).unwrap_err(), ParseError { line, fault });
        }
    }
}
