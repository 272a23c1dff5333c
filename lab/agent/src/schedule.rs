//! `agent schedule`: the kernel's threads of one name, in real time or not.

use std::fs;

/// All whose name begins so, as `SCHED_FIFO` of this priority, or `SCHED_OTHER` for 0. None at all is an error.
pub fn run(name: &str, priority: &str) -> Result<(), String> {
    let priority: i32 = priority.parse().map_err(|_| format!("{priority}: no priority from 0 to 98"))?;
    let found = threads(name)?;
    if found.is_empty() {
        return Err(format!("no thread of the kernel whose name begins with {name}"));
    }
    found.into_iter().try_for_each(|id| set(id, priority))
}

fn threads(name: &str) -> Result<Vec<i32>, String> {
    let processes = fs::read_dir("/proc").map_err(|error| format!("/proc: {error}"))?;
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let named = |id: &i32| {
        let of = |file: &str| fs::read_to_string(format!("/proc/{id}/{file}")).unwrap_or_default();
        of("comm").starts_with(name) && of("cmdline").is_empty()
    };
    Ok(ids.filter(named).collect())
}

fn set(id: i32, priority: i32) -> Result<(), String> {
    let policy = if priority == 0 { libc::SCHED_OTHER } else { libc::SCHED_FIFO };
    let parameters = libc::sched_param { sched_priority: priority };
    // SAFETY: the parameters outlive the call.
    match unsafe { libc::sched_setscheduler(id, policy, &parameters) } {
        0 => Ok(()),
        _ => Err(format!("thread {id}: {}", std::io::Error::last_os_error())),
    }
}
