//! One program of a run: started, waited for within bounds, and ended with all that it started.
//!
//! It leads a process group of its own, so that Ctrl-C in the terminal reaches the lab alone, which ends all in order. Should the
//! lab be killed, it is told to end by the kernel.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use crate::orphan::ends_with_its_starter;

/// Between two looks at it.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// From SIGTERM to SIGKILL: a library that is about to start may not listen before it has (LOCAL-4).
const PATIENCE: Duration = Duration::from_secs(20);

/// A running program. Dropped, it is killed.
#[derive(Debug)]
pub(super) struct Program {
    child: Child,
    has_ended: bool,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) told: Option<Told>,
}

/// Why it was told to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// The user wanted it.
    Stopped,
    /// It should have been over long ago.
    Overdue,
}

impl Program {
    pub(super) fn start(mut command: Command) -> io::Result<Program> {
        command.stdin(Stdio::null()).process_group(0);
        ends_with_its_starter(&mut command, Signal::SIGTERM);
        Ok(Program { child: command.spawn()?, has_ended: false })
    }

    /// How it ended, if it has.
    pub(super) fn look(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        self.has_ended |= status.is_some();
        Ok(status)
    }

    /// Waits for its end. After `most`, or when `stop` says so, it is told to end, and killed if it does not.
    pub(super) fn wait(&mut self, most: Duration, stop: &dyn Fn() -> bool) -> io::Result<Ended> {
        let begun = Instant::now();
        let (mut told, mut told_at) = (None, begun);
        loop {
            if let Some(status) = self.look()? {
                return Ok(Ended { status, told });
            }
            match told {
                None if stop() => told = Some(Told::Stopped),
                None if begun.elapsed() > most => told = Some(Told::Overdue),
                None => {
                    std::thread::sleep(LOOK_EVERY);
                    continue;
                }
                Some(_) => {
                    if told_at.elapsed() > PATIENCE {
                        self.kill_all();
                    }
                    std::thread::sleep(LOOK_EVERY);
                    continue;
                }
            }
            told_at = Instant::now();
            self.tell(Signal::SIGTERM);
        }
    }

    /// Tells it to end; what it started is its own to end.
    pub(super) fn tell(&self, signal: Signal) {
        // Not reaped yet, so the number is still its own.
        let _ = kill(self.pid(), signal);
    }

    fn kill_all(&self) {
        let _ = killpg(self.pid(), Signal::SIGKILL);
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).expect("Linux process ids fit 22 bits"))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if !self.has_ended {
            self.kill_all();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;

    fn shell(script: &str) -> Program {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped());
        let mut program = Program::start(command).unwrap();
        program.child.stdout.as_mut().unwrap().read_exact(&mut [0; 6]).unwrap();
        program
    }

    #[test]
    fn a_program_that_ends_by_itself_is_told_nothing() {
        let ended = shell("echo ready; exit 3").wait(Duration::from_secs(60), &|| false).unwrap();
        assert_eq!((ended.status.code(), ended.told), (Some(3), None));
    }

    #[test]
    fn a_program_is_told_to_end_when_the_user_wants_it_or_it_takes_too_long() {
        let script = "trap 'exit 130' TERM; echo ready; while :; do sleep 0.01; done";
        let ended = shell(script).wait(Duration::from_secs(60), &|| true).unwrap();
        assert_eq!((ended.status.code(), ended.told), (Some(130), Some(Told::Stopped)));
        let ended = shell(script).wait(Duration::ZERO, &|| false).unwrap();
        assert_eq!((ended.status.code(), ended.told), (Some(130), Some(Told::Overdue)));
    }

    #[test]
    fn a_program_that_is_dropped_is_gone_with_what_it_started() {
        let mut program = shell("trap '' TERM; sleep 1000 & echo ready; wait");
        let group = program.pid();
        assert_eq!(program.look().unwrap(), None);
        drop(program);
        // Only who has not been reaped by its new parent is left of the group, and not for long.
        while killpg(group, None).is_ok() {
            std::thread::yield_now();
        }
        let killed = shell("echo ready; kill -KILL $$").wait(Duration::from_secs(60), &|| false).unwrap();
        assert_eq!(killed.status.signal(), Some(libc::SIGKILL));
    }
}
