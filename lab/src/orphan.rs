//! Programs that are started do not outlive who started them.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{getpid, getppid};

/// Has the kernel send the program this signal when the thread that starts it ends, whatever ends that.
pub fn ends_with_its_starter(command: &mut Command, signal: Signal) -> &mut Command {
    let parent = getpid();
    let ask = move || {
        set_pdeathsig(signal)?;
        // The parent may have died between fork and prctl: then nobody would send the signal any more.
        match getppid() == parent {
            true => Ok(()),
            false => Err(io::Error::from_raw_os_error(libc::ESRCH)),
        }
    };
    // SAFETY: between fork and exec the closure makes two system calls and allocates nothing.
    unsafe { command.pre_exec(ask) }
}
