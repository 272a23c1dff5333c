//! A device that lets everything be set (`linux/vmac/bare.c`), on the board of the tests of devices.
use tokkyu_lab::board::Step;
use tokkyu_lab::board::pair::{load, must, run};

use crate::devices::boards;
use crate::scene::{ran, shown, write};

/// Neither a gate nor the foreground holds anything, and the device is waited for.
const ADD: &str = "tc qdisc add dev bare0 root handle 6: lbe mode prio nodefer max_hold 3600s";
const LATER: [(&str, &str); 3] = [
    ("set to 0", "ip link set bare0 mtu 0"),
    ("changed at 0", "tc qdisc change dev bare0 root handle 6: lbe limit 500"),
    ("queue at 0", "tc qdisc change dev bare0 root handle 6: lbe device_queue 0 budget auto"),
];
const FROM_THE_BEGINNING: [(&str, &str); 3] = [
    ("added at 0", ADD),
    ("changed again", "tc qdisc change dev bare0 root handle 6: lbe limit 400"),
    ("set back", "ip link set bare0 mtu 1500"),
];
/// In Mbit/s, and how many packets of 1500 bytes such a link sends in 250 µs: one at least, 64 at most. The second is an
/// unknown speed.
const SPEEDS: [(&str, u64); 5] = [("0", 1), ("4294967295", 1), ("100", 2), ("1000", 20), ("4294967294", 64)];

pub fn steps() -> Vec<Step> {
    let named = |lines: &[(&str, &str)]| lines.iter().map(|(name, line)| run(name, line)).collect::<Vec<_>>();
    [
        vec![load("bare.ko", "speed=100"), must("ip link set bare0 up"), asked("never asked")],
        vec![must(ADD), asked("asked when added")],
        vec![must("tc qdisc change dev bare0 root handle 6: lbe nosplit"), asked("asked when changed")],
        named(&LATER),
        vec![show_bare("later"), must("tc qdisc del dev bare0 root")],
        named(&FROM_THE_BEGINNING),
        vec![
            // IPv4 leaves a device with so small an MTU.
            must("ip addr add 10.6.0.1/24 dev bare0"),
            must("agent send 10.6.0.2:9 20 priority=1 bytes=100"),
            show_bare("from the beginning"),
            must("ip link set bare0 mtu 600"),
            show_bare("smaller"),
            must("ip link set bare0 mtu 1500"),
        ],
        SPEEDS.iter().flat_map(|(speed, _)| at_speed(speed)).collect(),
        vec![must("tc qdisc del dev bare0 root"), must("agent unload bare")],
    ]
    .concat()
}

/// The qdisc stays as it is. What the device has is freed as it goes down.
fn at_speed(speed: &str) -> [Step; 5] {
    [
        must("ip link set bare0 down"),
        write("/sys/module/bare/parameters/speed", speed),
        must("ip link set bare0 up"),
        must("agent send 10.6.0.2:9 80 priority=1 bytes=100"),
        show_bare(speed),
    ]
}

/// How often its driver has told the link's speed, and slept before.
fn asked(name: &str) -> Step {
    run(name, "agent read /sys/module/bare/parameters/asked")
}

fn show_bare(name: &str) -> Step {
    run(name, "tc -j -s qdisc show dev bare0")
}

/// A packet of no size does not divide the link's (LBE-63), and what is sent when it has one again has a budget.
#[test]
fn an_mtu_of_0_is_no_fault_of_a_device_without_header() {
    for outcome in boards() {
        for (name, _) in LATER.iter().chain(&FROM_THE_BEGINNING) {
            let (code, _, errors) = ran(outcome, name);
            assert_eq!(code, 0, "{name}: {errors}");
        }
        assert_eq!(shown(outcome, "later")["options"]["limit"], 500);
        let end = shown(outcome, "from the beginning");
        assert_eq!(end["options"]["limit"], 400);
        assert_eq!(end["in_device"], 2, "{end}");
        assert_eq!(end["backlog"].as_u64().map(|bytes| bytes > 0), Some(true), "{end}");
    }
}

/// With no change to the qdisc, whatever the driver tells (LBE-41). What waits goes: 5 packets of 600 bytes are 3000.
#[test]
fn the_automatic_budget_follows_the_link() {
    for outcome in boards() {
        assert_eq!(shown(outcome, "smaller")["in_device"], 5, "{}", shown(outcome, "smaller"));
        for (speed, budget) in SPEEDS {
            let now = shown(outcome, speed);
            assert_eq!(now["in_device"], budget, "{speed} Mbit/s: {now}");
        }
    }
}

/// The driver sleeps before it tells, so it is asked with no lock held (LBE-64).
#[test]
fn a_driver_that_sleeps_is_asked_for_its_link_where_it_may() {
    for outcome in boards() {
        let asked = |name: &str| ran(outcome, name).1.trim().parse::<u32>().unwrap();
        assert_eq!(asked("never asked"), 0);
        assert!(asked("asked when added") > 0);
        assert!(asked("asked when changed") > asked("asked when added"));
        assert_eq!(outcome.complaints(), Vec::<&str>::new());
    }
}
