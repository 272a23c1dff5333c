//! Reads a configuration file into memory, at most [`MAX_FILE_BYTES`] of it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::{Error, Errors, Log, Position};

/// A robot has tens of flows of a hundred bytes each; what is a thousand times larger is not a configuration (CON-2).
pub const MAX_FILE_BYTES: usize = 1024 * 1024;

/// The text of the file at `path`.
pub(super) fn read(path: &Path) -> Result<String, Errors> {
    let name = path.display().to_string();
    let refuse = |error: std::io::Error| {
        Errors::one(Error::of_file(&name, format!("cannot be read: {error}"), remedy_of(&error)))
    };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(refuse)?;
    file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(refuse)?;
    String::from_utf8(bytes).map_err(|error| not_utf8(&name, error))
}

fn remedy_of(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "give the path of an existing file",
        std::io::ErrorKind::PermissionDenied => "give this user the right to read it",
        std::io::ErrorKind::IsADirectory => "give the path of a file, not of a folder",
        _ => "mend the file or the disk it is on",
    }
}

/// The error stands behind the last character that is text.
fn not_utf8(name: &str, error: std::string::FromUtf8Error) -> Errors {
    let good = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
    let mut log = Log::new(name, &text);
    let what = format!("byte {} of the file is not UTF-8 text", good + 1);
    log.report(Position { line: usize::MAX, column: 1 }, "", what, "save the file as UTF-8");
    match log.finish(None::<()>) {
        Err(errors) => errors,
        Ok(()) => unreachable!("an error was reported, so finish returns it"),
    }
}
