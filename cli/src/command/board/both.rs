//! A machine with two systems, RTOS and Linux, that is looked at while it runs.

use std::fmt::Display;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Child;
use std::thread::{JoinHandle, spawn};

use tempfile::TempDir;
use tokkyu_drive::program::ExitCode;
use tokkyu_monitor_core::{Range, TOLD_BYTES};
use tokkyu_monitor_statistics::Look;

use super::beside::Beside;
use super::qmp::Qmp;
use crate::exit::Failure;
use crate::output::say;

/// A line of Linux's may be longer: it is told in parts.
const LINE_BYTES: u64 = 4096;

/// It.
#[derive(Debug)]
pub struct Both {
    machine: Machine,
    qmp: Qmp,
    /// Memory that both systems have.
    shared: Range,
    folder: TempDir,
}

/// Ends with whoever has it, and its last words are told then.
#[derive(Debug)]
struct Machine {
    qemu: Child,
    words: Vec<JoinHandle<()>>,
}

impl Drop for Machine {
    fn drop(&mut self) {
        // It has no state that could be lost.
        let _ = self.qemu.kill();
        let _ = self.qemu.wait();
        for words in self.words.drain(..) {
            let _ = words.join();
        }
    }
}

impl Machine {
    fn new(mut qemu: Child, quiet: bool) -> Machine {
        let tell = move |line: String| {
            if !quiet {
                say(&line);
            }
        };
        let linux = qemu.stdout.take().map(|words| spawn(move || pass_on(words, tell)));
        let rtos = qemu.stderr.take().map(|words| spawn(move || pass_on(words, tell)));
        Machine { qemu, words: linux.into_iter().chain(rtos).collect() }
    }
}

fn failed(error: impl Display) -> Failure {
    Failure::new(ExitCode::Failed, error)
}

impl Both {
    /// Starts it. The words of both come to standard error, or nowhere.
    ///
    /// # Errors
    /// A file is missing or of no use; QEMU is not there.
    pub fn start(beside: &Beside, image: &Path, processors: u32, quiet: bool) -> Result<Both, Failure> {
        let shared = beside.shared().ok_or_else(|| failed("that memory is too small for two systems"))?;
        let folder = tempfile::tempdir().map_err(failed)?;
        let socket = folder.path().join("qmp");
        let machine = Machine::new(beside.start_watched(image, processors, &socket)?, quiet);
        let qmp = Qmp::connect(&socket);
        let qmp = qmp.map_err(|error| failed(format_args!("QEMU is not to be spoken to: {error}")))?;
        Ok(Both { machine, qmp, shared, folder })
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.machine.qemu.try_wait(), Ok(None))
    }

    /// What both tell of themselves now.
    ///
    /// # Errors
    /// The machine has ended.
    pub fn look(&mut self) -> Result<Look, Failure> {
        let file = self.folder.path().join("memory");
        let memory = self.qmp.read_memory(self.shared.base, TOLD_BYTES, &file).map_err(failed)?;
        Ok(Look::read(&memory))
    }
}

/// Whole lines, so that those of two systems are not mixed; to the end in any case, since who writes them would wait.
fn pass_on(words: impl Read, mut tell: impl FnMut(String)) {
    let (mut words, mut line) = (BufReader::new(words), Vec::new());
    while let Ok(1..) = (&mut words).take(LINE_BYTES).read_until(b'\n', &mut line) {
        tell(printable(&line));
        line.clear();
    }
}

/// What a shell there asks a terminal is not for the one here.
fn printable(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_told_in_parts() {
        let mut told = Vec::new();
        let words = [b"one\ntwo".to_vec(), vec![b'.'; 2 * LINE_BYTES as usize]].concat();
        pass_on(&words[..], |line| told.push(line.len() as u64));
        assert_eq!(told, [3, LINE_BYTES, LINE_BYTES, 3]);
    }

    #[test]
    fn nothing_is_asked_of_the_terminal() {
        assert_eq!(printable(b"linux:/# \x1b[6n\r"), "linux:/# [6n");
        assert_eq!(printable(b"\xffwords"), "\u{fffd}words");
    }
}
