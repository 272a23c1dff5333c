//! What is done: found and planned, applied, compared, repaired, taken back.

use std::io;

use serde::{Deserialize, Serialize};

use crate::error::TuneError;
use crate::host::{self, Host};
use crate::journal::{Entry, Journal, Journals, State};
use crate::plan::{Plan, StepName, Wish, plan};
use crate::setting::Setting;

/// A host and what is to be done there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was found.
    pub host: Host,
    /// What is to be done.
    pub plan: Plan,
}

/// Looks, and plans. Changes nothing.
///
/// # Errors
/// There is no such device; what is wished for is unsafe here.
pub fn find(device: &str, wish: &Wish) -> Result<Finding, TuneError> {
    let host = host::look(device)?;
    let plan = plan(&host, wish)?;
    Ok(Finding { host, plan })
}

/// Does what is planned, one change after the other, each written down before. If one fails, those before are taken back.
///
/// # Errors
/// It is tuned already; a change is refused or not kept; the journal cannot be written. The device is then as it was.
pub fn apply(finding: &Finding, journals: &Journals) -> Result<Journal, TuneError> {
    let device = &finding.host.device;
    let _locked = journals.lock()?;
    match journals.of(device)? {
        Some(journal) if !journal.is_of_another_start() => return Err(TuneError::Tuned(device.clone())),
        _ => {}
    }
    let mut journal = Journal::new(device, &finding.host.address);
    for step in &finding.plan.steps {
        for change in &step.changes {
            let made = make(&mut journal, journals, step.step, &change.setting, &change.value);
            if let Err(error) = made {
                take_back(&journal, journals)?;
                return Err(error);
            }
        }
    }
    Ok(journal)
}

fn make(
    journal: &mut Journal,
    journals: &Journals,
    step: StepName,
    setting: &Setting,
    value: &str,
) -> Result<(), TuneError> {
    let failed = |source| TuneError::Setting { setting: setting.to_string(), source };
    let old = setting.read().map_err(failed)?;
    let entry = Entry { step, setting: setting.clone(), old, new: value.to_owned(), state: State::Intended };
    journal.entries.push(entry);
    journals.keep(journal)?;
    write_and_read(setting, value)?;
    if let Some(entry) = journal.entries.last_mut() {
        entry.state = State::Done;
    }
    journals.keep(journal)
}

fn write_and_read(setting: &Setting, value: &str) -> Result<(), TuneError> {
    let failed = |source| TuneError::Setting { setting: setting.to_string(), source };
    setting.write(value).map_err(failed)?;
    let found = setting.read().map_err(failed)?;
    match found == value {
        true => Ok(()),
        false => Err(TuneError::NotKept { setting: setting.to_string(), wanted: value.to_owned(), found }),
    }
}

/// What became of a change that was to be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reverted {
    /// What.
    #[serde(flatten)]
    pub setting: Setting,
    /// Before it was tuned.
    pub old: String,
    /// What became of it.
    pub was: Was,
}

/// What became of a change that was to be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Was {
    /// It has the old value again.
    Restored,
    /// It had the old value already.
    AsBefore,
    /// Somebody else has given it this value, which it keeps.
    Changed(String),
    /// It is not there any more.
    Gone,
    /// The machine has been started since: the kernel has forgotten it.
    Forgotten,
}

/// Takes all of it back, last change first, and forgets it (TUNE-22).
///
/// # Errors
/// There is nothing to take back; another device has the name; a value is refused: the journal then stays.
pub fn revert(device: &str, journals: &Journals) -> Result<Vec<Reverted>, TuneError> {
    let _locked = journals.lock()?;
    let journal = journals.of(device)?.ok_or_else(|| TuneError::NotTuned(device.to_owned()))?;
    if journal.is_of_another_start() {
        journals.remove(device)?;
        return from_last(&journal, |_| Ok(Was::Forgotten));
    }
    same_device(&journal, journals)?;
    take_back(&journal, journals)
}

/// What [`revert`] would do now; nothing is changed and nothing forgotten.
///
/// # Errors
/// There is nothing to take back; another device has the name; a value cannot be read.
pub fn foresee_revert(device: &str, journals: &Journals) -> Result<Vec<Reverted>, TuneError> {
    let journal = journals.of(device)?.ok_or_else(|| TuneError::NotTuned(device.to_owned()))?;
    if journal.is_of_another_start() {
        return from_last(&journal, |_| Ok(Was::Forgotten));
    }
    same_device(&journal, journals)?;
    from_last(&journal, foreseen)
}

/// Each change, the last one first, up to the first that fails.
fn from_last(
    journal: &Journal,
    what: impl Fn(&Entry) -> io::Result<Was>,
) -> Result<Vec<Reverted>, TuneError> {
    let one = |entry: &Entry| {
        let was = what(entry)
            .map_err(|source| TuneError::Setting { setting: entry.setting.to_string(), source })?;
        Ok(Reverted { setting: entry.setting.clone(), old: entry.old.clone(), was })
    };
    journal.entries.iter().rev().map(one).collect()
}

/// One that is gone is no other.
fn same_device(journal: &Journal, journals: &Journals) -> Result<(), TuneError> {
    let Ok(host) = host::look(&journal.device) else { return Ok(()) };
    match host.address == journal.address {
        true => Ok(()),
        false => Err(TuneError::OtherDevice {
            device: journal.device.clone(),
            was: journal.address.clone(),
            is: host.address,
            path: journals.path(&journal.device),
        }),
    }
}

fn take_back(journal: &Journal, journals: &Journals) -> Result<Vec<Reverted>, TuneError> {
    let all = from_last(journal, take_back_one)?;
    if !journal.entries.is_empty() {
        journals.remove(&journal.device)?;
    }
    Ok(all)
}

fn take_back_one(entry: &Entry) -> io::Result<Was> {
    match foreseen(entry)? {
        Was::Restored => match entry.setting.write(&entry.old) {
            Err(error) if is_gone(&error) => Ok(Was::Gone),
            written => written.map(|()| Was::Restored),
        },
        other => Ok(other),
    }
}

/// What becomes of a change when it is taken back now.
fn foreseen(entry: &Entry) -> io::Result<Was> {
    match entry.setting.read() {
        Err(error) if is_gone(&error) => Ok(Was::Gone),
        Err(error) => Err(error),
        Ok(now) if now == entry.old => Ok(Was::AsBefore),
        Ok(now) if now != entry.new => Ok(Was::Changed(now)),
        Ok(_) => Ok(Was::Restored),
    }
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
        || matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ENXIO))
}

/// A change and what is there now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// What was changed.
    #[serde(flatten)]
    pub entry: Entry,
    /// Its value now; `None`: it is not there any more.
    pub now: Option<String>,
}

impl Compared {
    /// Whether it is as it was set.
    pub fn is_kept(&self) -> bool {
        self.now.as_ref() == Some(&self.entry.new)
    }
}

/// Compares each change with what is there now.
///
/// # Errors
/// It is not tuned; a value cannot be read.
pub fn status(device: &str, journals: &Journals) -> Result<Vec<Compared>, TuneError> {
    let journal = journals.of(device)?.ok_or_else(|| TuneError::NotTuned(device.to_owned()))?;
    journal.entries.into_iter().map(compare).collect()
}

fn compare(entry: Entry) -> Result<Compared, TuneError> {
    match entry.setting.read() {
        Ok(now) => Ok(Compared { entry, now: Some(now) }),
        Err(error) if is_gone(&error) => Ok(Compared { entry, now: None }),
        Err(source) => Err(TuneError::Setting { setting: entry.setting.to_string(), source }),
    }
}

/// Sets again what is not as it was set, as after the link was down; tells what that was.
///
/// # Errors
/// As [`apply`]; what was set again before stays.
pub fn repair(device: &str, journals: &Journals) -> Result<Vec<Compared>, TuneError> {
    let _locked = journals.lock()?;
    let journal = journals.of(device)?.ok_or_else(|| TuneError::NotTuned(device.to_owned()))?;
    same_device(&journal, journals)?;
    let mut set = Vec::new();
    for compared in status(device, journals)? {
        if !compared.is_kept() && compared.now.is_some() {
            write_and_read(&compared.entry.setting, &compared.entry.new)?;
            set.push(compared);
        }
    }
    Ok(set)
}
