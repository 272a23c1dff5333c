//! The kernel module: whether it is there, and loading it.

use std::path::Path;
use std::process::{Command, Stdio};

/// The module cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the kernel module sch_lbe cannot be loaded ({0}); install tokkyu-lbe-dkms, or for one kernel: make -C \
     /lib/modules/$(uname -r)/build M=linux/lbe/module modules"
)]
pub struct NoModule(pub String);

/// Whether it is loaded.
pub fn is_loaded() -> bool {
    Path::new("/sys/module/sch_lbe").exists()
}

/// Whether [`load`] would find it; loads nothing.
///
/// # Errors
/// It is not installed for this kernel.
pub fn find() -> Result<(), NoModule> {
    if is_loaded() { Ok(()) } else { modprobe(&["--dry-run", "--first-time", "sch_lbe"]) }
}

/// Loads it, if it is not.
///
/// # Errors
/// It is not installed, or the kernel takes none.
pub fn load() -> Result<(), NoModule> {
    if is_loaded() {
        return Ok(());
    }
    modprobe(&["sch_lbe"])?;
    if is_loaded() { Ok(()) } else { Err(NoModule("modprobe has not loaded it".to_owned())) }
}

fn modprobe(words: &[&str]) -> Result<(), NoModule> {
    let ran = Command::new("modprobe").args(words).stdin(Stdio::null()).output();
    let output = ran.map_err(|error| NoModule(format!("modprobe: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() { Ok(()) } else { Err(NoModule(said)) }
}
