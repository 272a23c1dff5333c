//! Steps for what is before a frame that is sent.

use tokkyu_contract::class::Class;

use super::mask::{self, Mask, others};
use super::{Change, Found, Made, Wish};
use crate::host::Host;
use crate::netlink::PRIORITIES;
use crate::setting::Setting;

/// Bytes of a frame beyond its MTU: Ethernet header, two tags.
const FRAME_BEYOND_MTU: u32 = 14 + 8;

pub(super) fn gso(host: &Host) -> Found {
    match host.gso_max_segs {
        None => Err("the kernel does not say how many segments a packet may have".to_owned()),
        Some(1) => Err("packets are single frames already".to_owned()),
        Some(segments) => Ok(Made {
            changes: vec![Change {
                setting: Setting::GsoMaxSegs { device: host.device.clone() },
                value: "1".to_owned(),
            }],
            why: format!(
                "a TCP train of up to {segments} segments (64 KB, 5.5 ms at 100 Mbit/s) is one packet for bands and byte limits"
            ),
            expect: "nobody waits for a train; bulk TCP costs the processor more for each byte",
        }),
    }
}

pub(super) fn band(host: &Host) -> Found {
    match host.root.as_deref() {
        None => return Err("the root queueing discipline cannot be read".to_owned()),
        Some("noqueue") => return Err("nothing waits before this device".to_owned()),
        Some(kind @ ("mq" | "mqprio" | "lbe" | "taprio" | "etf")) => {
            return Err(format!("the root is {kind}, which has its own order"));
        }
        Some(kind) if host.root_was_set_up => {
            return Err(format!(
                "somebody has set up {kind} as the root; tc qdisc del dev {} root makes room",
                host.device
            ));
        }
        Some(_) => {}
    }
    Ok(Made {
        changes: vec![Change {
            setting: Setting::Root { device: host.device.clone() },
            value: Setting::bands(bands()),
        }],
        why: format!(
            "the root {} knows no classes, or three bands that are not ours",
            host.root.as_deref().unwrap_or_default()
        ),
        expect: "what has SO_PRIORITY 6 or 5 passes all bulk packets that wait",
    })
}

/// The band of each `skb->priority`: as the class table has it; what it does not name goes with best effort, 7 with control.
pub(super) fn bands() -> [u8; PRIORITIES] {
    let mut bands = [Class::BestEffort.priorities().band; PRIORITIES];
    for class in Class::ALL {
        bands[usize::from(class.priorities().skb_priority)] = class.priorities().band;
    }
    bands[7] = Class::Control.priorities().band;
    bands
}

pub(super) fn bql(host: &Host) -> Found {
    let limit = u64::from(host.mtu.ok_or("the MTU cannot be read")? + FRAME_BEYOND_MTU);
    let over = host.queues.iter().filter(|queue| queue.limit_max.is_some_and(|now| now > limit));
    let changes: Vec<Change> = over
        .map(|queue| Change {
            setting: Setting::File {
                path: format!(
                    "/sys/class/net/{}/queues/{}/byte_queue_limits/limit_max",
                    host.device, queue.name
                ),
            },
            value: limit.to_string(),
        })
        .collect();
    match (changes.is_empty(), host.queues.iter().any(|queue| queue.limit_max.is_some())) {
        (true, false) => Err("its queues have no byte limits".to_owned()),
        (true, true) => Err("the device has at most a frame already".to_owned()),
        (false, _) => Ok(Made {
            changes,
            why: "what the device has cannot be passed any more".to_owned(),
            expect: "at most two full frames are before a frame of control; some per cent of bulk throughput go",
        }),
    }
}

/// The last queue is the senders' own, where bulk traffic is on the processor of the device's work.
pub(super) fn xps(host: &Host, wish: &Wish) -> Found {
    if host.queues.len() < 2 {
        return Err("the device has one transmit queue".to_owned());
    }
    let Some(work) = wish.processor else {
        return Err("no processor was named for the device's work (--irq-cpu)".to_owned());
    };
    let rest = others(&host.processors, work);
    if rest.is_empty() {
        return Err("there is one processor".to_owned());
    }
    let last = host.queues.len() - 1;
    let mut changes = Vec::new();
    for (index, queue) in host.queues.iter().enumerate() {
        let now: Mask = queue
            .xps_cpus
            .as_deref()
            .and_then(|text| text.parse().ok())
            .ok_or("the kernel does not choose transmit queues by processor here")?;
        let processors = if index == last { &rest } else { std::slice::from_ref(&work) };
        changes.extend(mask::change(&host.device, &format!("{}/xps_cpus", queue.name), &now, processors));
    }
    match changes.is_empty() {
        true => Err("the senders' processors have the last queue for themselves already".to_owned()),
        false => Ok(Made {
            changes,
            why: "frames of any processor may wait in any queue, behind bulk traffic in the device"
                .to_owned(),
            expect: "senders away from the device's processor have a queue of their own; who sends there waits in the others",
        }),
    }
}
