//! Text and JSON on their way out: standard output, a file, or both.
//!
//! Invariant: with `--json -` standard output holds the JSON and nothing else; what is meant for people then goes to
//! standard error.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tokkyu_drive::program::ExitCode;
use tokkyu_measure::storage;

use crate::exit::Failure;

/// Where `--json` goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonTo {
    /// `-`.
    Stdout,
    /// A file.
    File(PathBuf),
}

impl From<&str> for JsonTo {
    fn from(word: &str) -> JsonTo {
        if word == "-" { JsonTo::Stdout } else { JsonTo::File(word.into()) }
    }
}

impl JsonTo {
    /// The file, if it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            JsonTo::Stdout => None,
            JsonTo::File(path) => Some(path),
        }
    }

    /// Writes `value` there, a file whole or not at all.
    ///
    /// # Errors
    /// The disk or the reader of standard output refuses.
    pub fn write(&self, value: &serde_json::Value) -> Result<(), Failure> {
        let text = format!("{value:#}\n");
        match self {
            JsonTo::Stdout => print(&text),
            JsonTo::File(path) => Ok(storage::replace(path, text.as_bytes())?),
        }
    }
}

/// Text for people: to standard output, or to standard error when that belongs to JSON.
///
/// # Errors
/// Standard output cannot be written.
pub fn tell(json: Option<&JsonTo>, text: &str) -> Result<(), Failure> {
    match json {
        Some(JsonTo::Stdout) => {
            say(text.trim_end_matches('\n'));
            Ok(())
        }
        _ => print(text),
    }
}

/// Writes to standard output. A reader that has seen enough (`| head`) is no failure.
///
/// # Errors
/// Anything else that keeps it from being written, such as a full disk behind a redirection.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(ExitCode::NotWritten, format_args!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// As JSON on standard output.
pub fn print_json(told: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(told)
        .map_err(|error| Failure::new(ExitCode::NotWritten, format_args!("no JSON: {error}")))?;
    print(&format!("{text}\n"))
}

/// A line for whoever waits, on standard error. `eprintln!` would end the program when that is a file on a full disk.
pub fn say(line: &str) {
    // Nobody is left to take an error of standard error.
    let _ = writeln!(io::stderr().lock(), "{line}");
}
