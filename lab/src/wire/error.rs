//! What can go wrong while a wire is put up, and what to do about it.
use std::io;

use tokkyu_link::sim::path::ProfileError;

/// Why there is no wire.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The system does not let this process do it. [`UdpWire`](super::UdpWire) needs no permission.
    #[error("not permitted: {what} ({source}); {remedy}")]
    NotPermitted {
        /// What was tried.
        what: &'static str,
        /// What would permit it.
        remedy: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The system failed in another way.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// The profile is out of range.
    #[error("network profile: {0}")]
    Profile(#[from] ProfileError),
    /// A thread of the wire ended early: it panicked, and its message stands on stderr.
    #[error("the wire's {thread} thread has ended; its message is on stderr")]
    ThreadGone {
        /// Which one.
        thread: &'static str,
    },
}

/// How the kernel says that it forbids namespaces or devices, has none left to give, or was built without.
const WITHHELD: [i32; 8] = [
    libc::EPERM,
    libc::EACCES,
    libc::ENOENT,
    libc::ENODEV,
    libc::ENXIO,
    libc::ENOSPC,
    libc::ENOSYS,
    libc::EINVAL,
];

impl WireError {
    pub(super) fn system(what: impl Into<String>, source: impl Into<io::Error>) -> Self {
        WireError::System { what: what.into(), source: source.into() }
    }

    /// A failure that withholds something gets the remedy, any other one only its name.
    pub(super) fn of(what: &'static str, remedy: &'static str, source: impl Into<io::Error>) -> Self {
        let source = source.into();
        if source.raw_os_error().is_some_and(|code| WITHHELD.contains(&code)) {
            WireError::NotPermitted { what, remedy, source }
        } else {
            WireError::system(what, source)
        }
    }
}
