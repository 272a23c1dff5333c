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

/// Loads it, if it is not.
///
/// # Errors
/// It is not installed, or the kernel takes none.
pub fn load() -> Result<(), NoModule> {
    if is_loaded() {
        return Ok(());
    }
    let ran = Command::new("modprobe").arg("sch_lbe").stdin(Stdio::null()).output();
    let output = ran.map_err(|error| NoModule(format!("modprobe: {error}")))?;
    let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() && is_loaded() { Ok(()) } else { Err(NoModule(words)) }
}
