//! Leave to make namespaces without being root: a user namespace in which this process is.
use std::io;

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{Gid, Uid};

use super::error::WireError;

/// What lets a user make namespaces. A system may refuse at any of three places: the user namespace, its maps (Ubuntu 24.04
/// gives a user namespace without any rights in it), or the network namespace inside.
pub(super) const REMEDY: &str = "run as root, or allow it: sysctl user.max_user_namespaces above 0, \
     kernel.unprivileged_userns_clone=1 (Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu)";

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
    write("give up setgroups (/proc/self/setgroups)", "/proc/self/setgroups", "deny")?;
    write(MAP_USER, "/proc/self/uid_map", &format!("0 {user} 1"))?;
    write("map the group (/proc/self/gid_map)", "/proc/self/gid_map", &format!("0 {group} 1"))?;
    Ok(true)
}

fn refused(errno: nix::Error) -> WireError {
    let source = io::Error::from(errno);
    if errno == nix::Error::EINVAL {
        let what = "enter a user namespace: the process has several threads; call this first in main";
        return WireError::system(what, source);
    }
    WireError::NotPermitted { what: "enter a user namespace", remedy: REMEDY, source }
}

const MAP_USER: &str = "map the user (/proc/self/uid_map)";

fn write(what: &'static str, file: &str, text: &str) -> Result<(), WireError> {
    std::fs::write(file, text).map_err(|source| WireError::of(what, REMEDY, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_that_are_refused_carry_the_remedy_of_the_namespace_itself() {
        // This process has its map already, and nobody may write a map twice: the kernel answers as Ubuntu does.
        let error = write(MAP_USER, "/proc/self/uid_map", "0 0 1").unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, WireError::NotPermitted { .. }), "{text}");
        assert!(text.contains("/proc/self/uid_map"), "{text}");
        assert!(
            text.contains("apparmor_restrict_unprivileged_userns") && text.contains("run as root"),
            "{text}"
        );
        assert_eq!(refused(nix::Error::EPERM).to_string().split_once("; ").unwrap().1, REMEDY);
    }
}
