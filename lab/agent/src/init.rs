//! Process 1: what a system needs to have, then the plan, then off.

use std::ffi::CString;
use std::fs;
use std::io::Write;
use std::path::Path;

use nix::kmod::{DeleteModuleFlags, delete_module};
use nix::mount::{MsFlags, mount};
use nix::sys::reboot::{RebootMode, reboot};
use tokkyu_agent::plan::{PATH, Plan};
use tokkyu_agent::report::{Line, MARK};

use crate::execute::Executor;

const MOUNTS: [(&str, &str); 7] = [
    ("proc", "/proc"),
    ("sysfs", "/sys"),
    ("devtmpfs", "/dev"),
    ("tmpfs", "/run"),
    ("tmpfs", "/tmp"),
    ("debugfs", "/sys/kernel/debug"),
    ("cgroup2", "/sys/fs/cgroup"),
];

/// Never returns: process 1 must not end, and a machine that does not go off is ended by the lab's patience.
pub fn run() -> ! {
    let ended = mount_all().and_then(|()| carry_out());
    match ended {
        Ok(()) => say(&Line::Done),
        Err((step, reason)) => say(&Line::Failed { step, reason }),
    }
    nix::unistd::sync();
    let refused = reboot(RebootMode::RB_POWER_OFF);
    eprintln!("agent: cannot switch off: {refused:?}");
    loop {
        nix::unistd::pause();
    }
}

fn mount_all() -> Result<(), (usize, String)> {
    for (kind, at) in MOUNTS {
        let made = fs::create_dir_all(at).map_err(|error| error.to_string());
        let mounted = made.and_then(|()| {
            mount(Some(kind), at, Some(kind), MsFlags::empty(), None::<&str>)
                .map_err(|error| error.to_string())
        });
        mounted.map_err(|reason| (0, format!("{at}: {reason}")))?;
    }
    // `ip netns` keeps its names here.
    fs::create_dir_all("/run/netns").map_err(|error| (0, format!("/run/netns: {error}")))?;
    // Process 1 starts without any, and what it runs looks for others by it; tc for its plugins by the other.
    for (name, value) in [("PATH", "/bin"), ("TC_LIB_DIR", "/usr/lib/tc")] {
        // SAFETY: no other thread has been started.
        unsafe { std::env::set_var(name, value) };
    }
    Ok(())
}

fn carry_out() -> Result<(), (usize, String)> {
    let text = fs::read(Path::new(PATH)).map_err(|error| (0, format!("{PATH}: {error}")))?;
    let plan: Plan = serde_json::from_slice(&text).map_err(|error| (0, format!("{PATH}: {error}")))?;
    let mut executor = Executor::new(say);
    for (number, step) in plan.steps.iter().enumerate() {
        executor.step(step).map_err(|reason| (number, reason))?;
    }
    Ok(())
}

/// Unloads a module; one that is still needed is an error.
pub fn unload(module: &str) -> Result<(), String> {
    let name = CString::new(module).map_err(|error| format!("{module}: {error}"))?;
    delete_module(&name, DeleteModuleFlags::O_NONBLOCK).map_err(|error| format!("{module}: {error}"))
}

/// Nothing can be written there any more.
pub fn make_read_only(folder: &str) -> Result<(), String> {
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
    mount(None::<&str>, folder, None::<&str>, flags, None::<&str>)
        .map_err(|error| format!("{folder}: {error}"))
}

/// A line on the console, whole: what the kernel writes there comes before or after it.
fn say(line: &Line) {
    let json = serde_json::to_string(line).unwrap_or_else(|error| format!("{{\"failed\":\"{error}\"}}"));
    let mut out = std::io::stdout().lock();
    let written = out.write_all(format!("{MARK}{json}\n").as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written {
        eprintln!("agent: console: {error}");
    }
}
