//! Who did what meanwhile (PRB-27): softirqs, packets per processor, and the threads that carry packets.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::realtime::policy_of;

const SOFTIRQS: [&str; 3] = ["NET_TX", "NET_RX", "TIMER"];
const THREADS: [&str; 5] = ["ksoftirqd/", "irq/", "napi/", "ktimers/", "rcu"];
const STATISTICS: [&str; 8] = [
    "rx_packets",
    "tx_packets",
    "rx_bytes",
    "tx_bytes",
    "rx_dropped",
    "tx_dropped",
    "rx_missed_errors",
    "tx_errors",
];

/// A snapshot; what happened between two is their difference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counters {
    /// When, by `CLOCK_MONOTONIC`.
    pub at_ns: i64,
    /// By name, of each processor.
    pub softirqs: BTreeMap<String, Vec<u64>>,
    /// Packets, dropped, and how often the budget ended (`time_squeeze`), of each processor.
    pub softnet: Vec<[u64; 3]>,
    /// In order of their names.
    pub threads: Vec<Thread>,
    /// Of the device, of all processors.
    pub interrupts: u64,
    /// Of the device, by the kernel's names (`/sys/class/net/DEV/statistics`).
    pub statistics: BTreeMap<String, u64>,
    /// Of all connections of this network namespace.
    pub tcp_retransmissions: u64,
}

/// A thread of the kernel that carries packets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Such as `ksoftirqd/0`.
    pub name: String,
    /// Of the process, as the kernel sees it.
    pub id: i32,
    /// `SCHED_FIFO`, `SCHED_OTHER`, ...
    pub policy: String,
    /// Real-time priority, 0 where there is none.
    pub priority: i32,
    /// Time on a processor.
    pub ran_ns: u64,
}

/// Files that cannot be read count as empty: a kernel without one of them tells the rest.
pub fn snapshot(device: &str) -> Counters {
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let folder = Path::new("/sys/class/net").join(device).join("statistics");
    let statistic = |name: &&str| {
        let value = fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok()?;
        Some(((*name).to_owned(), value))
    };
    Counters {
        at_ns: crate::clock::now(),
        softirqs: softirqs(&text("/proc/softirqs")),
        softnet: softnet(&text("/proc/net/softnet_stat")),
        threads: threads(),
        interrupts: interrupts(&text("/proc/interrupts"), device),
        statistics: STATISTICS.iter().filter_map(statistic).collect(),
        tcp_retransmissions: tcp_retransmissions(&text("/proc/net/snmp")).unwrap_or(0),
    }
}

fn softirqs(text: &str) -> BTreeMap<String, Vec<u64>> {
    let lines = text.lines().filter_map(|line| line.trim().split_once(':'));
    let wanted = lines.filter(|(name, _)| SOFTIRQS.contains(name));
    wanted.map(|(name, counts)| (name.to_owned(), numbers(counts, 10))).collect()
}

fn numbers(text: &str, radix: u32) -> Vec<u64> {
    text.split_whitespace().map_while(|word| u64::from_str_radix(word, radix).ok()).collect()
}

fn softnet(text: &str) -> Vec<[u64; 3]> {
    text.lines().filter_map(|line| numbers(line, 16).first_chunk().copied()).collect()
}

fn interrupts(text: &str, device: &str) -> u64 {
    let of_device = |line: &&str| {
        line.split_whitespace()
            .last()
            .is_some_and(|name| name == device || name.starts_with(&format!("{device}-")))
    };
    let counts = text.lines().filter(of_device).filter_map(|line| line.split_once(':'));
    counts.flat_map(|(_, counts)| numbers(counts, 10)).sum()
}

fn tcp_retransmissions(text: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Tcp: "));
    let (names, values) = (lines.next()?, lines.next()?);
    let at = names.split(' ').position(|name| name == "RetransSegs")?;
    values.split(' ').nth(at)?.parse().ok()
}

fn threads() -> Vec<Thread> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let mut all: Vec<Thread> = ids.filter_map(thread).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

/// Kernel threads only: they have no program, so no command line.
fn thread(id: i32) -> Option<Thread> {
    let read = |name: &str| fs::read_to_string(format!("/proc/{id}/{name}")).ok();
    let name = read("comm")?.trim().to_owned();
    if !THREADS.iter().any(|start| name.starts_with(start)) || !read("cmdline")?.is_empty() {
        return None;
    }
    let (policy, priority) = policy_of(id).ok()?;
    let ran_ns = read("schedstat")?.split(' ').next()?.parse().ok()?;
    Some(Thread { name, id, policy, priority, ran_ns })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_as_the_kernel_writes_them() {
        let text = "                    CPU0       CPU1\n      NET_TX:         12          3\n      NET_RX:        400         50\n       BLOCK:          1          2\n";
        let read = softirqs(text);
        assert_eq!((read.len(), &read["NET_RX"]), (2, &vec![400, 50]));
        assert_eq!(softnet("0000000a 00000001 00000002 00000000\n"), [[10, 1, 2]]);
        let text = "           CPU0       CPU1\n 24:        100          7   PCI-MSI 1-edge      eth0\n 25:  1  1  PCI-MSI 2-edge  eth0-rx-0\n 26:  9  9  PCI-MSI 3-edge  eth01\n";
        assert_eq!(interrupts(text, "eth0"), 109);
        let text = "Tcp: RtoMin RetransSegs InErrs\nTcp: 200 17 0\n";
        assert_eq!(tcp_retransmissions(text), Some(17));
        assert_eq!(tcp_retransmissions("Tcp: A\n"), None);
    }

    #[test]
    fn this_machine_has_softirq_threads() {
        let counters = snapshot("lo");
        let ksoftirqd = counters.threads.iter().find(|thread| thread.name == "ksoftirqd/0");
        // A container may hide the kernel's threads.
        if let Some(thread) = ksoftirqd {
            assert_eq!(thread.policy, "SCHED_OTHER");
        }
        assert!(counters.statistics.contains_key("rx_packets"), "{counters:?}");
    }
}
