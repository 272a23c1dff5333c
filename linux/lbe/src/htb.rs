//! The way without the module (LBE-102): HTB at a stated rate, by the system's own `tc`.

use std::io;
use std::process::Command;

use tokkyu_contract::units::BitRate;

use crate::Flow;
use crate::qdisc::{BACKGROUND, FOREGROUND, HANDLE};

/// `skb->priority` that puts a packet into the background's class: HTB takes a class' number for it.
pub const PRIORITY: u32 = HANDLE | BACKGROUND as u32;

/// The class that both borrow from.
const PARENT: u16 = 0xf;
/// Order of the filters: DSCP first, then flows; a number has one protocol.
const DSCP4: u32 = 1;
const DSCP6: u32 = 2;
const FLOWS4: u32 = 10;
const FLOWS6: u32 = 11;

/// Setting it up failed.
#[derive(Debug, thiserror::Error)]
pub enum HtbError {
    /// The program is not there.
    #[error("tc is missing; install iproute2")]
    NoTc,
    /// It did not start.
    #[error("tc: {0}")]
    Start(io::Error),
    /// It refused.
    #[error("tc {line}: {words}")]
    Refused {
        /// What it was asked.
        line: String,
        /// What it said.
        words: String,
    },
}

/// Sets it up in place of whatever root qdisc is there, or states another rate where it is there already.
///
/// # Errors
/// `tc` or the kernel refuses.
pub fn set_up(device: &str, rate: BitRate, flows: &[Flow], is_there: bool) -> Result<(), HtbError> {
    // HTB cannot be replaced by itself; its classes can.
    let known = usize::from(is_there);
    commands(device, rate).iter().skip(known).try_for_each(|line| tc(line))?;
    // The system's own choice for the foreground, where it can be a child; else HTB's, a FIFO.
    if let Ok(kind) = std::fs::read_to_string("/proc/sys/net/core/default_qdisc") {
        let _ = tc(&format!("qdisc replace dev {device} parent {} {}", class(FOREGROUND), kind.trim()));
    }
    // Replacing a filter of this kind adds another beside it.
    if !is_there {
        dscp_filters(device).iter().try_for_each(|line| tc(line))?;
    }
    set_flows(device, flows)
}

/// The flows that are background, in place of those before.
///
/// # Errors
/// `tc` or the kernel refuses.
pub fn set_flows(device: &str, flows: &[Flow]) -> Result<(), HtbError> {
    for order in [FLOWS4, FLOWS6] {
        // Fails where there were none.
        let _ = tc(&format!("filter del dev {device} parent {}: prio {order}", major()));
    }
    flows.iter().flat_map(|flow| flow_filters(device, *flow)).try_for_each(|line| tc(&line))
}

/// What it cannot do (LBE-103), for people.
pub fn limits(rate: BitRate) -> Vec<String> {
    vec![
        format!(
            "the link must never be slower than {rate}: where it is, packets wait in the device, and the foreground waits with them"
        ),
        "received packets of the background are not held back".to_owned(),
        "a foreground task that computes is protected by SCHED_IDLE alone: packets already queued take its processor".to_owned(),
        "flows named by tokkyu lbe add leave without the mark LE: later routers do not know them".to_owned(),
    ]
}

fn major() -> String {
    format!("{:x}", HANDLE >> 16)
}

fn class(minor: u16) -> String {
    format!("{}:{minor:x}", major())
}

fn commands(device: &str, rate: BitRate) -> Vec<String> {
    let BitRate(bits) = rate;
    let small = (bits / 100).max(8);
    // A frame at a time: what HTB would make of a slow rate is less than that, and it would complain.
    let part = |parent: &str, minor: u16, own: u64, order: u8| {
        format!(
            "class replace dev {device} parent {parent} classid {} htb rate {own}bit ceil {bits}bit prio {order} quantum 1514",
            class(minor)
        )
    };
    let root = format!("{}:", major());
    vec![
        format!("qdisc replace dev {device} root handle {root} htb default {FOREGROUND:x}"),
        part(&root, PARENT, bits, 0),
        part(&class(PARENT), FOREGROUND, bits - small.min(bits - 8), 0),
        part(&class(PARENT), BACKGROUND, small, 7),
    ]
}

fn dscp_filters(device: &str) -> [String; 2] {
    let dscp = |order: u32, protocol: &str, field: &str| {
        format!(
            "filter add dev {device} parent {}: protocol {protocol} prio {order} u32 match {field} 0x04 0xfc flowid {}",
            major(),
            class(BACKGROUND)
        )
    };
    [dscp(DSCP4, "ip", "ip dsfield"), dscp(DSCP6, "ipv6", "ip6 priority")]
}

fn flow_filters(device: &str, flow: Flow) -> Vec<String> {
    let filter = |order: u32, protocol: &str, family: &str, host_bits: u32| {
        let mut line =
            format!("filter add dev {device} parent {}: protocol {protocol} prio {order} u32", major());
        if let Some(address) = flow.remote {
            line += &format!(" match {family} dst {address}/{host_bits}");
        }
        for (port, word) in [(flow.remote_port, "dport"), (flow.local_port, "sport")] {
            if let Some(port) = port {
                line += &format!(" match {family} {word} {port} 0xffff");
            }
        }
        line + &format!(" flowid {}", class(BACKGROUND))
    };
    let four = filter(FLOWS4, "ip", "ip", 32);
    let six = filter(FLOWS6, "ipv6", "ip6", 128);
    match flow.remote {
        Some(address) if address.is_ipv4() => vec![four],
        Some(_) => vec![six],
        None => vec![four, six],
    }
}

fn tc(line: &str) -> Result<(), HtbError> {
    let output = Command::new("tc").args(line.split(' ')).output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => HtbError::NoTc,
        _ => HtbError::Start(error),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    Err(HtbError::Refused { line: line.to_owned(), words })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_background_gets_what_is_left_and_a_hundredth() {
        let lines = commands("eth0", BitRate(1_000_000));
        assert!(
            lines[2].contains("classid 7c1e:1 htb rate 990000bit ceil 1000000bit prio 0"),
            "{}",
            lines[2]
        );
        assert!(lines[3].contains("classid 7c1e:2 htb rate 10000bit ceil 1000000bit prio 7"), "{}", lines[3]);
        assert_eq!(PRIORITY, 0x7c1e_0002);
    }

    #[test]
    fn a_flow_of_any_address_is_one_of_both_families() {
        let lines = flow_filters("eth0", "*:443,5000".parse().unwrap());
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("u32 match ip dport 443 0xffff match ip sport 5000 0xffff flowid 7c1e:2"));
        let lines = flow_filters("eth0", "fd00::1".parse().unwrap());
        assert!(lines[0].ends_with("protocol ipv6 prio 11 u32 match ip6 dst fd00::1/128 flowid 7c1e:2"));
    }
}
