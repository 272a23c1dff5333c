//! The receive gate.
use tokkyu_lab::board::pair::{self, must, run, sleep, start, stop};
use tokkyu_lab::board::{Clock, Step};

use crate::scene::{
    FAST, assert_all_in_order, compute, counted, idle, lbe, on_each_kernel, show, snmp, wait,
};

/// Nothing else happens that could let them on: neither an upload nor another packet. First the foreground ends, then the gate.
fn datagrams() -> Vec<Step> {
    let held = |name: &str| {
        vec![
            start(name, "agent receive 10.0.0.1:9 50", false),
            must("agent await /proc/net/udp :0009"),
            start("hog", "agent spin", false),
            sleep(100),
            must("ip netns exec far agent send 10.0.0.1:9 50"),
            sleep(500),
        ]
    };
    [
        vec![must("agent flow add 10.0.0.2,9")],
        held("work ends"),
        vec![run("while busy", "agent read /proc/net/snmp"), stop("hog"), wait("work ends")],
        held("gate ends"),
        vec![must("tc qdisc del dev vmac0 root"), wait("gate ends"), stop("hog"), lbe("receive max_hold 0")],
    ]
    .concat()
}

/// Acknowledgements of the upload are received background packets.
#[test]
fn received_packets_wait_for_the_foreground_and_go_on_after_it() {
    let mut steps = vec![lbe("receive max_hold 0")];
    steps.extend(datagrams());
    steps.extend(pair::serve());
    steps.extend([
        must("agent flow add 10.0.0.2:80"),
        start("flood", "agent flood tcp 10.0.0.2:80 4", true),
        sleep(2_000),
        show("before"),
        compute("busy", 50_000_000, 1),
        show("held"),
        idle("after", 2_000),
        show("after"),
        stop("flood"),
    ]);
    on_each_kernel(FAST, Clock::Counted, &steps, |outcome| {
        assert_eq!(snmp(outcome, "while busy", "Udp: ", "InDatagrams"), 0);
        assert_all_in_order(outcome, "work ends", 50);
        assert_all_in_order(outcome, "gate ends", 50);
        let count = |at: &str, name: &str| counted(outcome, at, name);
        assert!(count("before", "rx_passed") > 100);
        assert!(count("held", "rx_held") > count("before", "rx_held"));
        assert_eq!(count("after", "rx_valve"), 0);
        assert!(count("after", "rx_passed") > count("held", "rx_passed"));
        // 20 Mbit/s are 3 200 frames in 2 s.
        assert!(outcome.rounds("after").next().unwrap().background.frames > 3_000);
    });
}
