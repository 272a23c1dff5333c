//! One measurement of the machine's time at a time.
//!
//! Two would feel each other. Experiments in virtual time do not mind each other, and are minded by those in real time: they share the lock.
//! It is a lock on a file, which ends with the process that holds it, however that ends.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

/// Names another file than the machine's, for those who know that nothing else runs here.
pub const LOCK_ENVIRONMENT: &str = "TOKKYU_LAB_LOCK";
const FILE: &str = "/tmp/tokkyu-lab.lock";
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// With whom a run shares the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// With nobody: its times are the machine's.
    Alone,
    /// With others whose time is virtual.
    Virtual,
}

/// Held while an experiment runs.
///
/// It is unlocked when it is dropped, not only closed: a program that another thread is about to start has the descriptor too, from its
/// `fork` until its `exec`, and the lock would last as long.
#[derive(Debug)]
pub struct MachineLock {
    _file: Flock<File>,
}

/// The lock cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}; name another file in {LOCK_ENVIRONMENT}", path.display())]
pub struct LockError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

impl MachineLock {
    /// Waits until nobody stands in the way; `on_wait` is called once if somebody does. Nothing: `stop` said so.
    ///
    /// # Errors
    /// The file cannot be opened or locked.
    pub fn take(
        share: Share,
        stop: &dyn Fn() -> bool,
        on_wait: impl FnOnce(),
    ) -> Result<Option<MachineLock>, LockError> {
        let path = std::env::var_os(LOCK_ENVIRONMENT).map_or(PathBuf::from(FILE), PathBuf::from);
        MachineLock::take_file(path, share, stop, on_wait)
    }

    fn take_file(
        path: PathBuf,
        share: Share,
        stop: &dyn Fn() -> bool,
        on_wait: impl FnOnce(),
    ) -> Result<Option<MachineLock>, LockError> {
        // Everybody's, so that the next user of the machine can lock it too.
        let opened = OpenOptions::new()
            .read(true)
            .open(&path)
            .or_else(|_| OpenOptions::new().create(true).append(true).read(true).mode(0o666).open(&path));
        let mut file = match opened {
            Ok(file) => file,
            Err(source) => return Err(LockError { path, source }),
        };
        let how = match share {
            Share::Alone => FlockArg::LockExclusiveNonblock,
            Share::Virtual => FlockArg::LockSharedNonblock,
        };
        let mut on_wait = Some(on_wait);
        loop {
            file = match Flock::lock(file, how) {
                Ok(file) => return Ok(Some(MachineLock { _file: file })),
                Err((file, Errno::EWOULDBLOCK | Errno::EINTR)) => file,
                Err((_, error)) => return Err(LockError { path, source: error.into() }),
            };
            if stop() {
                return Ok(None);
            }
            if let Some(on_wait) = on_wait.take() {
                on_wait();
            }
            thread::sleep(LOOK_EVERY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn take(path: &std::path::Path, share: Share) -> Option<MachineLock> {
        // Looked at once, then given up.
        MachineLock::take_file(path.to_path_buf(), share, &|| true, || {}).unwrap()
    }

    #[test]
    fn who_needs_the_machine_alone_waits_for_all_and_virtual_time_for_those_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = take(&path, Share::Virtual).unwrap();
        let second = take(&path, Share::Virtual).unwrap();
        assert!(take(&path, Share::Alone).is_none());
        drop((first, second));
        let alone = take(&path, Share::Alone).unwrap();
        assert!(take(&path, Share::Alone).is_none() && take(&path, Share::Virtual).is_none());
        // As a program has it that another thread is about to start.
        let copy = alone._file.try_clone().unwrap();
        drop(alone);
        assert!(take(&path, Share::Alone).is_some());
        drop(copy);
    }

    #[test]
    fn it_is_told_once_that_somebody_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let _held = take(&path, Share::Alone).unwrap();
        let (looks, told) = (Cell::new(0), Cell::new(0));
        let stop = || looks.replace(looks.get() + 1) == 2;
        let on_wait = || told.set(told.get() + 1);
        assert!(MachineLock::take_file(path, Share::Virtual, &stop, on_wait).unwrap().is_none());
        assert_eq!(told.get(), 1);
    }
}
