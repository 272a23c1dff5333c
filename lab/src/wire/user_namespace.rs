//! Leave to make namespaces without being root: a user namespace in which this process is.
use std::io;

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{Gid, Uid};

use super::error::WireError;

/// Where the process is not root, puts it into a user namespace of its own in which it is. Returns whether it did.
///
/// To be called first in `main`: the kernel refuses it once the process has a second thread. Root inside means leave
/// over namespaces made from here on, and nothing more outside than before: files keep their permissions (so
/// `/dev/net/tun` must be open to the user), and real-time priority still needs `RLIMIT_RTPRIO`.
///
/// # Errors
/// [`WireError::NotPermitted`] where the system allows no user namespaces.
pub fn enter_user_namespace_if_needed() -> Result<bool, WireError> {
    let (user, group) = (Uid::effective(), Gid::effective());
    if user.is_root() {
        return Ok(false);
    }
    unshare(CloneFlags::CLONE_NEWUSER).map_err(refused)?;
    // Order matters: without CAP_SETGID outside, gid_map may be written only after setgroups is given up
    // (user_namespaces(7)).
    write("/proc/self/setgroups", "deny")?;
    write("/proc/self/uid_map", &format!("0 {user} 1"))?;
    write("/proc/self/gid_map", &format!("0 {group} 1"))?;
    Ok(true)
}

fn refused(errno: nix::Error) -> WireError {
    let source = io::Error::from(errno);
    if errno == nix::Error::EINVAL {
        let what = "enter a user namespace: the process has several threads; call this first in main";
        return WireError::system(what, source);
    }
    WireError::NotPermitted {
        what: "enter a user namespace",
        remedy: "run as root, or allow it: sysctl user.max_user_namespaces above 0, \
                 kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu)",
        source,
    }
}

fn write(file: &str, text: &str) -> Result<(), WireError> {
    std::fs::write(file, text)
        .map_err(|source| WireError::system(format!("write {text:?} to {file}"), source))
}
