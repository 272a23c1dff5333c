//! The groups whose packets are background (LBE-90, 91, 96, 110).

use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use crate::bpf::{self, Fields};
use crate::cgroup::{Group, GroupError, Groups};
use crate::htb;
use crate::idle::{is_idle, make_idle, make_usual};
use crate::record::Records;
use crate::tune::Way;

/// `TC_PRIO_FILLER`, what a background packet's `skb->priority` is (LBE-1); the kernel's own qdiscs that know priorities put
/// it last too.
const PRIORITY: u32 = 1;

/// A group cannot be made background.
#[derive(Debug, thiserror::Error)]
pub enum BackgroundError {
    /// There is no such group, or it cannot be made.
    #[error(transparent)]
    Group(#[from] GroupError),
    /// The kernel takes no programs.
    #[error("eBPF programs of control group {path}: {source}{}", remedy(source))]
    Programs {
        /// Of the group.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A thread is somebody else's.
    #[error("the scheduling of thread {thread}: {source}{}", remedy(source))]
    Thread {
        /// Its number.
        thread: i32,
        /// What the system says.
        source: io::Error,
    },
    /// Nothing to take back.
    #[error("{0} is not in the background")]
    NotThere(PathBuf),
}

fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "; run it as root (CAP_BPF, CAP_NET_ADMIN and CAP_SYS_NICE are needed)"
        }
        Some(libc::EINVAL | libc::ENOSYS) => "; Linux 5.15 or newer with CONFIG_CGROUP_BPF is needed",
        _ => "",
    }
}

fn programs<T>(group: &Group, done: io::Result<T>) -> Result<T, BackgroundError> {
    done.map_err(|source| BackgroundError::Programs { path: group.path().to_owned(), source })
}

/// What priority packets must have here: HTB wants its class.
fn priority(records: &Records) -> u32 {
    let htb = records.all().iter().any(|(_, record)| record.way == Way::Htb);
    if htb { htb::PRIORITY } else { PRIORITY }
}

/// A new group of background programs, with its eBPF programs; `name` begins with this network namespace's label.
///
/// # Errors
/// As [`BackgroundError`] says.
pub fn new_group(name: &str, records: &Records) -> Result<Group, BackgroundError> {
    let group = Groups::find()?.own()?.child(name)?;
    let done = bpf::make_background(group.as_fd(), priority(records));
    programs(&group, done)?;
    Ok(group)
}

/// Sees to it that programs that run already have the priority that the devices want now; groups that nobody is in any more
/// go. Other network namespaces have groups and devices of their own.
///
/// # Errors
/// As [`BackgroundError`] says.
pub fn refresh(records: &Records) -> Result<(), BackgroundError> {
    let Ok(groups) = Groups::find() else { return Ok(()) };
    groups.remove_empty_beside_own(&records.label());
    let Some(own) = groups.own_if_there() else { return Ok(()) };
    if own.remove_empty_children(&records.label()) > 0 {
        for group in own.children()?.iter().filter(|group| group.name().starts_with(&records.label())) {
            programs(group, bpf::make_background(group.as_fd(), priority(records)))?;
        }
    }
    own.remove_if_empty();
    Ok(())
}

/// Makes a group that is there background: its packets, and all its threads.
///
/// # Errors
/// As [`BackgroundError`] says.
pub fn add_group(path: &Path, records: &Records) -> Result<Group, BackgroundError> {
    let group = Groups::find()?.named(path)?;
    programs(&group, bpf::make_background(group.as_fd(), priority(records)))?;
    each_thread(&group, &|thread| make_idle(thread))?;
    Ok(group)
}

/// Takes that back.
///
/// # Errors
/// As [`BackgroundError`] says.
pub fn remove_group(path: &Path) -> Result<(), BackgroundError> {
    let group = Groups::find()?.named(path)?;
    if !programs(&group, bpf::is_there(group.as_fd()))? {
        return Err(BackgroundError::NotThere(group.path().to_owned()));
    }
    programs(&group, bpf::remove(group.as_fd()))?;
    each_thread(&group, &|thread| if is_idle(thread) { make_usual(thread) } else { Ok(()) })
}

/// The group of a flow of which only some packets are background.
///
/// # Errors
/// As [`BackgroundError`] says.
pub fn matching_group(name: &str, fields: &Fields, records: &Records) -> Result<Group, BackgroundError> {
    // Beside the group of background programs, not in it: there every packet is.
    let group = Groups::find()?.beside_own(&format!("{}-{name}", records.label()))?;
    programs(&group, bpf::make_matching(group.as_fd(), priority(records), fields))?;
    Ok(group)
}

/// Makes a process background with all its threads, in a group below the one of background programs.
///
/// # Errors
/// As [`BackgroundError`] says.
pub fn take_process(group: &Group, process: i32) -> Result<(), BackgroundError> {
    group.take(process)?;
    each_thread(group, &|thread| make_idle(thread))
}

/// Threads of it and of the groups in it. Those that begin meanwhile inherit.
fn each_thread(group: &Group, change: &dyn Fn(i32) -> io::Result<()>) -> Result<(), BackgroundError> {
    for thread in group.threads()? {
        match change(thread) {
            // It has ended.
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
            done => done.map_err(|source| BackgroundError::Thread { thread, source })?,
        }
    }
    group.children()?.iter().try_for_each(|child| each_thread(child, change))
}
