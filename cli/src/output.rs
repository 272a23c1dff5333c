//! Text and JSON on their way out: standard output, a file, or both.
//!
//! Invariant: with `--json -` standard output holds the JSON and nothing else; what is meant for people then goes to
//! standard error.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
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

/// `--json [FILE]`, the same for every command that tells something.
#[derive(Clone, Debug, Default, Args)]
pub struct Json {
    /// JSON to standard output in place of text; with FILE, whose name ends in .json, text and JSON to that file, replacing it
    #[arg(id = "json", long = "json", value_name = "FILE", num_args = 0..=1, default_missing_value = "-", value_parser = json_to)]
    to: Option<JsonTo>,
}

/// A word behind `--json` may be meant for something else: no other file is written over.
fn json_to(word: &str) -> Result<JsonTo, String> {
    match word {
        "-" => Ok(JsonTo::Stdout),
        _ if word.ends_with(".json") => Ok(JsonTo::File(word.into())),
        _ => Err("the name of a file for JSON ends in .json; for standard output put --json last, or give --json=-".to_owned()),
    }
}

impl Json {
    /// Where it goes, if it is wanted.
    pub fn to(&self) -> Option<&JsonTo> {
        self.to.as_ref()
    }

    /// Text for people, JSON for programs, where each is wanted.
    ///
    /// # Errors
    /// The disk or the reader of standard output refuses.
    pub fn show(&self, text: &str, told: &impl Serialize) -> Result<(), Failure> {
        if self.to != Some(JsonTo::Stdout) {
            print(text)?;
        }
        let Some(to) = &self.to else { return Ok(()) };
        let value = serde_json::to_value(told)
            .map_err(|error| Failure::new(ExitCode::NotWritten, format_args!("no JSON: {error}")))?;
        to.write(&value)
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

/// A line for whoever waits, on standard error. `eprintln!` would end the program when that is a file on a full disk.
pub fn say(line: &str) {
    // Nobody is left to take an error of standard error.
    let _ = writeln!(io::stderr().lock(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_behind_json_that_is_no_file_for_it_is_refused() {
        assert_eq!(json_to("-"), Ok(JsonTo::Stdout));
        assert_eq!(json_to("a/b.json"), Ok(JsonTo::File("a/b.json".into())));
        for other in ["robot.yaml", "json", "", "result.json.md"] {
            assert!(json_to(other).unwrap_err().contains(".json"), "{other}");
        }
    }
}
