//! A network namespace that hangs on a thread: it has no name and no file, and is gone when the thread and all
//! programs started from it are.
//!
//! The thread enters its own namespace once and then runs what it is given, one job after the other. A child process
//! or thread started by a job inherits the namespace.
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::thread::JoinHandle;

use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::Signal;

use super::error::WireError;
use super::user_namespace::REMEDY;
use crate::orphan::ends_with_its_starter;

type Job = Box<dyn FnOnce() + Send>;

const THREAD: &str = "namespace";

/// A thread inside a network namespace of its own.
pub(super) struct Namespace {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Namespace {
    /// Makes the namespace. It has a loopback device, which is down, and nothing else.
    pub(super) fn new(name: &str) -> Result<Self, WireError> {
        let (jobs, received) = channel::<Job>();
        let (entered, outcome) = sync_channel(1);
        let thread = std::thread::Builder::new()
            .name(format!("wire-{name}"))
            .spawn(move || {
                let result = unshare(CloneFlags::CLONE_NEWNET);
                let inside = result.is_ok();
                // The maker waits for this word.
                let _ = entered.send(result);
                if inside {
                    received.into_iter().for_each(|job| job());
                }
            })
            .map_err(|source| WireError::system("namespace thread", source))?;
        let namespace = Namespace { jobs: Some(jobs), thread: Some(thread) };
        match outcome.recv() {
            Ok(Ok(())) => Ok(namespace),
            Ok(Err(errno)) => {
                // A program that is not root has tried `enter_user_namespace_if_needed` by now.
                Err(WireError::of("make a network namespace", REMEDY, errno))
            }
            Err(_) => Err(WireError::ThreadGone { thread: THREAD }),
        }
    }

    /// Runs a short job on the namespace's own thread and waits for it.
    pub(super) fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WireError> {
        let (sender, receiver) = sync_channel(1);
        let job = Box::new(move || drop(sender.send(job())));
        let jobs = self.jobs.as_ref().expect("the sender is taken only when the namespace is dropped");
        let gone = || WireError::ThreadGone { thread: THREAD };
        jobs.send(job).map_err(|_| gone())?;
        receiver.recv().map_err(|_| gone())
    }

    /// Starts a thread in the namespace.
    pub(super) fn start<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<JoinHandle<T>, WireError> {
        self.run(move || std::thread::Builder::new().name("wire-guest".to_owned()).spawn(job))?
            .map_err(|source| WireError::system("thread in the namespace", source))
    }

    /// Starts a program in the namespace. It is killed when the namespace's thread ends, so also when this process
    /// dies (WIRE-2).
    pub(super) fn spawn(&self, mut command: Command) -> Result<Child, WireError> {
        ends_with_its_starter(&mut command, Signal::SIGKILL);
        let program = command.get_program().to_string_lossy().into_owned();
        self.run(move || command.spawn())?
            .map_err(|source| WireError::system(format!("start {program}"), source))
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // With no sender left the thread runs out of jobs and ends.
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic in a job has been reported to whoever waited for it.
            let _ = thread.join();
        }
    }
}
