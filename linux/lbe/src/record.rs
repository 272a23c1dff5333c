//! What was set up, written down (LBE-105): so that it can be taken back, after a crash too. In `/run`, which a start of the
//! machine empties, as it empties the kernel.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};
use tokkyu_contract::units::BitRate;

use crate::Flow;
use crate::tune::Way;

const FOLDER: &str = "/run/tokkyu/lbe";

/// Writing it down failed.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {source}{}", if source.kind() == io::ErrorKind::PermissionDenied { "; run it as root" } else { "" })]
pub struct RecordError {
    /// Which file or folder.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// Who has set up a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    /// `run`: it takes it back itself.
    Run,
    /// `tune`: it stays.
    Tune,
}

/// How a device was set up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Which way.
    pub way: Way,
    /// Stated rate in bit/s.
    pub rate: Option<u64>,
    /// By whom.
    pub by: Owner,
    /// Name of the root qdisc before, if somebody had set it up; it cannot be brought back.
    pub former: Option<String>,
    /// Flows of the way `htb`; the module has a table of its own.
    #[serde(default)]
    pub flows: Vec<String>,
}

impl Record {
    /// Stated rate.
    pub fn bit_rate(&self) -> Option<BitRate> {
        self.rate.map(BitRate)
    }

    /// Its flows.
    pub fn flows(&self) -> impl Iterator<Item = Flow> {
        self.flows.iter().filter_map(|text| text.parse().ok())
    }
}

/// The records of this network namespace.
#[derive(Clone, Debug)]
pub struct Records {
    folder: PathBuf,
}

/// As long as it lives nobody else sets anything up or takes it back.
pub struct Locked(#[expect(dead_code, reason = "the lock goes with the file")] Flock<File>);

impl Records {
    /// Those of the network namespace of the calling thread.
    pub fn here() -> Records {
        // Such as net:[4026531840]; a kernel without namespaces has one.
        let name = fs::read_link("/proc/thread-self/ns/net").unwrap_or_default();
        let number: String = name.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
        Records { folder: Path::new(FOLDER).join(format!("net-{number}")) }
    }

    /// Name of this network namespace, such as `net-4026531840`.
    pub fn label(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Waits for its turn: one for all network namespaces, as they share the control groups.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn lock(&self) -> Result<Locked, RecordError> {
        self.make_folder()?;
        let path = self.folder.with_file_name("lock");
        let failed = |source| RecordError { path: path.clone(), source };
        let file = File::create(&path).map_err(failed)?;
        let locked = Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| failed(error.into()))?;
        Ok(Locked(locked))
    }

    fn make_folder(&self) -> Result<(), RecordError> {
        fs::create_dir_all(&self.folder).map_err(|source| RecordError { path: self.folder.clone(), source })
    }

    fn path(&self, device: &str) -> PathBuf {
        self.folder.join(format!("{device}.json"))
    }

    /// How this device was set up, if it was.
    pub fn of(&self, device: &str) -> Option<Record> {
        let text = fs::read(self.path(device)).ok()?;
        serde_json::from_slice(&text).ok()
    }

    /// All devices that were set up, by name.
    pub fn all(&self) -> Vec<(String, Record)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| {
            entry.file_name().to_str().and_then(|name| name.strip_suffix(".json")).map(str::to_owned)
        });
        let mut all: Vec<(String, Record)> =
            names.filter_map(|name| self.of(&name).map(|record| (name, record))).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// Writes it down, whole or not at all.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn keep(&self, device: &str, record: &Record) -> Result<(), RecordError> {
        self.make_folder()?;
        let path = self.path(device);
        let failed = |source| RecordError { path: path.clone(), source };
        let text = serde_json::to_vec_pretty(record).map_err(|error| failed(io::Error::other(error)))?;
        let fresh = path.with_extension("new");
        let mut file = File::create(&fresh).map_err(failed)?;
        file.write_all(&text).map_err(failed)?;
        fs::rename(&fresh, &path).map_err(failed)
    }

    /// Forgets all devices, as their namespace ends.
    pub fn forget_all(&self) {
        // As with one.
        let _ = fs::remove_dir_all(&self.folder);
    }

    /// Forgets a device.
    pub fn forget(&self, device: &str) {
        // One that is not there is what is wanted.
        let _ = fs::remove_file(self.path(device));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_kept_and_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records { folder: folder.path().join("net-1") };
        assert!(records.all().is_empty());
        let record = Record {
            way: Way::Htb,
            rate: Some(384_000),
            by: Owner::Run,
            former: Some("cake".to_owned()),
            flows: vec!["*:443".to_owned()],
        };
        records.keep("eth0", &record).unwrap();
        assert_eq!(records.all(), [("eth0".to_owned(), record.clone())]);
        assert_eq!(record.flows().count(), 1);
        records.forget("eth0");
        assert_eq!(records.of("eth0"), None);
    }

    #[test]
    fn what_is_no_record_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records { folder: folder.path().to_owned() };
        fs::write(folder.path().join("eth0.json"), "{\"way\": \"canal\"}").unwrap();
        assert!(records.all().is_empty());
    }

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let records = Records { folder: folder.path().join("net-1") };
        let first = records.lock().unwrap();
        let other = File::create(folder.path().join("lock")).unwrap();
        let Err((other, _)) = Flock::lock(other, FlockArg::LockExclusiveNonblock) else {
            panic!("two hold it")
        };
        drop(first);
        assert!(Flock::lock(other, FlockArg::LockExclusiveNonblock).is_ok());
    }
}
