//! What a run leaves: the records file (LOCAL-30) and one line of JSON on standard output (LOCAL-31).

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::board::Board;
use crate::failure::Failure;

/// Who was measured.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Its name in results.
    pub peer: &'static str,
    /// Of the payload, after it was filled.
    pub copies: u32,
    /// One process means two threads of it.
    pub processes: u32,
    /// What carries the samples.
    pub library: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Standard output as the program was given it. What a library prints there from then on goes to standard error (LOCAL-23), and
/// the line of the summary stands alone.
#[derive(Debug)]
pub struct Output {
    given: File,
}

impl Output {
    /// # Errors
    /// Standard output or standard error is closed.
    pub fn take() -> Result<Output, Failure> {
        let taken = io::stdout().as_fd().try_clone_to_owned().and_then(|given| {
            // SAFETY: both descriptors are open, as long as the process has them; what is replaced was duplicated.
            match unsafe { libc::dup2(io::stderr().as_raw_fd(), io::stdout().as_raw_fd()) } {
                -1 => Err(io::Error::last_os_error()),
                _ => Ok(Output { given: given.into() }),
            }
        });
        taken.map_err(|error| {
            Failure(format!("standard output or standard error: {error} (both must be open)"))
        })
    }

    /// # Errors
    /// It cannot be written.
    pub fn print(mut self, line: &str) -> Result<(), Failure> {
        self.given
            .write_all(format!("{line}\n").as_bytes())
            .map_err(|error| Failure(format!("the summary could not be written to standard output: {error}")))
    }
}

/// A file that was not there before. It is taken back unless it was written.
#[derive(Debug)]
pub struct RecordsFile {
    path: PathBuf,
    file: Option<File>,
}

impl RecordsFile {
    /// # Errors
    /// The file is there already, or cannot be made.
    pub fn create(path: &Path) -> Result<RecordsFile, Failure> {
        match OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(file) => Ok(RecordsFile { path: path.to_path_buf(), file: Some(file) }),
            Err(error) => Err(Failure(format!(
                "--records {}: {error} (give a file that is not there yet)",
                path.display()
            ))),
        }
    }

    /// # Errors
    /// The file could not be written; it is gone then.
    pub fn write(mut self, lines: &str) -> Result<(), Failure> {
        let Some(file) = self.file.as_mut() else { return Ok(()) };
        file.write_all(lines.as_bytes()).map_err(|error| {
            Failure(format!("--records {} could not be written: {error}", self.path.display()))
        })?;
        self.file = None;
        Ok(())
    }
}

impl Drop for RecordsFile {
    fn drop(&mut self) {
        if self.file.is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Numbers of the samples that are recorded.
fn recorded(arguments: &Arguments) -> Range<u32> {
    arguments.warm_up..arguments.all_samples()
}

/// The records file's text.
pub fn lines(board: &Board, arguments: &Arguments) -> String {
    let mut text = String::from("sequence sent_ns received_ns returned_ns\n");
    for number in recorded(arguments).filter(|number| board.sent_ns(*number) != 0) {
        let [sent_ns, received_ns, returned_ns] =
            [Board::sent_ns, Board::received_ns, Board::returned_ns].map(|of| of(board, number));
        // Writing to a string does not fail.
        let _ = writeln!(text, "{} {sent_ns} {received_ns} {returned_ns}", number - arguments.warm_up);
    }
    text
}

/// The line on standard output.
pub fn summary(described: &Description, board: &Board, arguments: &Arguments) -> String {
    let published = recorded(arguments).filter(|number| board.sent_ns(*number) != 0).count();
    let received = recorded(arguments).filter(|number| board.received_ns(*number) != 0).count();
    let Description { peer, copies, processes, library, version } = described;
    format!(
        "{{\"peer\":\"{peer}\",\"bytes\":{},\"copies\":{copies},\"processes\":{processes},\"published\":{published},\
         \"received\":{received},\"wrong\":{},\"library\":\"{library}\",\"version\":\"{version}\"}}",
        arguments.bytes,
        board.wrong()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::tests::arguments;
    use crate::payload;

    const SOMEBODY: Description =
        Description { peer: "p", copies: 1, processes: 2, library: "l", version: "v" };

    #[test]
    fn what_warms_up_is_left_out_and_what_is_lost_has_no_arrival() {
        // Two samples warm up, five are recorded; the last was never sent.
        let arguments = arguments("--bytes", "64").unwrap();
        let board = Board::new(&arguments).unwrap();
        for number in 0..6 {
            let at_ns = 100 * (u64::from(number) + 1);
            let mut bytes = [0; 64];
            payload::fill(&mut bytes, number);
            payload::stamp(&mut bytes, at_ns);
            board.sent(number, at_ns);
            if number != 4 {
                board.returned(number, at_ns + 2);
            }
            if number != 3 {
                board.arrived(&bytes, at_ns + 7);
            }
        }
        let wanted = "sequence sent_ns received_ns returned_ns\n0 300 307 302\n1 400 0 402\n2 500 507 0\n3 600 607 602\n";
        assert_eq!(lines(&board, &arguments), wanted);
        let told = summary(&SOMEBODY, &board, &arguments);
        let wanted = "{\"peer\":\"p\",\"bytes\":64,\"copies\":1,\"processes\":2,\"published\":4,\"received\":3,\
                      \"wrong\":0,\"library\":\"l\",\"version\":\"v\"}";
        assert_eq!(told, wanted);
    }

    #[test]
    fn a_file_that_is_there_is_not_touched_and_one_that_was_not_written_is_taken_back() {
        let folder = std::env::temp_dir().join(format!("tokkyu-records-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let path = folder.join("r");
        drop(RecordsFile::create(&path).unwrap());
        assert!(!path.exists());
        RecordsFile::create(&path).unwrap().write("dear to somebody").unwrap();
        assert!(RecordsFile::create(&path).unwrap_err().to_string().contains("--records"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "dear to somebody");
        fs::remove_dir_all(&folder).unwrap();
    }
}
