//! `run`: a program in the background from its first instruction on (LBE-90 to 95).
//!
//! ```text
//!   lock ─► devices tuned ─► group made ─► program started in it ─► unlock ─► wait ─► lock ─► group removed
//!                                                                                       last one: devices brought back
//! ```

use std::ffi::{CString, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, FromRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigHandler, Signal, kill, signal};
use nix::unistd::{Gid, Pid, Uid, User, getgrouplist};

use crate::background::{BackgroundError, new_group};
use crate::cgroup::{Group, Groups};
use crate::idle::make_idle;
use crate::record::{Owner, RecordError, Records};
use crate::tune::{TuneError, Wanted, tune, untune};

/// What is to be run, and how.
#[derive(Clone, Debug)]
pub struct Job {
    /// Name or path of the program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Name or number of the user to run it as; `None`: as the caller.
    pub user: Option<String>,
    /// Devices that are to keep it back.
    pub devices: Vec<String>,
    /// How these are set up, where they are not.
    pub wanted: Wanted,
}

/// The program was not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Its packets cannot be made background.
    #[error(transparent)]
    Background(#[from] BackgroundError),
    /// A device could not be set up as asked.
    #[error(transparent)]
    Tune(#[from] TuneError),
    /// It cannot be written down.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// No such user.
    #[error("there is no user {0}")]
    NoUser(String),
    /// No such program.
    #[error("{0}: no such program")]
    NotFound(String),
    /// It is there, and does not start.
    #[error("{program} does not start: {source}")]
    Start {
        /// Which program.
        program: String,
        /// What the system says.
        source: io::Error,
    },
}

/// A program that runs in the background.
pub struct Running {
    child: Child,
    group: Group,
    records: Records,
    devices: Vec<String>,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// 0 to 255, as a shell would say it.
    pub code: u8,
    /// What is to be known, for people.
    pub notes: Vec<String>,
}

/// Sets up what is needed and starts the program. Notes for people go to `say`.
///
/// # Errors
/// As [`RunError`] says; nothing runs then, and what was set up is taken back.
pub fn start(job: &Job, say: &mut dyn FnMut(&str)) -> Result<Running, RunError> {
    let records = Records::here();
    let user = job.user.as_deref().map(find_user).transpose()?;
    let _turn = records.lock()?;
    let mut devices = Vec::new();
    let outcome = set_up(job, user.as_ref(), &records, &mut devices, say);
    match outcome {
        Ok((child, group)) => Ok(Running { child, group, records, devices }),
        Err(error) => {
            bring_back(&records, &devices, say);
            Err(error)
        }
    }
}

fn set_up(
    job: &Job,
    user: Option<&User>,
    records: &Records,
    devices: &mut Vec<String>,
    say: &mut dyn FnMut(&str),
) -> Result<(Child, Group), RunError> {
    for device in &job.devices {
        match tune(device, &job.wanted, Owner::Run, records) {
            Ok(tuned) => {
                devices.push(device.clone());
                tuned.notes.iter().for_each(|note| say(note));
            }
            // The program still gets out of the processor's way, and later routers know its packets.
            Err(error @ (TuneError::NoWay { .. } | TuneError::Occupied { .. }))
                if job.wanted.way.is_none() =>
            {
                say(&error.to_string());
            }
            Err(error) => return Err(error.into()),
        }
    }
    let group = new_group(&format!("{}-run-{}", records.label(), std::process::id()), records)?;
    match start_in(&group, job, user) {
        Ok(child) => Ok((child, group)),
        Err(error) => {
            group.remove_if_empty();
            Err(error)
        }
    }
}

fn start_in(group: &Group, job: &Job, user: Option<&User>) -> Result<Child, RunError> {
    let program = || job.program.to_string_lossy().into_owned();
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound => RunError::NotFound(program()),
        _ => RunError::Start { program: program(), source },
    };
    let members = OpenOptions::new().write(true).open(group.members()).map_err(failed)?;
    let identity = user.map(Identity::of).transpose().map_err(failed)?;
    let mut command = Command::new(&job.program);
    command.args(&job.arguments);
    if let Some(user) = user {
        command.env("HOME", &user.dir).env("USER", &user.name).env("LOGNAME", &user.name);
    }
    // SAFETY: between fork and exec `enter` makes system calls only; it allocates nothing and takes no lock.
    unsafe { command.pre_exec(move || enter(&members, identity.as_ref())) };
    let child = command.spawn().map_err(failed)?;
    for stop in [Signal::SIGINT, Signal::SIGQUIT] {
        // SAFETY: no handler of ours is set.
        let _ = unsafe { signal(stop, SigHandler::SigIgn) };
    }
    Ok(child)
}

/// In the new process, before the program begins: the rights are given up last.
fn enter(mut members: &File, identity: Option<&Identity>) -> io::Result<()> {
    members.write_all(b"0")?;
    make_idle(0)?;
    identity.map_or(Ok(()), Identity::take)
}

/// Who the program is to be.
struct Identity {
    user: Uid,
    group: Gid,
    groups: Vec<Gid>,
}

impl Identity {
    fn of(user: &User) -> io::Result<Identity> {
        let name = CString::new(user.name.as_str())?;
        Ok(Identity { user: user.uid, group: user.gid, groups: getgrouplist(&name, user.gid)? })
    }

    fn take(&self) -> io::Result<()> {
        nix::unistd::setgroups(&self.groups)?;
        nix::unistd::setgid(self.group)?;
        Ok(nix::unistd::setuid(self.user)?)
    }
}

fn find_user(word: &str) -> Result<User, RunError> {
    let by_number =
        || word.parse().ok().and_then(|number| User::from_uid(Uid::from_raw(number)).ok().flatten());
    let found = User::from_name(word).ok().flatten().or_else(by_number);
    found.ok_or_else(|| RunError::NoUser(word.to_owned()))
}

impl Running {
    /// Waits for its end and takes back what was set up for it. Once `stop` says so it is asked to end.
    ///
    /// # Errors
    /// The kernel does not tell when a process ends.
    pub fn wait(mut self, stop: &dyn Fn() -> bool, say: &mut dyn FnMut(&str)) -> io::Result<Ended> {
        let status = self.ended(stop)?;
        let _turn = self.records.lock().map_err(io::Error::other)?;
        let path = self.group.path().to_owned();
        let mut notes = Vec::new();
        if self.group.remove_if_empty() {
            bring_back(&self.records, &self.devices, say);
        } else {
            notes.push(format!(
                "processes that it started run on in the background ({}); its devices stay as they are: tokkyu lbe status",
                path.display()
            ));
        }
        Ok(Ended { code: code(status), notes })
    }

    fn ended(&mut self, stop: &dyn Fn() -> bool) -> io::Result<ExitStatus> {
        let process = pid_of(self.child.id());
        let handle = handle_of(process)?;
        let mut told = false;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if stop() && !told {
                told = true;
                kill(process, Signal::SIGTERM)?;
            }
            let mut waiting = [PollFd::new(handle.as_fd(), PollFlags::POLLIN)];
            match poll(&mut waiting, PollTimeout::from(200_u16)) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn pid_of(number: u32) -> Pid {
    Pid::from_raw(number.cast_signed())
}

/// A descriptor that is readable when the process has ended.
fn handle_of(process: Pid) -> io::Result<OwnedFd> {
    // SAFETY: numbers alone.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, process.as_raw(), 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) })
}

fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// Devices that were set up by a `run` go back to what they were when no program is left in the background.
fn bring_back(records: &Records, devices: &[String], say: &mut dyn FnMut(&str)) {
    let own = Groups::find().ok().and_then(|groups| groups.own_if_there());
    if own.as_ref().is_some_and(|own| own.remove_empty_children(&records.label()) > 0) {
        return;
    }
    own.map(Group::remove_if_empty);
    let by_run = |device: &&String| records.of(device).is_some_and(|record| record.by == Owner::Run);
    for device in devices.iter().filter(by_run) {
        if let Err(error) = untune(device, records) {
            say(&error.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_a_shell() {
        assert_eq!(code(ExitStatus::from_raw(3 << 8)), 3);
        assert_eq!(code(ExitStatus::from_raw(libc::SIGTERM)), 143);
    }

    #[test]
    fn users_are_found_by_name_and_by_number() {
        assert_eq!(find_user("root").unwrap().uid, Uid::from_raw(0));
        assert_eq!(find_user("0").unwrap().name, "root");
        assert!(find_user("nobody-of-this-name").unwrap_err().to_string().contains("no user"));
    }
}
