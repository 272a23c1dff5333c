//! The receiving process, made of this one by `fork` before iceoryx2 was called.

use std::time::Duration;
use std::{io, process, thread};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, getpid, getppid};

use crate::Failure;
use crate::machine::{END_SIGNAL, now_ns};

/// Longer than it takes to end in order; then it is killed.
const PATIENCE_NS: u64 = 10_000_000_000;
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Ended when it is dropped.
pub struct Child {
    process: Option<Pid>,
}

impl Child {
    /// Runs `body` in a new process; it is to end after `END_SIGNAL`, which also comes when this process is gone.
    ///
    /// # Errors
    /// The kernel's.
    pub fn start(body: impl FnOnce() -> Result<(), Failure>) -> io::Result<Child> {
        let parent = getpid();
        // SAFETY: this process has one thread, so the child may do all that this one may.
        match unsafe { fork()? } {
            ForkResult::Parent { child } => Ok(Child { process: Some(child) }),
            ForkResult::Child => run(parent, body),
        }
    }

    /// Tells it to end, again and again, as one signal alone may come just before the wait that it is to interrupt.
    /// True if it ended in order.
    pub fn end(&mut self) -> bool {
        let Some(process) = self.process.take() else { return true };
        let give_up_ns = now_ns() + PATIENCE_NS;
        loop {
            match waitpid(process, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => {}
                status => return status == Ok(WaitStatus::Exited(process, 0)),
            }
            let signal = if now_ns() > give_up_ns { Signal::SIGKILL } else { END_SIGNAL };
            let _ = kill(process, signal);
            thread::sleep(LOOK_EVERY);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}

fn run(parent: Pid, body: impl FnOnce() -> Result<(), Failure>) -> ! {
    let _ = set_pdeathsig(END_SIGNAL);
    // The parent may have gone before the line above.
    if getppid() != parent {
        process::exit(1);
    }
    match body() {
        Ok(()) => process::exit(0),
        Err(failure) => {
            eprintln!("tokkyu-local-iceoryx2: {failure}");
            process::exit(1)
        }
    }
}
