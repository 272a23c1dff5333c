//! What was changed, written down before it is (TUNE-20 to TUNE-24).

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use crate::error::TuneError;
use crate::plan::StepName;
use crate::setting::Setting;

const FOLDER: &str = "/var/lib/tokkyu/tune";
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// What was changed of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    /// Version of this format.
    pub format: u32,
    /// Start of the machine at which it was changed.
    pub boot_id: String,
    /// Network namespace, such as `net:[4026531840]`.
    pub namespace: String,
    /// Device.
    pub device: String,
    /// Its hardware address.
    pub address: String,
    /// In the order in which they were changed.
    pub entries: Vec<Entry>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Of which step.
    pub step: StepName,
    /// What.
    #[serde(flatten)]
    pub setting: Setting,
    /// Before.
    pub old: String,
    /// After.
    pub new: String,
    /// How far it is.
    pub state: State,
}

/// How far a change is.
///
/// ```text
///  intended ── written and read back ──► done
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It may have been written or not.
    Intended,
    /// It was written and read back.
    Done,
}

const FORMAT: u32 = 1;

impl Journal {
    /// Of a device that nothing was changed of yet.
    pub(crate) fn new(device: &str, address: &str) -> Journal {
        Journal {
            format: FORMAT,
            boot_id: boot_id(),
            namespace: namespace(),
            device: device.to_owned(),
            address: address.to_owned(),
            entries: Vec::new(),
        }
    }

    /// Whether the machine has been started since; the kernel has then forgotten all of it.
    pub fn is_of_another_start(&self) -> bool {
        self.boot_id != boot_id()
    }
}

fn boot_id() -> String {
    fs::read_to_string(BOOT_ID).unwrap_or_default().trim().to_owned()
}

fn namespace() -> String {
    fs::read_link("/proc/thread-self/ns/net").map(|link| link.display().to_string()).unwrap_or_default()
}

/// The journals of this machine.
#[derive(Clone, Debug)]
pub struct Journals {
    folder: PathBuf,
}

/// As long as it lives nobody else changes anything.
pub(crate) struct Locked(#[expect(dead_code, reason = "the lock goes with the file")] Flock<File>);

impl Journals {
    /// Where they are kept.
    pub fn here() -> Journals {
        Journals { folder: FOLDER.into() }
    }

    /// Elsewhere, for tests.
    pub fn at(folder: &Path) -> Journals {
        Journals { folder: folder.to_owned() }
    }

    /// Does not wait for its turn: who comes second shall know.
    pub(crate) fn lock(&self) -> Result<Locked, TuneError> {
        let path = self.folder.join("lock");
        let failed = |source| TuneError::Journal { path: path.clone(), source };
        fs::create_dir_all(&self.folder).map_err(failed)?;
        let file = File::create(&path).map_err(failed)?;
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(locked) => Ok(Locked(locked)),
            Err((_, Errno::EWOULDBLOCK)) => Err(TuneError::Busy),
            Err((_, error)) => Err(failed(error.into())),
        }
    }

    /// Devices of other network namespaces may have the same name.
    pub(crate) fn path(&self, device: &str) -> PathBuf {
        let number: String = namespace().chars().filter(char::is_ascii_digit).collect();
        self.folder.join(format!("{device}.net-{number}.json"))
    }

    /// The journal of a device of this network namespace, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    pub fn of(&self, device: &str) -> Result<Option<Journal>, TuneError> {
        let path = self.path(device);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(TuneError::Journal { path, source }),
            Ok(text) => text,
        };
        let journal: Journal = serde_json::from_str(&text)
            .map_err(|error| TuneError::Damaged { path: path.clone(), why: error.to_string() })?;
        match journal.format {
            FORMAT => Ok(Some(journal)),
            other => {
                let why = format!("its format is {other}, this program knows {FORMAT}");
                Err(TuneError::Damaged { path, why })
            }
        }
    }

    /// Replaces it whole, and returns when it is on the disk.
    pub(crate) fn keep(&self, journal: &Journal) -> Result<(), TuneError> {
        let path = self.path(&journal.device);
        let failed = |source| TuneError::Journal { path: path.clone(), source };
        let text = serde_json::to_string_pretty(journal).map_err(|error| failed(error.into()))?;
        let new = path.with_extension("new");
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, &path)?;
            File::open(&self.folder)?.sync_all()
        };
        write().map_err(failed)
    }

    /// Forgets it.
    pub(crate) fn remove(&self, device: &str) -> Result<(), TuneError> {
        let path = self.path(device);
        fs::remove_file(&path).map_err(|source| TuneError::Journal { path, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> Journal {
        let setting = Setting::File { path: "/sys/x".to_owned() };
        let entry = Entry {
            step: StepName::Bql,
            setting,
            old: "0".to_owned(),
            new: "1".to_owned(),
            state: State::Intended,
        };
        Journal { entries: vec![entry], ..Journal::new("eth0", "02:00:00:00:00:01") }
    }

    #[test]
    fn a_journal_is_read_as_it_was_kept() {
        let folder = tempfile::tempdir().unwrap();
        let journals = Journals::at(folder.path());
        assert_eq!(journals.of("eth0").unwrap(), None);
        let mut kept = journal();
        journals.keep(&kept).unwrap();
        kept.entries[0].state = State::Done;
        journals.keep(&kept).unwrap();
        assert_eq!(journals.of("eth0").unwrap(), Some(kept.clone()));
        assert!(!kept.is_of_another_start());
        journals.remove("eth0").unwrap();
        assert_eq!(journals.of("eth0").unwrap(), None);
    }

    #[test]
    fn what_is_no_journal_is_refused_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let journals = Journals::at(folder.path());
        for text in ["{", "{}", &serde_json::to_string(&Journal { format: 2, ..journal() }).unwrap()] {
            fs::write(journals.path("eth0"), text).unwrap();
            let error = journals.of("eth0").unwrap_err().to_string();
            assert!(error.contains("eth0.net-") && error.contains("remove the file"), "{error}");
        }
    }

    #[test]
    fn the_second_does_not_wait() {
        let folder = tempfile::tempdir().unwrap();
        let journals = Journals::at(folder.path());
        let first = journals.lock().unwrap();
        assert!(matches!(journals.lock(), Err(TuneError::Busy)));
        drop(first);
        journals.lock().unwrap();
    }
}
