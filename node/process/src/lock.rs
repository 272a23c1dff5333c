//! A file that says that a process lives (NODE-79): the kernel unlocks it when the process ends, however it ends.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};

use crate::ProcessError;

/// A process makes its files and locks them in less than a millisecond. One that takes longer than this has died on the way.
pub(crate) const MAKING: Duration = Duration::from_secs(60);
/// How the name of a lock ends before it is locked.
pub(crate) const NEW: &str = "new";

/// Locked until it is dropped, and removed then.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// A new file. It gets its name when it is locked: one that is there is locked, or its process is dead.
    pub(crate) fn make(path: PathBuf) -> Result<Lock, ProcessError> {
        let what = "a lock in /dev/shm";
        let new = path.with_extension(NEW);
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(&new);
        let file = file.map_err(ProcessError::system(what))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|error| ProcessError::system(what)(error.into()))?;
        fs::rename(new, &path).map_err(ProcessError::system(what))?;
        Ok(Lock { path, _file: file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether a process has it locked.
pub(crate) fn is_held(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockShared).is_err())
}

/// The lock of a process that died, now held by us, so that nobody else takes care of it.
pub(crate) fn of_dead(path: &Path) -> Option<File> {
    let file = File::open(path).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok().map(|()| file)
}

/// Whether nobody can be making any more what was changed then.
pub(crate) fn is_old(changed: SystemTime, now: SystemTime) -> bool {
    now.duration_since(changed).is_ok_and(|age| age > MAKING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_says_who_lives() {
        let path = PathBuf::from(format!("/dev/shm/tokkyu-test-{}", crate::unguessable::name().unwrap()));
        assert!(!is_held(&path) && of_dead(&path).is_none(), "not there");
        let lock = Lock::make(path.clone()).unwrap();
        assert!(is_held(&path) && of_dead(&path).is_none());
        drop(lock);
        assert!(!path.exists());
        fs::write(&path, "").unwrap();
        assert!(!is_held(&path));
        let taken = of_dead(&path);
        assert!(taken.is_some() && of_dead(&path).is_none(), "one alone takes care of it");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_old_nobody_is_making() {
        let now = SystemTime::now();
        assert!(!is_old(now, now) && !is_old(now + MAKING, now));
        assert!(is_old(now, now + 2 * MAKING));
    }
}
