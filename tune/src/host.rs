//! What there is on this host: the kernel, and one device (TUNE-1).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::coalescing::Coalescing;
use crate::configuration;
use crate::error::TuneError;
use crate::napi::{Knob, Values};
use crate::netlink;
use crate::thread::{self, Thread};

/// Bounds the list before a root; kernels without the list (before 6.19) have no such file.
const LIST_BEFORE_ROOT: &str = "/proc/sys/net/core/qdisc_max_burst";

/// What was found. Of what could not be read `None` stands here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Release of the kernel.
    pub kernel: String,
    /// PREEMPT_RT.
    pub real_time: bool,
    /// Processors online.
    pub processors: Vec<u32>,
    /// `sched_rt_runtime_us`; -1: real-time threads may take all of a processor.
    pub rt_runtime_us: Option<i64>,
    /// Whether irqbalance runs, which moves interrupts.
    pub irqbalance: bool,
    /// Whether softirqs of one processor wait for each other by a lock, which lends the priority of who waits; `None`: the kernel does not say how
    /// it was configured.
    pub bh_lock: Option<bool>,
    /// Whether a frame is put on a list before the lock of the root, for the thread that is first on it: whoever is not leaves its frame to that thread and
    /// its priority.
    pub list_before_root: bool,
    /// What our control group may take in real time of each period, us; `None`: the kernel has no such limit.
    pub group_rt_runtime_us: Option<i64>,
    /// The kernel's threads `ksoftirqd/*`, `ktimers/*` and `rcu*`.
    pub threads: Vec<Thread>,
    /// The device.
    pub device: String,
    /// Its hardware address.
    pub address: String,
    /// Its driver; virtual devices have none.
    pub driver: Option<String>,
    /// Its MTU.
    pub mtu: Option<u32>,
    /// Most segments in one packet on its way to the device.
    pub gso_max_segs: Option<u32>,
    /// Name of its root queueing discipline; `noqueue` where nothing waits.
    pub root: Option<String>,
    /// Whether somebody has set it up, in place of the kernel.
    pub root_was_set_up: bool,
    /// Its transmit queues.
    pub queues: Vec<Queue>,
    /// Its receive queues.
    pub receive_queues: Vec<ReceiveQueue>,
    /// How long its interrupts wait for more frames; `None`: the driver does not say.
    pub coalescing: Option<Coalescing>,
    /// How NAPI defers interrupts, where the kernel can.
    pub deferral: Vec<(Knob, Values)>,
    /// Whether NAPI has threads; `None`: the kernel does not know of it.
    pub napi_threaded: Option<Values>,
    /// Its interrupts.
    pub interrupts: Vec<Interrupt>,
    /// NAPI's threads.
    pub napi_threads: Vec<Thread>,
}

/// A transmit queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queue {
    /// Such as `tx-0`.
    pub name: String,
    /// Most bytes that the device may have (BQL); `None`: the kernel or the driver has none.
    pub limit_max: Option<u64>,
    /// Processors that send by it, as sysfs has them; `None`: the kernel does not choose by processor.
    pub xps_cpus: Option<String>,
}

/// A receive queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiveQueue {
    /// Such as `rx-0`.
    pub name: String,
    /// Processors that its work is handed to, as sysfs has them; none: it stays where the interrupt is.
    pub rps_cpus: Option<String>,
}

/// An interrupt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupt {
    /// Its number.
    pub number: u32,
    /// As `/proc/interrupts` has it.
    pub name: String,
    /// Processors it may come to.
    pub affinity: Option<String>,
    /// Its threads, where it has any.
    pub threads: Vec<Thread>,
}

/// Looks at everything that concerns this device.
pub(crate) fn look(device: &str) -> Result<Host, TuneError> {
    let folder = Path::new("/sys/class/net").join(device);
    if device.is_empty() || device.contains('/') || netlink::index(device).is_err() {
        return Err(TuneError::NoDevice(device.to_owned()));
    }
    let root = netlink::root(device);
    let release = value("/proc/sys/kernel/osrelease".into()).unwrap_or_default();
    Ok(Host {
        kernel: release.clone(),
        real_time: is_real_time(
            value("/sys/kernel/realtime".into()).as_deref(),
            &value("/proc/sys/kernel/version".into()).unwrap_or_default(),
        ),
        processors: processors(&value("/sys/devices/system/cpu/online".into()).unwrap_or_default()),
        rt_runtime_us: value("/proc/sys/kernel/sched_rt_runtime_us".into())
            .and_then(|text| text.parse().ok()),
        irqbalance: runs("irqbalance"),
        bh_lock: configuration::text(&release).map(|text| configuration::has_bh_lock(&text)),
        list_before_root: Path::new(LIST_BEFORE_ROOT).exists(),
        group_rt_runtime_us: group_rt_runtime_us(),
        threads: thread::find(|name| {
            ["ksoftirqd/", "ktimers/", "rcu"].iter().any(|start| name.starts_with(start))
        }),
        device: device.to_owned(),
        address: value(folder.join("address")).unwrap_or_default(),
        driver: driver(&folder),
        mtu: value(folder.join("mtu")).and_then(|text| text.parse().ok()),
        gso_max_segs: netlink::gso_max_segs(device).ok(),
        root: root
            .as_ref()
            .ok()
            .map(|root| root.as_ref().map_or("noqueue", |root| root.kind.as_str()).to_owned()),
        root_was_set_up: root.is_ok_and(|root| root.is_some_and(|root| root.was_set_up)),
        queues: queues(&folder.join("queues")).unwrap_or_default(),
        receive_queues: receive_queues(&folder.join("queues")).unwrap_or_default(),
        coalescing: Coalescing::read(device).ok(),
        deferral: Knob::DEFERRAL
            .into_iter()
            .filter_map(|knob| Some((knob, knob.read(device).ok()?)))
            .collect(),
        napi_threaded: Knob::Threaded.read(device).ok(),
        interrupts: interrupts(&value("/proc/interrupts".into()).unwrap_or_default(), device),
        napi_threads: thread::find(|name| name.starts_with(&napi_name(device))),
    })
}

/// The file is of the kernels that have PREEMPT_RT as a patch; the others say it with their version.
fn is_real_time(file: Option<&str>, version: &str) -> bool {
    file == Some("1") || version.split_whitespace().any(|word| word == "PREEMPT_RT")
}

/// Beginning of the names of NAPI's threads; a name of the kernel's threads has 15 characters.
pub(crate) fn napi_name(device: &str) -> String {
    format!("napi/{device}-")
}

fn driver(folder: &Path) -> Option<String> {
    let link = fs::read_link(folder.join("device/driver")).ok()?;
    Some(link.file_name()?.to_string_lossy().into_owned())
}

/// A list such as `0-2,4`.
fn processors(text: &str) -> Vec<u32> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<u32>().ok()?..=last.parse::<u32>().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

fn runs(program: &str) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else { return false };
    let name = |entry: io::Result<fs::DirEntry>| fs::read_to_string(entry.ok()?.path().join("comm")).ok();
    processes.filter_map(name).any(|name| name.trim() == program)
}

/// Names of the folders of queues, by their numbers.
fn queue_names(folder: &Path, beginning: &str) -> io::Result<Vec<String>> {
    let names = fs::read_dir(folder)?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(beginning)).collect();
    names.sort_by_key(|name| name[beginning.len()..].parse::<u32>().unwrap_or(u32::MAX));
    Ok(names)
}

/// A file that holds one value.
fn value(path: PathBuf) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn queues(folder: &Path) -> io::Result<Vec<Queue>> {
    let queue = |name: String| {
        // A driver that does not account for its bytes has the files as well; its limit then bounds nothing and harms nothing.
        let limit = value(folder.join(&name).join("byte_queue_limits/limit_max"));
        Queue {
            limit_max: limit.and_then(|text| text.parse().ok()),
            xps_cpus: value(folder.join(&name).join("xps_cpus")),
            name,
        }
    };
    Ok(queue_names(folder, "tx-")?.into_iter().map(queue).collect())
}

fn receive_queues(folder: &Path) -> io::Result<Vec<ReceiveQueue>> {
    let queue = |name: String| ReceiveQueue { rps_cpus: value(folder.join(&name).join("rps_cpus")), name };
    Ok(queue_names(folder, "rx-")?.into_iter().map(queue).collect())
}

/// Of the control group that this program is in (`CONFIG_RT_GROUP_SCHED`, control groups of the first version).
fn group_rt_runtime_us() -> Option<i64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        controllers.split(',').any(|name| name == "cpu").then_some(path)
    })?;
    let file = Path::new("/sys/fs/cgroup/cpu").join(path.trim_start_matches('/')).join("cpu.rt_runtime_us");
    value(file)?.parse().ok()
}

/// Those whose name is the device's, or begins with it and `-` (queues) or `@` and the like do not.
fn interrupts(text: &str, device: &str) -> Vec<Interrupt> {
    let of_device = |line: &str| {
        let (number, rest) = line.trim().split_once(':')?;
        let name = rest.split_whitespace().last()?;
        let is_its = name == device || name.strip_prefix(device).is_some_and(|rest| rest.starts_with('-'));
        is_its.then_some((number.parse().ok()?, name.to_owned()))
    };
    let interrupt = |(number, name): (u32, String)| {
        let affinity = fs::read_to_string(format!("/proc/irq/{number}/smp_affinity_list"));
        Interrupt {
            number,
            name,
            affinity: affinity.ok().map(|text| text.trim().to_owned()),
            threads: thread::find(|name| name.starts_with(&irq_name(number))),
        }
    };
    text.lines().filter_map(of_device).map(interrupt).collect()
}

/// Beginning of the names of an interrupt's threads.
pub(crate) fn irq_name(number: u32) -> String {
    format!("irq/{number}-")
}

impl Host {
    /// Highest priority of the threads whose names begin so; 0 where none is in real time.
    pub fn priority(&self, beginning: &str) -> u8 {
        let of = self.threads.iter().filter(|thread| thread.name.starts_with(beginning));
        of.map(|thread| thread.policy.priority()).max().unwrap_or(0)
    }

    /// Whether the driver's handler has a thread.
    pub fn has_interrupt_thread(&self) -> bool {
        self.interrupts.iter().any(|interrupt| !interrupt.threads.is_empty())
    }

    /// Whether a thread in real time may have to wait until one without has the processor again and sends its frame: that one was first on the list, and was
    /// interrupted before it had the lock. A lock of softirqs would lend it the priority; without PREEMPT_RT it is not interrupted there.
    pub fn leaves_frames(&self) -> bool {
        self.real_time && self.list_before_root && self.bh_lock != Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_of_a_device_are_its_own_and_those_of_its_queues() {
        let text = "           CPU0       CPU1\n 24:        100          7   PCI-MSI 1-edge      eth0\n 25:  1  1  PCI-MSI 2-edge  eth0-rx-0\n 26:  9  9  PCI-MSI 3-edge  eth01\n LOC: 5 5 Local timer interrupts\n";
        let found: Vec<u32> = interrupts(text, "eth0").iter().map(|interrupt| interrupt.number).collect();
        assert_eq!(found, [24, 25]);
    }

    #[test]
    fn real_time_is_said_by_a_file_or_with_the_version() {
        assert!(is_real_time(Some("1"), "#1 SMP Debian 6.1"));
        assert!(is_real_time(None, "#1 SMP PREEMPT_RT Debian 7.3.4-1~bpo13+1 (2026-11-15)"));
        assert!(!is_real_time(None, "#1 SMP PREEMPT_DYNAMIC Debian 7.3.4-1"));
    }

    #[test]
    fn a_list_of_processors_is_read() {
        assert_eq!(processors("0-2,4"), [0, 1, 2, 4]);
        assert_eq!(processors(""), Vec::<u32>::new());
    }

    #[test]
    fn loopback_is_a_device_and_a_path_is_none() {
        let host = look("lo").unwrap();
        assert!(!host.kernel.is_empty() && !host.processors.is_empty() && host.mtu.is_some(), "{host:?}");
        for name in ["", "../lo", "no-such-device"] {
            assert!(matches!(look(name), Err(TuneError::NoDevice(_))), "{name}");
        }
    }
}
