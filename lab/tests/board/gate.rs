//! The gate and its valve: whose processor time background packets take, and for how long they wait.
use tokkyu_lab::board::pair::{must, run, sleep, start, stop};
use tokkyu_lab::board::{Clock, Outcome, Step};

use crate::scene::{
    FAST, FAST_FRAMES, UDP_FLOOD, compute, counted, idle, lbe, on_each_kernel, ran, show, shown, snmp, taker,
    told, wait,
};

/// The same work with and without a background beside it; with strict priority alone the packets take its time.
#[test]
fn a_foreground_task_keeps_its_time() {
    let beside = |mode: &str| {
        [
            lbe(mode),
            start("flood", UDP_FLOOD, true),
            sleep(500),
            compute(mode, 50_000_000, 3),
            stop("flood"),
            sleep(500),
        ]
    };
    let steps = [
        vec![lbe(""), compute("alone", 50_000_000, 3)],
        beside("mode gate").to_vec(),
        beside("mode prio").to_vec(),
    ]
    .concat();
    // The far end is on the same processor: what it would do with the packets is not the sender's.
    on_each_kernel(&format!("{FAST} discard=1,0"), Clock::Counted, &steps, |outcome| {
        let median = |name: &str| {
            let mut all: Vec<u64> = outcome.rounds(name).map(|round| round.duration_ns).collect();
            all.sort_unstable();
            all[all.len() / 2] as f64
        };
        let alone = median("alone");
        assert!(median("mode gate") <= alone * 1.005, "{} of {alone}", median("mode gate"));
        assert!(median("mode prio") >= alone * 1.005, "{} of {alone}", median("mode prio"));
    });
}

#[test]
fn the_valve_opens_after_max_hold_and_never_without_it() {
    let hog = |options: &str, name: &str| {
        [
            lbe(options),
            start("flood", UDP_FLOOD, true),
            sleep(300),
            compute(name, 500_000_000, 1),
            show(name),
            stop("flood"),
            must("tc qdisc del dev vmac0 root"),
            sleep(1_000),
        ]
    };
    let steps = [hog("max_hold 200ms", "valve"), hog("max_hold 0", "paper")].concat();
    on_each_kernel(&format!("{FAST} discard=1,0"), Clock::Counted, &steps, |outcome| {
        let frames = |name: &str| outcome.rounds(name).next().unwrap().background.frames;
        assert!(frames("valve") > 10, "{}", frames("valve"));
        assert!(shown(outcome, "valve")["valve"].as_u64().unwrap() > 10);
        // One frame may have been on the wire when the work began, one in the device.
        assert!(frames("paper") <= 2, "{}", frames("paper"));
        assert_eq!(shown(outcome, "paper")["valve"], 0);
    });
}

/// One of two processors is busy, then the other: the background goes on, on the one that is not.
#[test]
fn a_busy_processor_does_not_hold_what_another_may_send() {
    let busy = |processor: u32| {
        let name = format!("busy {processor}");
        [start(&name, &format!("agent spin {processor}"), false), sleep(200), idle(&name, 1_000), stop(&name)]
    };
    let mut steps = vec![lbe("max_hold 0"), start("flood", UDP_FLOOD, true), sleep(1_000)];
    steps.extend([busy(0), busy(1), busy(0), busy(1)].concat());
    steps.extend([show("after"), stop("flood")]);
    let link = format!("{FAST} discard=1,0");
    on_each_kernel(&link, Clock::Host { processors: 2 }, &steps, |outcome| {
        for round in outcome.rounds("busy 0").chain(outcome.rounds("busy 1")) {
            // A tenth of what the wire takes: these processors are emulated in the host's time.
            assert!(round.background.frames as f64 > 0.1 * FAST_FRAMES, "{round:?}");
        }
        assert!(counted(outcome, "after", "steered") > 0);
    });
}

/// Ten seconds in which no background task runs: with the valve the flow lives on, without it the flow stands still; either way
/// it is back at full rate within 5 s, on the same connection, and every byte arrives.
#[test]
fn a_flow_outlives_ten_seconds_of_work() {
    let hold = |options: &str, name: &str| {
        let at = |moment: &str| format!("{name} {moment}");
        [
            lbe(options),
            start(name, "agent give 10.0.0.2:81 18000000 1 dscp=1", true),
            sleep(1_500),
            run(&at("before"), "agent read /proc/net/snmp"),
            compute(&at("work"), 1_250_000_000, 1),
            idle(&at("returns"), 4_000),
            idle(&at("back"), 1_000),
            wait(name),
            run(&at("after"), "agent read /proc/net/snmp"),
        ]
    };
    let steps =
        [taker(), hold("max_hold 1s", "valve").to_vec(), hold("max_hold 0", "paper").to_vec()].concat();
    on_each_kernel(FAST, Clock::Counted, &steps, |outcome| {
        let round = |name: String| outcome.rounds(&name).next().unwrap().clone();
        for name in ["valve", "paper"] {
            let worked_s = round(format!("{name} work")).duration_ns as f64 / 1e9;
            assert!(worked_s >= 10.0, "{worked_s} s");
            assert_eq!(told(outcome, name)["answer"], "right", "{name}");
            let back = round(format!("{name} back")).background.frames as f64;
            assert!(back >= 0.95 * FAST_FRAMES, "{name}: {back} frames in a second");
            let grown = |counter: &str| {
                let at = |moment: &str| snmp(outcome, &format!("{name} {moment}"), "Tcp: ", counter);
                at("after") - at("before")
            };
            assert_eq!((grown("OutRsts"), grown("EstabResets"), grown("AttemptFails")), (0, 0, 0), "{name}");
            // The host knows that it still has them, and waits (1 was seen).
            assert!(grown("RetransSegs") <= 10, "{name}: {} retransmitted", grown("RetransSegs"));
        }
        assert!(round("valve work".to_owned()).background.frames >= 10);
        // Of 16 000 that the wire would take: one on it when the work began, one in the device, and some between the look at the
        // counters and the work. 1 (6.1) and 3 (6.12) were seen.
        assert!(round("paper work".to_owned()).background.frames <= 5);
    });
}

const LISTEN: &str = "0A";
const TIME_WAIT: &str = "06";

fn connections(name: &str) -> Step {
    run(name, "ip netns exec far agent read /proc/net/tcp6")
}

/// States of the taker's connections, and of its own.
fn states<'a>(outcome: &'a Outcome, name: &str) -> Vec<&'a str> {
    let fields = ran(outcome, name).1.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let of_taker = fields.filter(|fields| fields.get(1).is_some_and(|local| local.ends_with(":0051")));
    of_taker.filter_map(|fields| fields.get(3).copied()).collect()
}

/// The packets that open and close a connection are held for no longer than the others.
#[test]
fn a_connection_opens_and_closes_beside_a_busy_processor() {
    const MAX_HOLD_MS: u64 = 200;
    let steps = [
        taker(),
        vec![
            lbe("max_hold 200ms"),
            must("agent flow add 10.0.0.2:81"),
            start("hog", "agent spin", false),
            sleep(100),
            run("reset", "agent reset 10.0.0.2:81"),
            sleep(1_000),
            connections("broken off"),
            run("give", "agent give 10.0.0.2:81 1000 1"),
            sleep(1_000),
            connections("closed"),
            // Without the valve it waits for as long as there is work.
            lbe("max_hold 0"),
            start("held", "agent give 10.0.0.2:81 1000 1", false),
            sleep(3_000),
            stop("held"),
            stop("hog"),
        ],
    ]
    .concat();
    on_each_kernel(FAST, Clock::Counted, &steps, |outcome| {
        let given = told(outcome, "give");
        assert_eq!(given["answer"], "right");
        // One packet's hold, the way there and back, and shares of the processor.
        let connected = given["connected_ms"].as_u64().unwrap();
        assert!((MAX_HOLD_MS..2 * MAX_HOLD_MS).contains(&connected), "{given}");
        assert!(given["took_ms"].as_u64().unwrap() < 4 * MAX_HOLD_MS, "{given}");
        // A RST that did not come would leave the far end with a connection.
        assert_eq!(ran(outcome, "reset").0, 0, "{}", ran(outcome, "reset").2);
        assert_eq!(states(outcome, "broken off"), [LISTEN]);
        assert_eq!(states(outcome, "closed"), [LISTEN, TIME_WAIT]);
    });
}
