//! The emergency stop on disk: a vehicle's program that begins again stands as the one before left it. SPEC.md DRV-98.
//!
//! Runs in the main thread, a moment after the gate latched. One file for each robot, which is there as long as the stop is
//! latched; what it says is for people.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::safety::{Change, State};
use crate::xdg;

/// The project's folder for what outlives a program: `$XDG_STATE_HOME/tokkyu`, else `$HOME/.local/state/tokkyu` (XDG Base
/// Directory Specification: a relative value counts as not set). `None` where neither is set.
pub fn state_folder() -> Option<PathBuf> {
    xdg::folder(|name| std::env::var_os(name), "XDG_STATE_HOME", ".local/state")
}

/// See the module.
pub(super) struct Latch {
    file: Option<PathBuf>,
}

impl Latch {
    /// In `folder`, or nowhere; `robot` is the robot's name, which can stand in a file's.
    pub(super) fn new(folder: Option<&Path>, robot: &str) -> Latch {
        Latch { file: folder.map(|folder| folder.join(format!("{robot}.emergency-stop"))) }
    }

    /// Whether a program before this one was stopped and not released. What cannot be seen counts as a stop.
    pub(super) fn is_set(&self) -> bool {
        self.file.as_ref().is_some_and(|file| file.try_exists().unwrap_or(true))
    }

    /// What there is to say of it at the start.
    pub(super) fn notice(&self) -> Option<String> {
        let file = self.file.as_ref().filter(|_| self.is_set())?;
        Some(format!("EMERGENCY STOP from before ({}): the driver's release ends it", file.display()))
    }

    /// The gate changed.
    ///
    /// # Errors
    /// The disk's reason, with the file's name: the stop is latched all the same, as long as the program runs.
    pub(super) fn on_change(&self, change: Change) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let (done, what) = match (change.from, change.to) {
            (_, State::Emergency) => (set(file), "the emergency stop is not kept over a restart"),
            (State::Emergency, _) => (clear(file), "the emergency stop was released, and its file stays"),
            _ => return Ok(()),
        };
        done.map_err(|error| io::Error::new(error.kind(), format!("{what}: {}: {error}", file.display())))
    }
}

fn set(file: &Path) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut text = File::create(file)?;
    text.write_all(b"The driver's emergency stop is latched. It ends by the driver's release, not by removing this file.\n")?;
    text.sync_all()?;
    File::open(folder)?.sync_all()
}

fn clear(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(from: State, to: State) -> Change {
        Change { from, to }
    }

    #[test]
    fn a_stop_is_there_for_the_next_program_until_it_is_released_and_for_no_other_robot() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("not/there/yet");
        let latch = |robot| Latch::new(Some(&folder), robot);
        assert!(!latch("rover").is_set());
        latch("rover").on_change(change(State::Driving, State::Emergency)).unwrap();
        assert!(latch("rover").is_set() && !latch("crane").is_set());
        latch("rover").on_change(change(State::Locked, State::Ready)).unwrap();
        assert!(latch("rover").is_set(), "another change");
        latch("rover").on_change(change(State::Emergency, State::Locked)).unwrap();
        latch("rover").on_change(change(State::Emergency, State::Locked)).unwrap();
        assert!(!latch("rover").is_set());
    }

    #[test]
    fn a_disk_that_cannot_keep_it_is_told_and_one_that_cannot_be_seen_is_a_stop() {
        let home = tempfile::tempdir().unwrap();
        let no_folder = home.path().join("file");
        fs::write(&no_folder, "").unwrap();
        let latch = Latch::new(Some(&no_folder), "rover");
        let error = latch.on_change(change(State::Driving, State::Emergency)).unwrap_err();
        assert!(error.to_string().contains("rover.emergency-stop"), "{error}");
        assert!(latch.is_set() && latch.notice().is_some_and(|words| words.contains("rover")));
        assert!(!Latch::new(None, "rover").is_set());
    }
}
