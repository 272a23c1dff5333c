//! What arrives is what was sent: every byte, and in order (LBE-14, LBE-32).
use tokkyu_lab::board::pair::{must, sleep, start, stop};
use tokkyu_lab::board::{Clock, Step};

use crate::scene::{
    FAST, assert_all_in_order, compute, counted, join_six, lbe, on_each_kernel, receiver, show, taker, told,
    wait,
};

/// Streams up and down, IPv4 and IPv6, while the gates open and shut.
fn streams() -> Vec<Step> {
    [
        join_six(),
        taker(),
        vec![
            start("near taker", "agent take [::]:82", true),
            must("agent await /proc/net/tcp6 :0052"),
            lbe("receive max_hold 100ms"),
            must("agent flow add 10.0.0.2:81"),
            must("agent flow add fd00::2,82"),
            start("up four", "agent give 10.0.0.2:81 2500000 1", true),
            start("up six", "agent give [fd00::2]:81 2500000 2 priority=1", true),
            start("down six", "ip netns exec far agent give [fd00::1]:82 2500000 3", false),
            compute("work", 20_000_000, 5),
            wait("up four"),
            wait("up six"),
            wait("down six"),
            show("after"),
        ],
    ]
    .concat()
}

fn every_byte_is_right(offload: bool) {
    on_each_kernel(&format!("{FAST} offload={}", u8::from(offload)), Clock::Counted, &streams(), |outcome| {
        for name in ["up four", "up six", "down six"] {
            assert_eq!(told(outcome, name)["answer"], "right", "{name}");
        }
        for counter in ["shut", "rx_held", "rx_passed", "marked", "split"] {
            assert!(counted(outcome, "after", counter) > 0, "{counter}");
        }
    });
}

#[test]
fn every_byte_is_right_where_large_packets_are_split() {
    every_byte_is_right(true);
}

#[test]
fn every_byte_is_right_where_the_far_end_checks_every_checksum() {
    every_byte_is_right(false);
}

/// Two processors, one of them busy now and then: packets are steered from one to the other, sent and received.
#[test]
fn a_flow_stays_in_order_on_two_processors() {
    const COUNT: u32 = 4_000;
    let hog =
        |processor: u32| [start("hog", &format!("agent spin {processor}"), false), sleep(300), stop("hog")];
    let mut steps = vec![
        lbe("receive max_hold 0"),
        must("agent flow add 10.0.0.2,9"),
        // The system's default drops what waits for long, which is not what is looked at.
        must("tc -n far qdisc replace dev vmac1 root pfifo"),
    ];
    steps.extend(receiver("up", COUNT));
    steps.extend([
        start("down", &format!("agent receive 10.0.0.1:9 {COUNT}"), false),
        must("agent await /proc/net/udp :0009"),
        start("send up", &format!("agent send 10.0.0.2:9 {COUNT} priority=1"), true),
        start("send down", &format!("ip netns exec far agent send 10.0.0.1:9 {COUNT}"), false),
    ]);
    steps.extend([0, 1, 0, 1].iter().flat_map(|processor| hog(*processor)));
    steps.extend([wait("up"), wait("down"), show("after")]);
    on_each_kernel(FAST, Clock::Host { processors: 2 }, &steps, |outcome| {
        assert_all_in_order(outcome, "up", u64::from(COUNT));
        assert_all_in_order(outcome, "down", u64::from(COUNT));
        for counter in ["shut", "steered", "rx_held"] {
            assert!(counted(outcome, "after", counter) > 0, "{counter}");
        }
    });
}
