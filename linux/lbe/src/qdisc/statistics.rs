//! What the qdisc and its bands have counted (LBE-81).

use serde::Serialize;

use tokkyu_netlink::{Attribute, of_kind};

/// Attributes of `TCA_STATS2` (`linux/gen_stats.h`).
const BASIC: u16 = 1;
const QUEUE: u16 = 3;
const APP: u16 = 4;

/// `flags` of `struct tc_lbe_xstats`.
const NO_PROBE: u32 = 1 << 0;
const SHUT: u32 = 1 << 1;

/// Counters of a band.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Band {
    /// Bytes that left.
    pub bytes: u64,
    /// Packets that left.
    pub packets: u64,
    /// Packets that wait now.
    pub waiting: u32,
    /// Packets that did not fit.
    pub dropped: u32,
}

impl Band {
    /// From the value of `TCA_STATS2`; what is not there is 0.
    pub(super) fn read(stats: &[u8]) -> Band {
        let all = Attribute::read_all(stats).unwrap_or_default();
        let value = |kind: u16| of_kind(&all, kind).map(|found| found.value.as_slice()).unwrap_or_default();
        let (basic, queue) = (value(BASIC), value(QUEUE));
        Band {
            bytes: u64_at(basic, 0).unwrap_or_default(),
            packets: u32_at(basic, 8).unwrap_or_default().into(),
            waiting: u32_at(queue, 0).unwrap_or_default(),
            dropped: u32_at(queue, 8).unwrap_or_default(),
        }
    }
}

/// `struct tc_lbe_xstats`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GateStatistics {
    /// The gate is open for want of a probe (LBE-25).
    pub no_probe: bool,
    /// The gate holds packets now.
    pub is_shut: bool,
    /// Background packets in the device, where they are counted.
    pub in_device: u32,
    /// Large packets that were split (LBE-13).
    pub split: u64,
    /// Packets that got DSCP LE here (LBE-6).
    pub marked: u64,
    /// Times the background was passed over for the foreground's next packet (LBE-15).
    pub deferred: u64,
    /// Times the gate shut.
    pub shut: u64,
    /// How long it was shut, nanoseconds.
    pub shut_ns: u64,
    /// The longest of these times, nanoseconds.
    pub shut_longest_ns: u64,
    /// Packets let out by the valve (LBE-30).
    pub valve: u64,
    /// Times a task switch asked for held packets (LBE-21).
    pub released: u64,
    /// Times another processor was asked (LBE-22).
    pub steered: u64,
    /// Times the device had enough background packets (LBE-41).
    pub budget_waits: u64,
    /// Times the device was not waited for any longer (LBE-42).
    pub budget_timeouts: u64,
    /// Received background packets that did not wait.
    pub rx_passed: u64,
    /// Received background packets that waited (LBE-50).
    pub rx_held: u64,
    /// Of these, let on by the valve (LBE-31).
    pub rx_valve: u64,
    /// Times the receive queue was full (LBE-51).
    pub rx_overflows: u64,
}

impl GateStatistics {
    /// From the value of `TCA_STATS2`. A newer module says more at the end; an older one is not known here.
    pub(super) fn read(stats: &[u8]) -> Option<GateStatistics> {
        let all = Attribute::read_all(stats).ok()?;
        let own = &of_kind(&all, APP)?.value;
        let flags = u32_at(own, 0)?;
        let mut counters = (8..).step_by(8).map(|at| u64_at(own, at));
        let mut next = || counters.next().flatten();
        Some(GateStatistics {
            no_probe: flags & NO_PROBE != 0,
            is_shut: flags & SHUT != 0,
            in_device: u32_at(own, 4)?,
            split: next()?,
            marked: next()?,
            deferred: next()?,
            shut: next()?,
            shut_ns: next()?,
            shut_longest_ns: next()?,
            valve: next()?,
            released: next()?,
            steered: next()?,
            budget_waits: next()?,
            budget_timeouts: next()?,
            rx_passed: next()?,
            rx_held: next()?,
            rx_valve: next()?,
            rx_overflows: next()?,
        })
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn counters_stand_in_the_order_of_the_header() {
        let mut own = [3_u32.to_ne_bytes(), 2_u32.to_ne_bytes()].concat();
        for number in 1..=15_u64 {
            own.extend(number.to_ne_bytes());
        }
        let stats = Attribute::nested(7, &[Attribute::new(APP, &own)]).value;
        let read = GateStatistics::read(&stats).unwrap();
        assert!(read.no_probe && read.is_shut);
        assert_eq!((read.in_device, read.split, read.valve, read.rx_overflows), (2, 1, 7, 15));
        assert_eq!(GateStatistics::read(&stats[..stats.len() - 9]), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = (Band::read(&bytes), GateStatistics::read(&bytes));
        }
    }
}
