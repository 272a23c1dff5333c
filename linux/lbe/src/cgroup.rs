//! Control groups (version 2) for background programs (LBE-90, LBE-96).

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

/// Group of all background programs.
const OWN: &str = "tokkyu-lbe";

/// Why there is no group.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// Nowhere mounted.
    #[error(
        "control groups of version 2 are mounted nowhere; mount them with: mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified \
         (systemd does this by itself unless told otherwise by systemd.unified_cgroup_hierarchy=0)"
    )]
    NotMounted,
    /// A folder that is none of a group.
    #[error("{0} is no control group of version 2; those are the folders below {1}")]
    NoGroup(PathBuf, PathBuf),
    /// Reading or writing one.
    #[error("control group {path}: {source}{}", remedy(source))]
    File {
        /// Which file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "; run it as root",
        io::ErrorKind::ReadOnlyFilesystem => "; in a container this needs a writable /sys/fs/cgroup",
        _ => "",
    }
}

fn of_file<T>(path: &Path, result: io::Result<T>) -> Result<T, GroupError> {
    result.map_err(|source| GroupError::File { path: path.to_owned(), source })
}

/// Where the groups are, as this process sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    mount: PathBuf,
}

impl Groups {
    /// Finds them.
    ///
    /// # Errors
    /// [`GroupError::NotMounted`].
    pub fn find() -> Result<Groups, GroupError> {
        // `ip netns exec` gives its program a /sys without them: the machine's first process has them still.
        let seen_by = |process: &str, root: &str| {
            let mounts = fs::read_to_string(format!("/proc/{process}/mounts")).ok()?;
            let mount = mounted_at(&mounts)?;
            Some(Path::new(root).join(mount.strip_prefix("/").ok()?)).filter(|folder| folder.exists())
        };
        let mount = seen_by("self", "/").or_else(|| seen_by("1", "/proc/1/root"));
        mount.map(|mount| Groups { mount }).ok_or(GroupError::NotMounted)
    }

    /// The group of all background programs; made if it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn own(&self) -> Result<Group, GroupError> {
        let group = Group::make(self.mount.join(OWN))?;
        // LBE-92: policy SCHED_IDLE counts among the tasks of one group alone. Where there is no such file the processor's
        // time is not shared between groups.
        let _ = fs::write(group.path.join("cpu.idle"), "1");
        Ok(group)
    }

    /// A group beside it, for a flow of which not every packet is background.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn beside_own(&self, name: &str) -> Result<Group, GroupError> {
        Group::make(self.mount.join(format!("{OWN}-{}", name.replace('/', "-"))))
    }

    /// Removes those beside it that have no process, of those whose names begin so.
    pub fn remove_empty_beside_own(&self, beginning: &str) {
        let wanted = format!("{OWN}-{beginning}");
        let ours = self.all_own().into_iter().filter(|group| group.name().starts_with(&wanted));
        for group in ours {
            group.remove_if_empty();
        }
    }

    /// All groups that were made here: that of background programs, and those beside it.
    pub fn all_own(&self) -> Vec<Group> {
        let entries = fs::read_dir(&self.mount).into_iter().flatten().flatten();
        let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(OWN));
        ours.filter_map(|entry| Group::open(entry.path()).ok()).collect()
    }

    /// The group of all background programs, if it is there.
    pub fn own_if_there(&self) -> Option<Group> {
        Group::open(self.mount.join(OWN)).ok()
    }

    /// A group that is there, by its folder or by its path below the mount.
    ///
    /// # Errors
    /// There is none.
    pub fn named(&self, path: &Path) -> Result<Group, GroupError> {
        let below = self.mount.join(path.strip_prefix("/").unwrap_or(path));
        let folder = if path.starts_with(&self.mount) { path.to_owned() } else { below };
        match folder.join("cgroup.procs").exists() && folder != self.mount {
            true => Group::open(folder),
            false => Err(GroupError::NoGroup(path.to_owned(), self.mount.clone())),
        }
    }
}

/// Where the table of mounts has version 2. Spaces stand there as \040.
fn mounted_at(mounts: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (_, at, kind) = (words.next()?, words.next()?, words.next()?);
        (kind == "cgroup2").then(|| PathBuf::from(at.replace("\\040", " ")))
    })
}

/// A control group, open.
#[derive(Debug)]
pub struct Group {
    path: PathBuf,
    folder: File,
}

impl AsFd for Group {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

impl Group {
    fn open(path: PathBuf) -> Result<Group, GroupError> {
        let folder = of_file(&path, File::open(&path))?;
        Ok(Group { path, folder })
    }

    fn make(path: PathBuf) -> Result<Group, GroupError> {
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => of_file(&path, made)?,
        }
        Group::open(path)
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name, without those above it.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// A group in this one; made if it is not there.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn child(&self, name: &str) -> Result<Group, GroupError> {
        // A name with a slash would be two.
        Group::make(self.path.join(name.replace('/', "-")))
    }

    /// The groups in this one.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn children(&self) -> Result<Vec<Group>, GroupError> {
        let mut found = Vec::new();
        for entry in of_file(&self.path, fs::read_dir(&self.path))? {
            let path = of_file(&self.path, entry)?.path();
            if path.is_dir() {
                found.extend(Group::open(path).ok());
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Removes the groups in it that have no process, of those whose names begin so; how many are left.
    pub fn remove_empty_children(&self, beginning: &str) -> usize {
        let ours = self.children().unwrap_or_default();
        let ours = ours.into_iter().filter(|child| child.name().starts_with(beginning));
        ours.map(Group::remove_if_empty).filter(|gone| !gone).count()
    }

    /// Its processes, not those of groups in it.
    ///
    /// # Errors
    /// It is gone.
    pub fn processes(&self) -> Result<Vec<i32>, GroupError> {
        self.numbers("cgroup.procs")
    }

    /// Its threads.
    ///
    /// # Errors
    /// It is gone.
    pub fn threads(&self) -> Result<Vec<i32>, GroupError> {
        self.numbers("cgroup.threads")
    }

    fn numbers(&self, file: &str) -> Result<Vec<i32>, GroupError> {
        let path = self.path.join(file);
        let text = of_file(&path, fs::read_to_string(&path))?;
        Ok(text.lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// Moves a process into it, with all its threads.
    ///
    /// # Errors
    /// It is gone, or it may not be moved.
    pub fn take(&self, process: i32) -> Result<(), GroupError> {
        let path = self.members();
        of_file(&path, fs::write(&path, process.to_string()))
    }

    /// The file that a process writes 0 to, to become one of it.
    pub fn members(&self) -> PathBuf {
        self.path.join("cgroup.procs")
    }

    /// Removes it if nobody is in it; true if it is gone.
    pub fn remove_if_empty(self) -> bool {
        fs::remove_dir(&self.path).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_two_is_found_beside_version_one() {
        let mounts = "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\ncgroup2 /sys/fs/cgroup/uni\\040fied cgroup2 rw 0 0\n";
        assert_eq!(mounted_at(mounts), Some("/sys/fs/cgroup/uni fied".into()));
        assert_eq!(mounted_at("tmpfs /run tmpfs rw 0 0\n\n"), None);
    }

    #[test]
    fn a_folder_elsewhere_is_no_group() {
        let folder = tempfile::tempdir().unwrap();
        let groups = Groups { mount: folder.path().to_owned() };
        let error = groups.named(Path::new("/etc")).unwrap_err().to_string();
        assert!(error.contains("is no control group of version 2"), "{error}");
        assert!(groups.named(Path::new("/")).is_err());
    }
}
