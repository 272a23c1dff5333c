//! A board whose tasks are looked at while it runs.

use std::fmt::Display;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::spawn;

use clap::Args;
use object::{Object, ObjectSymbol};
use tempfile::TempDir;
use tokkyu_drive::program::ExitCode;

use super::build::Image;
use super::machine::Machine;
use super::qmp::Qmp;
use super::records::{HEADER_BYTES, Header};
use super::run::{told, variable};
use super::timeline::{Names, Timeline};
use crate::exit::Failure;

/// The static that names the rings.
const SYMBOL: &str = "TOKKYU_TRACE";

type Heard = Arc<Mutex<Names>>;

/// Which board.
#[derive(Debug, Args)]
pub struct Which {
    #[command(flatten)]
    image: Image,
    /// Processors of the board
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub processors: u32,
    /// A variable for the nodes, NAME=VALUE without blanks; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub set: Vec<String>,
}

/// A board that runs.
#[derive(Debug)]
pub struct Watched {
    board: Child,
    qmp: Qmp,
    /// Of the header, in the board's memory.
    address: u64,
    names: Heard,
    folder: TempDir,
}

fn failed(error: impl Display) -> Failure {
    Failure::new(ExitCode::Failed, error)
}

impl Which {
    /// Builds the image, with what it takes to be looked at.
    ///
    /// # Errors
    /// It does not build.
    pub fn build(&self) -> Result<PathBuf, Failure> {
        self.image.build_with(&["tokkyu-board/trace"])
    }

    /// Starts an image that has the machine to itself. Its words come to standard error.
    ///
    /// # Errors
    /// QEMU is not there, or the image writes nothing down.
    pub fn start(&self, image: &Path) -> Result<Watched, Failure> {
        let address = address_of(image)?;
        let folder = tempfile::tempdir().map_err(failed)?;
        let socket = folder.path().join("qmp");
        let machine = Machine {
            processors: self.processors,
            arguments: &told(&self.set),
            counts_instructions: false,
            capture: None,
            control: Some(&socket),
        };
        let mut board = machine.start(image, Stdio::piped())?;
        let names = Heard::default();
        if let Some(words) = board.stdout.take() {
            let names = names.clone();
            spawn(move || pass_on(words, &names));
        }
        match Qmp::connect(&socket) {
            Ok(qmp) => Ok(Watched { board, qmp, address, names, folder }),
            Err(error) => {
                let _ = board.kill();
                let _ = board.wait();
                Err(failed(format_args!("QEMU is not to be spoken to: {error}")))
            }
        }
    }
}

/// Words of the board go on to standard error; what it says of its tasks and topics is noted.
fn pass_on(words: ChildStdout, names: &Heard) {
    for line in BufReader::new(words).lines().map_while(Result::ok) {
        if !names.lock().unwrap_or_else(PoisonError::into_inner).hear(&line) {
            drop(writeln!(std::io::stderr(), "{line}"));
        }
    }
}

fn address_of(image: &Path) -> Result<u64, Failure> {
    let wrong = |error: &dyn Display| Failure::usage(format_args!("{}: {error}", image.display()));
    let file = fs::read(image).map_err(|error| wrong(&error))?;
    let file = object::File::parse(&*file).map_err(|error| wrong(&error))?;
    let symbol = file.symbols().find(|symbol| symbol.name() == Ok(SYMBOL));
    let remedy = "it writes nothing down: build it with the feature trace of tokkyu-board";
    symbol.map(|symbol| symbol.address()).ok_or_else(|| wrong(&remedy))
}

impl Watched {
    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.board.try_wait(), Ok(None))
    }

    /// What is known of its tasks now. None: it has not begun.
    ///
    /// # Errors
    /// The board has ended.
    pub fn look(&mut self) -> Result<Option<Timeline>, Failure> {
        let file: PathBuf = self.folder.path().join("memory");
        let memory = self.qmp.read_memory(self.address, HEADER_BYTES, &file).map_err(failed)?;
        let Some(header) = Header::read(&memory) else { return Ok(None) };
        let memory = self.qmp.read_memory(header.address, header.bytes(), &file).map_err(failed)?;
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Some(Timeline::new(&header, &header.records(&memory), names)))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // It has no state that could be lost.
        let _ = self.board.kill();
        let _ = self.board.wait();
    }
}
