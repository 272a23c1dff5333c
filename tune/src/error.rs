//! Why something could not be done, with what helps.

use std::io;
use std::path::PathBuf;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// There is no device of this name here.
    #[error("no network device {0} here; ip link lists those there are")]
    NoDevice(String),
    /// A setting could not be read or written.
    #[error("{setting}: {source}{}", remedy(source))]
    Setting {
        /// Which.
        setting: String,
        /// What the system says.
        source: io::Error,
    },
    /// It was set, and is not as it was set.
    #[error("{setting}: set to {wanted}, and then it was {found}; the driver or somebody else keeps it so")]
    NotKept {
        /// Which.
        setting: String,
        /// What was written.
        wanted: String,
        /// What was read.
        found: String,
    },
    /// The journal could not be read or written.
    #[error("{}: {source}{}", path.display(), remedy(source))]
    Journal {
        /// Its file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The journal is not one.
    #[error("{}: not a journal of tokkyu tune: {why}; put the device as you want it, and remove the file", path.display())]
    Damaged {
        /// Its file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Another tuner is at work.
    #[error("another tokkyu tune is at work here; wait until it is done")]
    Busy,
    /// It is tuned already.
    #[error(
        "{0} is tuned already; tokkyu tune status --dev {0} says how, tokkyu tune revert --dev {0} takes it back"
    )]
    Tuned(String),
    /// It is not.
    #[error("{0} is not tuned: there is no journal of it")]
    NotTuned(String),
    /// The device of the journal has another hardware address, or is in another network namespace.
    #[error("{device} is not the device that was tuned: that one had {was}, this one has {is}; rename it back, or remove {}", path.display())]
    OtherDevice {
        /// Its name.
        device: String,
        /// Hardware address then.
        was: String,
        /// Hardware address now.
        is: String,
        /// The journal.
        path: PathBuf,
    },
    /// What is asked for would be unsafe.
    #[error("refused: {0}")]
    Unsafe(String),
}

fn remedy(source: &io::Error) -> &'static str {
    match (source.kind(), source.raw_os_error()) {
        (io::ErrorKind::PermissionDenied, _) => "; run it as root",
        (_, Some(libc::EROFS)) => "; it is mounted read-only here, as in a container: tune on the host",
        (_, Some(libc::ENODEV)) => "; the device is gone",
        _ => "",
    }
}
