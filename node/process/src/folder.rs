//! Where the files of topics lie (NODE-71).
//!
//! ```text
//! /dev/shm/tokkyu-GROUP/TOPIC/lender     locked by the publisher's process as long as the topic lives
//! /dev/shm/tokkyu-GROUP/TOPIC/end-ID     locked by the process of each end, the publisher's too
//! /dev/shm/tokkyu-GROUP/TOPIC/nodes, services   iceoryx2's
//! /dev/shm/tokkyu_GROUP_TOPIC_*          its slots and queues
//! ```
//!
//! Every topic has all of its files by itself: when its publisher is dead they can all be removed, whatever state they are in. All lie in one file
//! system, so that a process that sees one sees the others, and nothing outlives the machine's boot. Folders are 0700, files 0700 or less.

use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use iceoryx2::prelude::{Config, FileName, LogLevel, SemanticString, set_log_level};

use crate::{ProcessError, unguessable};

const SHARED: &str = "/dev/shm";
/// So that no path of iceoryx2's is longer than the 255 bytes that it allows.
const LONGEST_GROUP: usize = 16;
/// Topics that end in the same moment, each of them the last.
const TRIES: u32 = 1000;

/// The files of one topic.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    /// How the names of slots and queues begin, and those of iceoryx2's other files.
    pub(crate) prefix: String,
}

impl Folder {
    /// That of the topic with this name, if it is one; it may not be there.
    pub(crate) fn of(name: &str) -> Result<Option<Folder>, ProcessError> {
        let Some(topic) = unguessable::secret_of(name) else { return Ok(None) };
        Ok(Some(Folder::new(&group()?, topic)))
    }

    fn new(group: &str, topic: &str) -> Folder {
        let path = Path::new(SHARED).join(format!("tokkyu-{group}")).join(topic);
        Folder { path, prefix: format!("tokkyu_{group}_{topic}_") }
    }

    /// Makes it for a new topic.
    pub(crate) fn make(name: &str) -> Result<Folder, ProcessError> {
        let group = group_folder(&group()?);
        let folder = Folder::of(name)?.ok_or_else(|| ProcessError::Gone(name.into()))?;
        make_both(&group, &folder.path)?;
        Ok(folder)
    }

    /// Those of all topics of the group.
    pub(crate) fn all() -> Result<Vec<Folder>, ProcessError> {
        let group = group()?;
        let topics = entries(&group_folder(&group));
        Ok(topics.map(|topic| Folder::new(&group, &topic.file_name().to_string_lossy())).collect())
    }

    /// What iceoryx2 is told. It reads no file of settings.
    pub(crate) fn config(&self) -> Result<Config, ProcessError> {
        // It has no logger; and if another crate of the program brings one, it stays silent.
        set_log_level(LogLevel::Fatal);
        let mut config = Config::default();
        let path = iceoryx2::prelude::Path::new(self.path.as_os_str().as_encoded_bytes());
        config.global.set_root_path(&path.map_err(ProcessError::shared("the topic's folder"))?);
        config.global.prefix = FileName::new(self.prefix.as_bytes())
            .map_err(ProcessError::shared("the prefix of the topic's files"))?;
        // How long it waits for another process that is making something: that one is about to be done, or dead.
        config.global.creation_timeout = Duration::from_millis(200);
        // It may hang at what a process has left that was killed in the wrong moment; `dead` does it.
        config.global.node.cleanup_dead_nodes_on_creation = false;
        config.global.node.cleanup_dead_nodes_on_destruction = false;
        config.global.service.cleanup_dead_nodes_on_open = false;
        Ok(config)
    }

    /// The publisher's lock.
    pub(crate) fn lender(&self) -> PathBuf {
        self.path.join("lender")
    }

    /// Where iceoryx2 has files of each end.
    pub(crate) fn nodes(&self) -> PathBuf {
        self.path.join("nodes")
    }

    /// The topic's slots and queues.
    pub(crate) fn shared(&self) -> impl Iterator<Item = DirEntry> {
        entries(Path::new(SHARED))
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(&self.prefix))
    }

    /// Removes all of it. Who has something of it mapped keeps that.
    pub(crate) fn remove(&self) {
        self.shared().for_each(|entry| remove_entry(&entry));
        // The lock last: until then others know whose it is.
        entries(&self.path)
            .filter(|entry| entry.file_name() != "lender")
            .for_each(|entry| remove_entry(&entry));
        let _ = fs::remove_dir_all(&self.path);
        // The group's too, once it is empty.
        self.path.parent().into_iter().for_each(|group| drop(fs::remove_dir(group)));
    }
}

/// Which processes find one another: those of one user, or those that were told one name.
pub(crate) fn group() -> Result<String, ProcessError> {
    let Some(group) = std::env::var_os("TOKKYU_PROCESS_GROUP") else {
        return Ok(rustix::process::geteuid().as_raw().to_string());
    };
    let group = group.to_string_lossy().into_owned();
    let is_good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if (1..=LONGEST_GROUP).contains(&group.len()) && group.bytes().all(is_good) {
        Ok(group)
    } else {
        Err(ProcessError::Group(group))
    }
}

fn group_folder(group: &str) -> PathBuf {
    Path::new(SHARED).join(format!("tokkyu-{group}"))
}

/// Whose topic was the last of the group takes the group's folder away.
fn make_both(group: &Path, topic: &Path) -> Result<(), ProcessError> {
    let make = || make_own(group).and_then(|()| make_own(topic));
    let is_taken_away = |made: &Result<(), ProcessError>| matches!(made, Err(ProcessError::System { error, .. }) if error.kind() == ErrorKind::NotFound);
    let mut made = make();
    for _ in 0..TRIES {
        if !is_taken_away(&made) {
            break;
        }
        made = make();
    }
    made
}

/// A folder that belongs to this user and to nobody else. In a folder where all may write, another could have put one there before.
fn make_own(folder: &Path) -> Result<(), ProcessError> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            return Err(ProcessError::system("making the folder in /dev/shm")(error));
        }
        Ok(()) | Err(_) => {}
    }
    let found = fs::symlink_metadata(folder).map_err(ProcessError::system("the folder in /dev/shm"))?;
    let is_own = found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o077 == 0;
    if found.is_dir() && is_own {
        Ok(())
    } else {
        Err(ProcessError::Folder(folder.to_string_lossy().into_owned()))
    }
}

pub(crate) fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Another process may be quicker.
pub(crate) fn remove_entry(entry: &DirEntry) {
    let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
    let _ = if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_topic_finds_its_place_while_others_of_its_group_end() {
        let group = PathBuf::from(format!("/dev/shm/tokkyu-test-{}", unguessable::name().unwrap()));
        std::thread::scope(|scope| {
            for number in 0..4 {
                let (group, topic) = (group.clone(), group.join(number.to_string()));
                scope.spawn(move || {
                    for _ in 0..2000 {
                        make_both(&group, &topic).unwrap();
                        Folder { path: topic.clone(), prefix: "tokkyu-none-".into() }.remove();
                    }
                });
            }
        });
        assert!(!group.exists());
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_ours() {
        let base = PathBuf::from(format!("/dev/shm/tokkyu-test-{}", unguessable::name().unwrap()));
        make_own(&base).unwrap();
        assert_eq!(fs::metadata(&base).unwrap().mode() & 0o777, 0o700);
        make_own(&base).expect("ours, made before");
        let link = base.join("link");
        symlink("/tmp", &link).unwrap();
        assert!(matches!(make_own(&link), Err(ProcessError::Folder(_))), "a link");
        fs::set_permissions(&base, fs::Permissions::from_mode(0o750)).unwrap();
        assert!(matches!(make_own(&base), Err(ProcessError::Folder(_))), "the group's");
        fs::remove_dir_all(&base).unwrap();
    }
}
