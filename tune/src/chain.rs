//! The way of a frame through this host as it is today, with priorities (TUNE-3).

use serde::{Deserialize, Serialize};

use crate::host::{Host, Interrupt};
use crate::plan::Wish;
use crate::thread::Thread;

/// One thing that a frame meets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// What.
    pub what: String,
    /// How it is now.
    pub now: String,
}

/// In the order in which a frame that is sent meets it, then what comes in.
pub fn chain(host: &Host, wish: &Wish) -> Vec<Hop> {
    let hop = |what: &str, now: String| Hop { what: what.to_owned(), now };
    vec![
        hop("task that sends", senders(wish)),
        hop("queueing discipline", root(host)),
        hop("device's queue", device_queue(host)),
        hop("interrupt", interrupts(host)),
        hop("NAPI", napi(host)),
        hop("softirqs", softirqs(host)),
        hop("ksoftirqd", all(host.threads.iter().filter(|thread| thread.name.starts_with("ksoftirqd/")))),
        hop("timers", all(host.threads.iter().filter(|thread| thread.name.starts_with("ktimers/")))),
        hop("RCU", all(host.threads.iter().filter(|thread| thread.name.starts_with("rcu")))),
    ]
}

fn senders(wish: &Wish) -> String {
    match wish.senders.as_slice() {
        [] => "other: no flow is in real time".to_owned(),
        all => all.iter().map(|priority| format!("fifo {priority}")).collect::<Vec<_>>().join(", "),
    }
}

fn root(host: &Host) -> String {
    let kind = match host.root.as_deref().unwrap_or("unknown") {
        "pfifo_fast" => "pfifo_fast (without a lock: who sends just now may have to send another's frame)",
        "noqueue" => "noqueue",
        kind if host.leaves_frames() => {
            &format!("{kind} (before its lock a list: who sends just now may have to send another's frame)")
        }
        kind => kind,
    };
    match host.gso_max_segs {
        Some(segments) if segments > 1 => format!("{kind}, packets of up to {segments} segments"),
        Some(_) => format!("{kind}, packets of one frame"),
        None => kind.to_owned(),
    }
}

fn device_queue(host: &Host) -> String {
    let queue = |queue: &crate::host::Queue| match queue.limit_max {
        None => format!("{}: no byte limit", queue.name),
        Some(bytes) => format!("{}: at most {bytes} bytes", queue.name),
    };
    match host.queues.as_slice() {
        [] => "none".to_owned(),
        queues => queues.iter().map(queue).collect::<Vec<_>>().join(", "),
    }
}

fn interrupts(host: &Host) -> String {
    let waits = match &host.coalescing {
        Some(coalescing) if *coalescing != coalescing.at_once() => {
            format!("; waits for more frames: {coalescing}")
        }
        _ => String::new(),
    };
    let one = |interrupt: &Interrupt| {
        let on = interrupt.affinity.as_deref().unwrap_or("?");
        match interrupt.threads.is_empty() {
            true => format!("{} (processors {on}): handler without a thread", interrupt.number),
            false => format!("{} (processors {on}): {}", interrupt.number, all(interrupt.threads.iter())),
        }
    };
    match host.interrupts.as_slice() {
        [] => "the device has none".to_owned(),
        interrupts => interrupts.iter().map(one).collect::<Vec<_>>().join(", ") + &waits,
    }
}

fn softirqs(host: &Host) -> String {
    match host.bh_lock {
        _ if !host.real_time => "of each processor one after the other, past all threads".to_owned(),
        Some(true) => "of each processor one after the other: who waits lends its priority".to_owned(),
        Some(false) => "without a lock: one may come in the middle of another".to_owned(),
        None => "in threads; whether by a lock, this kernel does not say (its configuration is not here)"
            .to_owned(),
    }
}

fn napi(host: &Host) -> String {
    let threaded = host.napi_threaded.as_ref().is_some_and(|values| !values.are_zero());
    match (threaded, host.napi_threads.is_empty(), host.has_interrupt_thread()) {
        (true, false, _) => all(host.napi_threads.iter()),
        (_, _, true) => "in the interrupt's thread".to_owned(),
        (_, _, false) if host.real_time => "in ksoftirqd".to_owned(),
        _ => "after the interrupt, in ksoftirqd when there is much".to_owned(),
    }
}

/// Threads by their scheduling.
fn all<'a>(threads: impl Iterator<Item = &'a Thread>) -> String {
    let mut told: Vec<(String, Vec<&str>)> = Vec::new();
    for thread in threads {
        let policy = thread.policy.to_string();
        match told.iter_mut().find(|(known, _)| *known == policy) {
            Some((_, names)) => names.push(&thread.name),
            None => told.push((policy, vec![&thread.name])),
        }
    }
    match told.is_empty() {
        true => "none is seen from here".to_owned(),
        false => told
            .iter()
            .map(|(policy, names)| format!("{policy} ({})", names.join(" ")))
            .collect::<Vec<_>>()
            .join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thread::Policy;

    #[test]
    fn threads_are_told_by_their_scheduling() {
        let thread = |name: &str, policy| Thread { name: name.to_owned(), id: 1, policy };
        let threads = [
            thread("rcuc/0", Policy::Fifo(1)),
            thread("rcu_gp", Policy::Other),
            thread("rcuc/1", Policy::Fifo(1)),
        ];
        assert_eq!(all(threads.iter()), "fifo 1 (rcuc/0 rcuc/1), other (rcu_gp)");
        assert_eq!(all([].iter()), "none is seen from here");
    }

    #[test]
    fn a_root_that_leaves_frames_to_others_is_told() {
        let list = "before its lock a list";
        let mut host = Host { real_time: true, root: Some("prio".to_owned()), ..Host::default() };
        assert!(!root(&host).contains(list));
        host.list_before_root = true;
        assert!(root(&host).contains(list), "{}", root(&host));
        assert!(!root(&Host { bh_lock: Some(true), ..host.clone() }).contains(list));
        assert!(!root(&Host { real_time: false, ..host.clone() }).contains(list));
        assert_eq!(root(&Host { root: Some("noqueue".to_owned()), ..host }), "noqueue");
    }

    #[test]
    fn where_napi_runs_follows_from_threads() {
        let mut host = Host { real_time: true, ..Host::default() };
        assert_eq!(napi(&host), "in ksoftirqd");
        host.napi_threaded = Some("1".parse().unwrap());
        host.napi_threads.push(Thread { name: "napi/eth0-1".to_owned(), id: 1, policy: Policy::Fifo(9) });
        assert_eq!(napi(&host), "fifo 9 (napi/eth0-1)");
    }
}
