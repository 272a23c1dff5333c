//! Where a case of the drive experiment keeps what: one folder, everything in it, nothing outside.
//!
//! ```text
//! DIR/robot.yaml                    what both ends declare
//!     vehicle.site.yaml             where the operator is, own key, whom to trust; likewise operator.site.yaml
//!     keys/vehicle.key.pub          made for this run, its private half removed at the end; likewise operator.key.pub
//!     vehicle.csv  operator.csv     raw records of each end
//!     vehicle.json operator.json    summaries of each end
//!     vehicle.log  operator.log     what each end said on standard error
//!     records.csv                   both ends' records joined
//!     beside.csv                    bytes of each TCP flow beside the link, if there were any
//! With bridges the ends' records, summaries and logs are those of their DDS programs, vehicle.cameras.csv, vehicle.command.csv
//! and so on, and of the bridges there are logs, vehicle.bridge.log.
//! With a peer's programs there are neither declaration, site files nor keys: their flags are all they get.
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use crate::wire::End;

use super::error::DriveError;

/// The folder of one case.
#[derive(Clone, Debug)]
pub struct CaseFolder {
    root: PathBuf,
}

impl CaseFolder {
    /// Makes the folder, and what is above it. The path becomes absolute: two programs and their files refer to it.
    ///
    /// # Errors
    /// The file system refuses, or the folder holds a run already, which is never written over.
    pub fn create(root: &Path) -> Result<CaseFolder, DriveError> {
        let refused = |source| DriveError::Folder { path: root.to_path_buf(), source };
        fs::create_dir_all(root).map_err(refused)?;
        let folder = CaseFolder { root: fs::canonicalize(root).map_err(refused)? };
        match CaseFolder::holds_a_run(&folder.root) {
            true => Err(DriveError::Taken { path: root.to_path_buf() }),
            false => Ok(folder),
        }
    }

    /// Whether a folder has files of a run in it.
    pub(super) fn holds_a_run(root: &Path) -> bool {
        let folder = CaseFolder { root: root.to_path_buf() };
        let of_a_run = [
            folder.robot(),
            folder.records(),
            folder.records_of(End::Vehicle),
            folder.records_of(End::Operator),
        ];
        of_a_run.iter().any(|file| file.exists())
    }

    /// The folder itself, absolute.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// The declaration of both ends.
    pub fn robot(&self) -> PathBuf {
        self.root.join("robot.yaml")
    }

    /// What outlives the vehicle's program.
    pub fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    /// Records of both ends, joined.
    pub fn records(&self) -> PathBuf {
        self.root.join("records.csv")
    }

    pub(super) fn beside(&self) -> PathBuf {
        self.root.join("beside.csv")
    }

    pub(super) fn site(&self, end: End) -> PathBuf {
        self.of(end, "site.yaml")
    }

    pub(super) fn keys(&self) -> PathBuf {
        self.root.join("keys")
    }

    pub(super) fn key(&self, end: End) -> PathBuf {
        self.keys().join(format!("{}.key", name_of(end)))
    }

    pub(super) fn records_of(&self, end: End) -> PathBuf {
        self.of(end, "csv")
    }

    pub(super) fn summary_of(&self, end: End) -> PathBuf {
        self.of(end, "json")
    }

    pub(super) fn log_of(&self, end: End) -> PathBuf {
        self.of(end, "log")
    }

    /// A file of one end: `vehicle.cameras.csv` for `cameras.csv`.
    pub(super) fn of(&self, end: End, extension: &str) -> PathBuf {
        self.root.join(format!("{}.{extension}", name_of(end)))
    }
}

/// The end's name, which is also its program's.
pub(super) const fn name_of(end: End) -> &'static str {
    match end {
        End::Vehicle => "vehicle",
        End::Operator => "operator",
    }
}

/// A name that can be part of a file's: `trace:a/b.up` becomes `trace-a-b.up`.
pub fn file_word(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._".contains(c) { c } else { '-' };
    let word: String = name.chars().map(plain).take(80).collect();
    // A leading point would hide the folder, or be the one above.
    word.trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_holds_a_run_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("deep/run");
        let folder = CaseFolder::create(&root).unwrap();
        CaseFolder::create(&root).expect("nothing has been written yet");
        fs::write(folder.robot(), "robot: r").unwrap();
        let error = CaseFolder::create(&root).unwrap_err().to_string();
        assert!(error.contains("deep/run") && error.contains("another folder"), "{error}");
    }

    #[test]
    fn a_networks_name_cannot_lead_out_of_the_folder() {
        assert_eq!(file_word("wan-loss5"), "wan-loss5");
        assert_eq!(file_word("trace:../a b/c.up"), "trace-..-a-b-c.up");
        assert_eq!(file_word("../../etc"), "-..-etc");
    }
}
