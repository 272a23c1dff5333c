//! `agent schedule`: the kernel's threads of one name, in real time or not.

use tokkyu_tune::{Policy, Setting};

/// All whose name begins so, as `SCHED_FIFO` of this priority, or `SCHED_OTHER` for 0. None at all is an error.
pub fn run(name: &str, priority: &str) -> Result<(), String> {
    let policy = match priority.parse() {
        Ok(0) => Policy::Other,
        Ok(priority @ 1..=98) => Policy::Fifo(priority),
        _ => return Err(format!("{priority}: no priority from 0 to 98")),
    };
    let threads = Setting::Threads { name: format!("{name}*") };
    threads.write(&policy.to_string()).map_err(|error| format!("{threads}: {error}"))
}
