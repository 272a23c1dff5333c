//! A QEMU with an image of the kernel, and the lines that it writes.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::built::built_folder;
use crate::orphan::ends_with_its_starter;

/// The program, of whatever version: only one processor of a machine runs at a time.
const QEMU: &str = "qemu-system-aarch64";
/// Where images look for what they are given (`rtos/ttsp/board/src/lives.rs`).
const GIVEN_AT: &str = "0x41000000";
/// A line that is longer is cut.
const LINE_MAX_BYTES: u64 = 4096;
/// Lines that wait to be read.
const LINES_MAX: usize = 1024;
/// A scenario takes a twentieth of a second, all figures a second. An image itself ends what goes on for ever; this is for what ends the
/// image.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is missing for a machine.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// There is no image.
    #[error("{}: no image of the kernel there; rtos/build --install makes it", path.display())]
    NoImage {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// QEMU cannot be started, or its plans not be written.
    #[error("{QEMU}: {0}; rtos/build --install brings it (Debian: qemu-system-arm)")]
    Qemu(#[from] io::Error),
}

/// What a machine is made of.
#[derive(Clone, Debug)]
pub struct Machine {
    image: PathBuf,
}

/// What a machine's time does while all of its processors rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idle {
    /// It goes on with this machine's.
    Waits,
    /// It jumps to when something is due: where programs rest for a time, counts are the same each time only so.
    Jumps,
}

impl Idle {
    fn icount(self) -> &'static str {
        match self {
            Idle::Waits => "shift=0",
            Idle::Jumps => "shift=0,sleep=off",
        }
    }
}

impl Machine {
    /// Looks for QEMU and an image, as `rtos/build` names it.
    ///
    /// # Errors
    /// [`MachineError`] with the remedy.
    pub fn find(image: &str) -> Result<Machine, MachineError> {
        let image = built_folder("TOKKYU_RTOS", "rtos-images").join(image);
        if !image.is_file() {
            return Err(MachineError::NoImage { path: image });
        }
        Command::new(QEMU).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        Ok(Machine { image })
    }

    /// What it runs.
    pub fn image(&self) -> &Path {
        &self.image
    }

    /// Begins with so many processors, and with bytes that the image finds in memory.
    ///
    /// # Errors
    /// [`MachineError::Qemu`]
    pub(crate) fn begin(&self, processors: u32, idle: Idle, given: &[u8]) -> Result<Running, MachineError> {
        let folder = Folder::make()?;
        let file = folder.0.join("given");
        fs::write(&file, given)?;
        let file = file.display().to_string().replace(',', ",,");
        let mut command = Command::new(QEMU);
        command
            .args(["-M", "virt,gic-version=3", "-cpu", "cortex-a53,cntfrq=1000000000"])
            .args(["-smp", &processors.to_string()])
            .args(["-m", "128M", "-display", "none", "-monitor", "none", "-serial", "stdio"])
            .args(["-semihosting-config", "enable=on,target=native", "-icount", idle.icount(), "-kernel"])
            .arg(&self.image)
            .arg("-device")
            .arg(format!("loader,file={file},addr={GIVEN_AT},force-raw=on"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = ends_with_its_starter(&mut command, Signal::SIGKILL).spawn()?;
        let words = child.stdout.take().map(BufReader::new);
        let (tell, lines) = sync_channel(LINES_MAX);
        // Ends with the pipe, which ends with the program, or when nobody listens any more.
        thread::spawn(move || {
            let Some(mut words) = words else { return };
            while let Some(line) = line(&mut words) {
                if tell.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Running { child, lines, _folder: folder })
    }
}

/// Not longer than it may be: the rest is one more line.
fn line(words: &mut BufReader<ChildStdout>) -> Option<String> {
    let mut bytes = Vec::new();
    match words.by_ref().take(LINE_MAX_BYTES).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&bytes).trim_end().to_owned()),
    }
}

/// What a machine says next.
#[derive(Debug)]
pub(crate) enum Said {
    Line(String),
    /// It has ended.
    End,
    /// Nothing for a minute.
    Nothing,
}

/// A machine that runs. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    lines: Receiver<String>,
    _folder: Folder,
}

impl Running {
    pub(crate) fn next(&self) -> Said {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Said::Line(line),
            Err(RecvTimeoutError::Disconnected) => Said::End,
            Err(RecvTimeoutError::Timeout) => Said::Nothing,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A folder of this run's own.
#[derive(Debug)]
struct Folder(PathBuf);

impl Folder {
    fn make() -> io::Result<Folder> {
        let mut number = 0;
        loop {
            let path = std::env::temp_dir().join(format!("tokkyu-rtos-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                made => return made.map(|()| Folder(path)),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
