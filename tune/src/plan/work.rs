//! Steps for who does the device's work, where, and when.

use super::mask::{self, Mask};
use super::{Change, Found, Goal, Made, Wish};
use crate::host::{Host, irq_name, napi_name};
use crate::napi::{Knob, Values};
use crate::setting::Setting;
use crate::thread::Policy;

/// The kernel's own priority of interrupt threads.
const IRQ_DEFAULT: u8 = 50;
pub(super) const KSOFTIRQD: &str = "ksoftirqd/";
pub(super) const KTIMERS: &str = "ktimers/";

/// Where the device's work belongs.
fn priority(wish: &Wish) -> Result<u8, String> {
    let none = || "no flow has a sender in real time".to_owned();
    match wish.goal {
        Goal::Regular => match wish.senders.iter().min().copied().ok_or_else(none)? {
            1 => Err("the lowest sender has priority 1, and nothing is below that".to_owned()),
            lowest => Ok(lowest - 1),
        },
        Goal::Answers => {
            Ok(IRQ_DEFAULT.max(wish.senders.iter().max().copied().ok_or_else(none)?.min(97) + 1))
        }
    }
}

pub(super) fn irq(host: &Host, wish: &Wish) -> Found {
    let priority = priority(wish)?;
    if !host.real_time && !host.has_interrupt_thread() {
        return Err("without PREEMPT_RT interrupts have no threads".to_owned());
    }
    let threads = host.interrupts.iter().flat_map(|interrupt| &interrupt.threads);
    let others: Vec<_> = threads.filter(|thread| thread.policy != Policy::Fifo(priority)).collect();
    if others.is_empty() {
        return Err(match host.has_interrupt_thread() {
            true => format!("the interrupt's threads are at {priority} already"),
            false => "the driver's handler has no thread".to_owned(),
        });
    }
    // By the number of the interrupt: the thread is made again when the link comes up, and keeps that.
    let changes =
        host.interrupts.iter().filter(|interrupt| !interrupt.threads.is_empty()).map(|interrupt| Change {
            setting: Setting::Threads { name: format!("{}*", irq_name(interrupt.number)) },
            value: Policy::Fifo(priority).to_string(),
        });
    Ok(Made {
        changes: changes.collect(),
        why: format!("all of the device's work for bulk traffic runs there, at {}", others[0].policy),
        expect: match wish.goal {
            Goal::Regular => "senders run when they are due; answers come a wake-up later",
            Goal::Answers => "answers come sooner; senders wait for the work of all that comes in",
        },
    })
}

pub(super) fn napi(host: &Host, wish: &Wish) -> Found {
    let priority = priority(wish)?;
    if host.has_interrupt_thread() {
        return Err("the interrupt's thread does its work".to_owned());
    }
    if host.interrupts.is_empty() {
        return Err("the device has no interrupt".to_owned());
    }
    let Some(threaded) = &host.napi_threaded else {
        return Err("this kernel has no threads for NAPI".to_owned());
    };
    let knob = Setting::Napi { device: host.device.clone(), knob: Knob::Threaded };
    let threads = Change {
        setting: Setting::Threads { name: format!("{}*", napi_name(&host.device)) },
        value: Policy::Fifo(priority).to_string(),
    };
    let all = Values { device: 1, ..Values::default() };
    let switch = (*threaded != all).then(|| Change { setting: knob, value: all.to_string() });
    Ok(Made {
        changes: switch.into_iter().chain([threads]).collect(),
        why: "the driver's handler has no thread, so that its work is ksoftirqd's, with everybody else's"
            .to_owned(),
        expect: "the device's work has a place among the priorities",
    })
}

pub(super) fn affinity(host: &Host, wish: &Wish) -> Found {
    let Some(processor) = wish.processor else {
        return Err(match host.processors.len() {
            0 | 1 => "there is one processor".to_owned(),
            _ => "no processor was named for the device's work (--irq-cpu)".to_owned(),
        });
    };
    if !host.processors.contains(&processor) {
        return Err(format!("processor {processor} is not online"));
    }
    if host.irqbalance {
        return Err("irqbalance runs and would move interrupts again; stop it, or ban these in its settings"
            .to_owned());
    }
    let wanted = processor.to_string();
    let changes: Vec<Change> = host
        .interrupts
        .iter()
        .filter(|interrupt| interrupt.affinity.as_ref() != Some(&wanted))
        .map(|interrupt| Change {
            setting: Setting::File { path: format!("/proc/irq/{}/smp_affinity_list", interrupt.number) },
            value: wanted.clone(),
        })
        .collect();
    match changes.is_empty() {
        true => Err("its interrupts are there already".to_owned()),
        false => Ok(Made {
            changes,
            why: "its interrupts may come to the senders' processors".to_owned(),
            expect: "its work and the senders' do not meet",
        }),
    }
}

/// Work of this device that is spread over processors.
pub(super) fn rps(host: &Host, wish: &Wish) -> Found {
    if host.processors.len() < 2 {
        return Err("there is one processor".to_owned());
    }
    let mut changes = Vec::new();
    for queue in &host.receive_queues {
        let Some(now) = queue.rps_cpus.as_deref().and_then(|text| text.parse::<Mask>().ok()) else {
            continue;
        };
        changes.extend(mask::change(&host.device, &format!("{}/rps_cpus", queue.name), &now, &[]));
    }
    if changes.is_empty() {
        return Err("what comes in is not handed to other processors".to_owned());
    }
    if wish.processor.is_none() {
        return Err("no processor was named for the device's work (--irq-cpu)".to_owned());
    }
    Ok(Made {
        changes,
        why: "what comes in is handed to other processors, the senders' among them".to_owned(),
        expect: "all of the device's work stays where its interrupts are",
    })
}

pub(super) fn coalesce(host: &Host) -> Found {
    let now = host.coalescing.as_ref().ok_or("the driver does not say how long its interrupts wait")?;
    let wanted = now.at_once();
    match wanted == *now {
        true => Err("its interrupts come at once already".to_owned()),
        false => Ok(Made {
            changes: vec![Change {
                setting: Setting::Coalescing { device: host.device.clone() },
                value: wanted.to_string(),
            }],
            why: format!(
                "an interrupt waits for more frames ({now}), and so does what has come, or may be sent next"
            ),
            expect: "answers come sooner, and the device never idles while frames wait; more interrupts cost more of the processor",
        }),
    }
}

pub(super) fn defer(host: &Host) -> Found {
    let changes: Vec<Change> = host
        .deferral
        .iter()
        .filter(|(_, now)| !now.are_zero())
        .map(|(knob, _)| Change {
            setting: Setting::Napi { device: host.device.clone(), knob: *knob },
            value: Values::default().to_string(),
        })
        .collect();
    match (host.deferral.is_empty(), changes.is_empty()) {
        (true, _) => Err("this kernel does not defer interrupts for NAPI".to_owned()),
        (_, true) => Err("NAPI does not defer interrupts".to_owned()),
        (_, false) => Ok(Made {
            changes,
            why: "with interrupts deferred NAPI looks for frames by a timer".to_owned(),
            expect: "what comes is seen when its interrupt comes",
        }),
    }
}

/// Threads of the kernel's, for each processor, `beginning` of their names.
pub(super) fn kernel_threads(host: &Host, beginning: &str, priority: u8) -> Found {
    let threads: Vec<_> = host.threads.iter().filter(|thread| thread.name.starts_with(beginning)).collect();
    let policy = Policy::Fifo(priority);
    if threads.is_empty() {
        return Err("this kernel has none, or they are hidden here, as in a container".to_owned());
    }
    if threads.iter().all(|thread| thread.policy == policy) {
        return Err(format!("{beginning}* is at {priority} already"));
    }
    Ok(Made {
        changes: vec![Change {
            setting: Setting::Threads { name: format!("{beginning}*") },
            value: policy.to_string(),
        }],
        why: match beginning {
            KTIMERS => "timers of the kernel that expire in softirqs wait there, pacing and retransmission among them",
            _ => "softirqs that nobody else has taken wait there behind all programs",
        }
        .to_owned(),
        expect: match beginning {
            KTIMERS => "bulk traffic that is paced by the kernel comes before programs; nothing where nobody paces",
            _ => "little where interrupts have threads, which take their own softirqs; where they have none, bulk work comes before programs",
        },
    })
}
