//! Threads of the kernel and how they are scheduled.

use std::fmt;
use std::fs;
use std::io;
use std::str::FromStr;

use nix::errno::Errno;
use serde::{Deserialize, Serialize};

/// A scheduling policy with its priority, of those that tuning deals with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Any that is not in real time.
    Other,
    /// `SCHED_FIFO`, 1 to 99.
    Fifo(u8),
    /// `SCHED_RR`, 1 to 99.
    Rr(u8),
}

impl Policy {
    /// Real-time priority, 0 where there is none.
    pub fn priority(self) -> u8 {
        match self {
            Policy::Other => 0,
            Policy::Fifo(priority) | Policy::Rr(priority) => priority,
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Other => f.pad("other"),
            Policy::Fifo(priority) => write!(f, "fifo {priority}"),
            Policy::Rr(priority) => write!(f, "rr {priority}"),
        }
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let priority = |word: &str| {
            word.parse()
                .ok()
                .filter(|priority| (1..=99).contains(priority))
                .ok_or(format!("{text}: no policy"))
        };
        match text.split_once(' ') {
            None if text == "other" => Ok(Policy::Other),
            Some(("fifo", word)) => priority(word).map(Policy::Fifo),
            Some(("rr", word)) => priority(word).map(Policy::Rr),
            _ => Err(format!("{text}: no policy")),
        }
    }
}

/// A thread of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Such as `irq/24-vmac0`.
    pub name: String,
    /// Its number; another after the link was down.
    pub id: i32,
    /// How it is scheduled.
    pub policy: Policy,
}

/// The kernel's threads for which `wanted` holds, by name. Empty where `/proc` hides them.
pub(crate) fn find(wanted: impl Fn(&str) -> bool) -> Vec<Thread> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let thread = |id: i32| {
        let read = |file: &str| fs::read_to_string(format!("/proc/{id}/{file}")).ok();
        let name = read("comm")?.trim().to_owned();
        // A program may take any name; the kernel's threads have no command line.
        let is_kernel = wanted(&name) && read("cmdline")?.is_empty();
        is_kernel.then(|| Some(Thread { name, id, policy: policy_of(id).ok()? })).flatten()
    };
    let mut found: Vec<Thread> = ids.filter_map(thread).collect();
    found.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
    found
}

/// How a thread is scheduled.
pub(crate) fn policy_of(id: i32) -> io::Result<Policy> {
    // SAFETY: no pointers.
    let policy = Errno::result(unsafe { libc::sched_getscheduler(id) })?;
    let mut parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the parameters outlive the call.
    Errno::result(unsafe { libc::sched_getparam(id, &mut parameters) })?;
    let priority = parameters.sched_priority.clamp(0, 99) as u8;
    Ok(match policy & !libc::SCHED_RESET_ON_FORK {
        libc::SCHED_FIFO => Policy::Fifo(priority),
        libc::SCHED_RR => Policy::Rr(priority),
        _ => Policy::Other,
    })
}

/// Schedules a thread anew.
pub(crate) fn set_policy(id: i32, policy: Policy) -> io::Result<()> {
    let number = match policy {
        Policy::Other => libc::SCHED_OTHER,
        Policy::Fifo(_) => libc::SCHED_FIFO,
        Policy::Rr(_) => libc::SCHED_RR,
    };
    let parameters = libc::sched_param { sched_priority: policy.priority().into() };
    // SAFETY: the parameters outlive the call.
    Errno::result(unsafe { libc::sched_setscheduler(id, number, &parameters) })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_is_what_it_says() {
        for policy in [Policy::Other, Policy::Fifo(1), Policy::Rr(99)] {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        for text in ["fifo", "fifo 0", "fifo 100", "batch", ""] {
            assert!(text.parse::<Policy>().is_err(), "{text}");
        }
    }

    #[test]
    fn programs_are_no_threads_of_the_kernel() {
        let own = fs::read_to_string("/proc/self/comm").unwrap();
        assert!(find(|name| name == own.trim()).is_empty());
    }
}
