//! What a run leaves: the records file (LOCAL-30) and one line of JSON on standard output (LOCAL-31).

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use crate::arguments::Arguments;
use crate::board::Board;

/// The version that Cargo.toml asks for, and no other.
const ICEORYX2_VERSION: &str = "0.10.0";

/// A file that was not there before. It is taken back unless it was written.
pub struct RecordsFile {
    path: PathBuf,
    file: Option<File>,
}

impl RecordsFile {
    /// # Errors
    /// The file is there already, or cannot be made.
    pub fn new(path: &PathBuf) -> io::Result<RecordsFile> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        Ok(RecordsFile { path: path.clone(), file: Some(file) })
    }

    /// # Errors
    /// The file could not be written.
    pub fn write(mut self, board: &Board, arguments: &Arguments) -> io::Result<()> {
        let Some(file) = self.file.as_mut() else { return Ok(()) };
        file.write_all(lines(board, arguments).as_bytes())?;
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
fn recorded(arguments: &Arguments) -> std::ops::Range<u32> {
    arguments.warm_up..arguments.all_samples()
}

fn lines(board: &Board, arguments: &Arguments) -> String {
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
pub fn summary(board: &Board, arguments: &Arguments) -> String {
    let published = recorded(arguments).filter(|number| board.sent_ns(*number) != 0).count();
    let received = recorded(arguments).filter(|number| board.received_ns(*number) != 0).count();
    format!(
        "{{\"peer\":\"iceoryx2\",\"bytes\":{},\"copies\":0,\"processes\":2,\"published\":{published},\
         \"received\":{received},\"wrong\":{},\"library\":\"iceoryx2\",\"version\":\"{ICEORYX2_VERSION}\"}}",
        arguments.bytes,
        board.wrong()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::tests::arguments;
    use crate::payload;

    #[test]
    fn the_version_is_the_one_that_is_built_in() {
        let wanted = format!("iceoryx2 = \"={ICEORYX2_VERSION}\"");
        assert!(include_str!("../Cargo.toml").contains(&wanted), "{wanted}");
    }

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
        let summary = summary(&board, &arguments);
        assert!(summary.contains("\"published\":4,\"received\":3,\"wrong\":0,"), "{summary}");
    }
}
