//! eBPF programs that make the packets of a control group background (LBE-91).
//!
//! They are a few instructions each and are written here, not compiled: no compiler for them and no file beside the program
//! is needed on the robot. They live in the kernel as long as the group does, or until they are taken out; no process has to
//! stay for them.

mod instruction;
mod programs;
mod system_call;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

pub use self::programs::Fields;
use self::programs::Program;
use self::system_call::{Hook, attach, attached, by_id, detach, load, name};

/// First letters of our programs' names, by which they are known again.
const OURS: &str = "lbe_";

/// Makes every packet of a group background: its `skb->priority` becomes `priority`, its sockets get DSCP LE. What was hooked
/// in from here before is replaced, without a moment between.
///
/// # Errors
/// The kernel refuses: the rights (`CAP_BPF`, `CAP_NET_ADMIN`) or the option `CONFIG_CGROUP_BPF` are missing.
pub fn make_background(group: BorrowedFd<'_>, priority: u32) -> io::Result<()> {
    replace(group, &programs::of_background(priority))
}

/// The same for the packets alone that have these fields.
///
/// # Errors
/// As [`make_background`].
pub fn make_matching(group: BorrowedFd<'_>, priority: u32, fields: &Fields) -> io::Result<()> {
    replace(group, &programs::of_matching(priority, fields))
}

/// Takes all of ours out of a group.
///
/// # Errors
/// As [`make_background`].
pub fn remove(group: BorrowedFd<'_>) -> io::Result<()> {
    ours(group)?.into_iter().try_for_each(|(hook, program)| detach(group, program.as_fd(), hook))
}

/// Whether some of ours are hooked into a group.
///
/// # Errors
/// As [`make_background`].
pub fn is_there(group: BorrowedFd<'_>) -> io::Result<bool> {
    Ok(!ours(group)?.is_empty())
}

fn replace(group: BorrowedFd<'_>, programs: &[Program]) -> io::Result<()> {
    let loaded: Vec<OwnedFd> = programs
        .iter()
        .map(|program| load(program.name, program.kind, program.hook, &program.instructions))
        .collect::<io::Result<_>>()?;
    let former = ours(group)?;
    for (program, fd) in programs.iter().zip(&loaded) {
        attach(group, fd.as_fd(), program.hook)?;
    }
    former.into_iter().try_for_each(|(hook, program)| detach(group, program.as_fd(), hook))
}

fn ours(group: BorrowedFd<'_>) -> io::Result<Vec<(Hook, OwnedFd)>> {
    let mut found = Vec::new();
    for hook in Hook::ALL {
        for id in attached(group, hook)? {
            // One that has just been taken out by somebody else is gone.
            let Ok(program) = by_id(id) else { continue };
            if name(program.as_fd())?.starts_with(OURS) {
                found.push((hook, program));
            }
        }
    }
    Ok(found)
}
