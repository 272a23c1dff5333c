//! Programs that are started do not outlive who started them, whatever ends that: a panic, `kill -9`, the kernel for want of
//! memory.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Has the kernel send the program `signal` when the thread that starts it ends.
pub(crate) fn ends_with_its_starter(command: &mut Command, signal: i32) -> &mut Command {
    // SAFETY: it asks for a number.
    let parent = unsafe { libc::getpid() };
    let ask = move || {
        // SAFETY: two system calls, and nothing that they are given is memory.
        let (refused, starter) = unsafe { (libc::prctl(libc::PR_SET_PDEATHSIG, signal), libc::getppid()) };
        match (refused, starter == parent) {
            (0, true) => Ok(()),
            // It may have died between fork and prctl: then nobody would send the signal any more.
            (0, false) => Err(io::Error::from_raw_os_error(libc::ESRCH)),
            _ => Err(io::Error::last_os_error()),
        }
    };
    // SAFETY: between fork and exec the closure makes two system calls and allocates nothing.
    unsafe { command.pre_exec(ask) }
}
