//! The measuring thread's place among the others (PRB-30 to PRB-33).

use std::fs::{self, File, OpenOptions};
use std::hint::black_box;
use std::io::Write;

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use crate::error::{ProbeError, failed};

const STACK_BYTES: usize = 256 * 1024;
/// What the kernel asks how long a processor may take to wake up.
pub const DMA_LATENCY: &str = "/dev/cpu_dma_latency";

/// What is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted {
    /// `SCHED_FIFO` of 1 to 98; 0: as it is.
    pub priority: u8,
    pub cpu: Option<usize>,
}

/// What was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// `SCHED_FIFO`, `SCHED_OTHER`, ...
    pub policy: String,
    /// Real-time priority, 0 where there is none.
    pub priority: i32,
    /// Whether its memory stays where it is.
    pub locked: bool,
    /// Whether processors are kept from deep sleep.
    pub dma_latency: bool,
}

/// As long as this lives processors are kept from sleep, as cyclictest does (PRB-32).
#[derive(Debug)]
pub struct Awake {
    _dma_latency: File,
}

impl Awake {
    /// Says to the kernel that a processor may take no time to wake up.
    ///
    /// # Errors
    /// `/dev/cpu_dma_latency` is not there, or not for this user.
    pub fn keep() -> std::io::Result<Awake> {
        let mut file = OpenOptions::new().write(true).open(DMA_LATENCY)?;
        file.write_all(&0_i32.to_ne_bytes())?;
        Ok(Awake { _dma_latency: file })
    }
}

/// As long as this lives processors are kept from deep sleep.
pub struct Held {
    _awake: Option<Awake>,
    pub reached: Reached,
}

/// For the calling thread.
pub fn enter(wanted: Wanted) -> Result<Held, ProbeError> {
    mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE).map_err(|error| {
        ProbeError::NotPossible(format!(
            "memory cannot be locked: {error}; run it as root, or raise the limit (ulimit -l)"
        ))
    })?;
    touch_stack();
    if let Some(cpu) = wanted.cpu {
        pin(cpu)?;
    }
    if wanted.priority > 0 {
        set_fifo(wanted.priority)?;
    }
    let awake = Awake::keep().ok();
    let (policy, priority) = policy_of(0).map_err(failed("scheduling policy"))?;
    let reached = Reached { policy, priority, locked: true, dma_latency: awake.is_some() };
    Ok(Held { _awake: awake, reached })
}

/// Keeps the calling thread on this processor.
pub fn pin(cpu: usize) -> Result<(), ProbeError> {
    let mut set = CpuSet::new();
    set.set(cpu).and_then(|()| sched_setaffinity(Pid::from_raw(0), &set)).map_err(|error| {
        ProbeError::NotPossible(format!(
            "processor {cpu}: {error}; is it online, and allowed to this program (taskset -p $$)?"
        ))
    })
}

/// So that no page of it comes in the middle of a measurement.
fn touch_stack() {
    let mut pages = [0_u8; STACK_BYTES];
    pages.iter_mut().step_by(4_096).for_each(|byte| *byte = 1);
    black_box(&pages);
}

fn set_fifo(priority: u8) -> Result<(), ProbeError> {
    let parameters = libc::sched_param { sched_priority: i32::from(priority) };
    // SAFETY: the parameters outlive the call; 0 is the calling thread.
    match Errno::result(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) }) {
        Ok(_) => Ok(()),
        Err(error) => {
            Err(ProbeError::NotPossible(format!("SCHED_FIFO {priority}: {error}; {}", in_the_way(priority))))
        }
    }
}

/// Why the kernel may have refused.
fn in_the_way(priority: u8) -> String {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure outlives the call.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_RTPRIO, &mut limit) } == 0;
    if let Some(group) = group_without_runtime() {
        return format!("its control group has no real-time budget: echo 950000 > {group}/cpu.rt_runtime_us");
    }
    match known && limit.rlim_cur < u64::from(priority) {
        true => {
            format!("run it as root, or raise the limit, which is {} (ulimit -r {priority})", limit.rlim_cur)
        }
        false => "run it as root".to_owned(),
    }
}

/// The program's group of the controller cpu, if it may run nothing in real time. Version 2 knows no such budget.
fn group_without_runtime() -> Option<String> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        controllers.split(',').any(|name| name == "cpu").then_some(path)
    })?;
    let folder = format!("/sys/fs/cgroup/cpu{path}");
    let runtime = fs::read_to_string(format!("{folder}/cpu.rt_runtime_us")).ok()?;
    (runtime.trim() == "0").then_some(folder)
}

/// Name of the scheduling policy and priority of a thread, 0 for the calling one.
pub fn policy_of(thread: i32) -> Result<(String, i32), Errno> {
    // SAFETY: no pointers.
    let policy = Errno::result(unsafe { libc::sched_getscheduler(thread) })?;
    let mut parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the parameters outlive the call.
    Errno::result(unsafe { libc::sched_getparam(thread, &mut parameters) })?;
    let name = match policy & !libc::SCHED_RESET_ON_FORK {
        libc::SCHED_OTHER => "SCHED_OTHER",
        libc::SCHED_FIFO => "SCHED_FIFO",
        libc::SCHED_RR => "SCHED_RR",
        libc::SCHED_BATCH => "SCHED_BATCH",
        libc::SCHED_IDLE => "SCHED_IDLE",
        libc::SCHED_DEADLINE => "SCHED_DEADLINE",
        _ => "unknown",
    };
    Ok((name.to_owned(), parameters.sched_priority))
}
