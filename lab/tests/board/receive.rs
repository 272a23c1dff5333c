//! The receive gate.
use tokkyu_lab::board::Clock;
use tokkyu_lab::board::pair::{self, must, sleep, start, stop};

use crate::scene::{FAST, compute, counted, idle, lbe, on_each_kernel, show};

/// Acknowledgements of the upload are received background packets.
#[test]
fn received_packets_wait_for_the_foreground_and_go_on_after_it() {
    let mut steps = vec![lbe("receive max_hold 0")];
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
        let count = |at: &str, name: &str| counted(outcome, at, name);
        assert!(count("before", "rx_passed") > 100);
        assert!(count("held", "rx_held") > count("before", "rx_held"));
        assert_eq!(count("after", "rx_valve"), 0);
        assert!(count("after", "rx_passed") > count("held", "rx_passed"));
        // 20 Mbit/s are 3 200 frames in 2 s.
        assert!(outcome.rounds("after").next().unwrap().background.frames > 3_000);
    });
}
