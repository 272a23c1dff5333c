//! Prepares the link thread: real-time priority, locked memory, exact timers, its own cores.
//!
//! Measured on a loaded machine, a link thread at ordinary priority misses its target by a factor of three at the
//! worst image while the same thread at `SCHED_FIFO` does not notice the load. Nothing here fails: what the system
//! refuses is reported with the reason and the remedy, and the link runs on without it.

use std::fmt;

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::prctl;
use nix::unistd::Pid;

use super::control_group;

/// What the thread shall get.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RealTime {
    /// `SCHED_FIFO` priority, 1 to 99; `None` leaves the scheduling class alone.
    pub fifo_priority: Option<u8>,
    /// Lock the process's memory, present and future: no page fault on the path of a packet.
    pub lock_memory: bool,
    /// Cores the thread may run on; empty leaves the choice to the kernel.
    pub cores: Vec<usize>,
}

/// What was granted and what was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RealTimeReport {
    /// One entry for each thing asked for, in the order they were tried.
    pub grants: Vec<Grant>,
}

/// One thing asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// What was asked for, in words.
    pub what: String,
    /// `None` if granted, else why not and what to do.
    pub refused: Option<String>,
}

impl RealTimeReport {
    /// Whether everything asked for was granted.
    pub fn is_complete(&self) -> bool {
        self.grants.iter().all(|grant| grant.refused.is_none())
    }
}

impl fmt::Display for RealTimeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for grant in &self.grants {
            match &grant.refused {
                None => writeln!(f, "granted: {}", grant.what)?,
                Some(why) => writeln!(f, "refused: {}: {why}", grant.what)?,
            }
        }
        Ok(())
    }
}

/// Applies `wanted` to the calling thread (memory locking: to the process).
///
/// Timer slack is always set to 1 ns: the default of 50 µs is a fifth of the pacing quantum.
pub fn apply(wanted: &RealTime) -> RealTimeReport {
    let mut grants = vec![Grant::of("timer slack 1 ns", prctl::set_timerslack(1), "")];
    if wanted.lock_memory {
        grants.push(lock_memory());
    }
    if !wanted.cores.is_empty() {
        grants.push(pin(&wanted.cores));
    }
    // Last, so that the slow work above is not done at real-time priority.
    if let Some(priority) = wanted.fifo_priority {
        grants.push(fifo(priority));
    }
    RealTimeReport { grants }
}

impl Grant {
    fn of(what: impl Into<String>, outcome: Result<(), Errno>, remedy: &str) -> Grant {
        let refused = outcome.err().map(|errno| match remedy {
            "" => errno.desc().to_owned(),
            remedy => format!("{} ({remedy})", errno.desc()),
        });
        Grant { what: what.into(), refused }
    }
}

fn lock_memory() -> Grant {
    keep_heap();
    let outcome = mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE);
    Grant::of("locked memory", outcome, "needs CAP_IPC_LOCK, or memlock unlimited in limits.conf")
}

/// Keeps glibc from giving memory back and fetching it again: with locked memory each fetch maps and zeroes pages.
#[cfg(target_env = "gnu")]
fn keep_heap() {
    // SAFETY: mallopt only changes parameters of the allocator, under its own lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, -1);
    }
}

#[cfg(not(target_env = "gnu"))]
fn keep_heap() {}

fn pin(cores: &[usize]) -> Grant {
    let mut set = CpuSet::new();
    let outcome = cores
        .iter()
        .try_for_each(|&core| set.set(core))
        .and_then(|()| sched_setaffinity(Pid::from_raw(0), &set));
    Grant::of(
        format!("cores {cores:?}"),
        outcome,
        "is each of these cores there and allowed to this process?",
    )
}

fn fifo(priority: u8) -> Grant {
    let parameters = libc::sched_param { sched_priority: i32::from(priority) };
    // SAFETY: `parameters` lives through the call, which only reads it; pid 0 is the calling thread.
    let outcome = Errno::result(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) });
    let outcome = outcome.map(drop);
    let remedy = match outcome {
        Err(Errno::EPERM) => why_not_fifo(),
        _ => "must be 1 to 99".to_owned(),
    };
    Grant::of(format!("SCHED_FIFO {priority}"), outcome, &remedy)
}

/// Why a real-time priority is not permitted, and what to do.
pub fn why_not_fifo() -> String {
    match control_group::without_real_time() {
        Some(share) => {
            format!(
                "{} is 0: no thread of this control group may; write 100000 there, and first to those above it",
                share.display()
            )
        }
        None => "needs CAP_SYS_NICE, or rtprio in limits.conf".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    /// On a thread of its own, so that the test runner's threads keep their scheduling.
    fn on_a_thread(wanted: RealTime) -> RealTimeReport {
        std::thread::spawn(move || apply(&wanted)).join().unwrap()
    }

    #[test]
    fn nothing_asked_for_is_timer_slack_alone_and_granted() {
        let report = on_a_thread(RealTime::default());
        assert_eq!(report.grants.len(), 1);
        assert!(report.is_complete(), "{report}");
    }

    /// A group that has no real time, which is how a new one begins.
    struct Group(PathBuf);

    impl Group {
        fn new() -> Option<Group> {
            let path = PathBuf::from(format!("/sys/fs/cgroup/cpu/tokkyu-test-{}", std::process::id()));
            fs::create_dir(&path).ok()?;
            let group = Group(path);
            group.0.join("cpu.rt_runtime_us").exists().then_some(group)
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            // A thread leaves its group a moment after it is joined.
            let is_gone = |_| {
                std::thread::sleep(std::time::Duration::from_millis(1));
                fs::remove_dir(&self.0).is_ok()
            };
            let _ = (0..1_000).any(is_gone);
        }
    }

    #[test]
    fn a_control_group_without_real_time_is_named() {
        let Some(group) = Group::new() else {
            eprintln!("skipped: no control groups of version 1 with real time; run as root on such a kernel");
            return;
        };
        let share = group.0.join("cpu.rt_runtime_us").display().to_string();
        let report = std::thread::scope(|scope| {
            let tasks = group.0.join("tasks");
            let in_group = move || {
                // SAFETY: it takes nothing and gives a number.
                let thread = unsafe { libc::gettid() };
                fs::write(tasks, thread.to_string()).unwrap();
                apply(&RealTime { fifo_priority: Some(1), ..RealTime::default() })
            };
            scope.spawn(in_group).join().unwrap()
        });
        assert!(report.to_string().contains(&format!("({share} is 0: no thread")), "{report}");
    }

    #[test]
    fn what_the_system_refuses_is_reported_with_its_reason_and_the_rest_still_done() {
        let report =
            on_a_thread(RealTime { fifo_priority: Some(100), lock_memory: false, cores: vec![1 << 20] });
        let refused: Vec<_> = report.grants.iter().filter(|grant| grant.refused.is_some()).collect();
        assert_eq!(refused.len(), 2, "{report}");
        assert!(
            report.to_string().contains("SCHED_FIFO 100: Invalid argument (must be 1 to 99)"),
            "{report}"
        );
        assert!(report.to_string().contains("granted: timer slack"), "{report}");
    }
}
