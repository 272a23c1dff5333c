//! Whether this thread's control group may use real-time scheduling at all.
//!
//! A kernel with `CONFIG_RT_GROUP_SCHED` gives each group of the `cpu` controller (version 1) a part of real time, and a new
//! group none: `SCHED_FIFO` is then refused with `EPERM`, whatever the process may do otherwise (Linux,
//! Documentation/scheduler/sched-rt-group.rst). Asked only after a refusal; reads three small files.

use std::fs;
use std::path::{Path, PathBuf};

const SHARE: &str = "cpu.rt_runtime_us";

/// The file that gives this thread's group no real time, where that is so.
pub(super) fn without_real_time() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/thread-self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    let share = folder(&groups, &mounts)?.join(SHARE);
    let runtime_us: i64 = fs::read_to_string(&share).ok()?.trim().parse().ok()?;
    (runtime_us == 0).then_some(share)
}

/// The folder of the group that `groups` names for the controller, below where `mounts` has it.
fn folder(groups: &str, mounts: &str) -> Option<PathBuf> {
    let (mount, root) = mounts.lines().find_map(mount)?;
    let group = groups.lines().find_map(group)?;
    // Inside a container the group's path counts from a root above what is mounted.
    let below = Path::new(group).strip_prefix(root).or_else(|_| Path::new(group).strip_prefix("/")).ok()?;
    Some(Path::new(mount).join(below))
}

/// `hierarchy:controllers:path`, of the line with the controller.
fn group(line: &str) -> Option<&str> {
    let mut fields = line.splitn(3, ':').skip(1);
    let is_cpu = fields.next()?.split(',').any(|controller| controller == "cpu");
    fields.next().filter(|_| is_cpu)
}

/// Mount point and root of the controller's hierarchy (`proc_pid_mountinfo(5)`: fields 5 and 4).
fn mount(line: &str) -> Option<(&str, &str)> {
    let (place, system) = line.split_once(" - ")?;
    let mut system = system.split(' ');
    let is_group = system.next()? == "cgroup";
    let is_cpu = system.nth(1)?.split(',').any(|option| option == "cpu");
    let mut place = place.split(' ').skip(3);
    let (root, point) = (place.next()?, place.next()?);
    (is_group && is_cpu).then_some((point, root))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n\
        32 31 0:29 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n\
        33 31 0:30 /docker/7 /sys/fs/cgroup/cpu,cpuset rw,nosuid shared:4 - cgroup cgroup rw,cpu,cpuset\n";

    #[test]
    fn the_group_is_found_where_its_controller_is_mounted() {
        let folder_of = |groups: &str| folder(groups, MOUNTS).map(|path| path.display().to_string());
        let found = |below: &str| Some(format!("/sys/fs/cgroup/cpu,cpuset{below}"));
        assert_eq!(folder_of("5:cpuacct:/a\n4:cpu,cpuset:/docker/7/robot:1\n0::/"), found("/robot:1"));
        assert_eq!(folder_of("4:cpuset,cpu:/robot"), found("/robot"), "a group named from inside");
        assert_eq!(folder_of("4:cpuacct:/robot\n0::/robot"), None);
        assert_eq!(folder("4:cpu:/robot", "cut off\n33 31 - cgroup\n"), None);
    }
}
