//! What is background: by priority, by mark, by the table of flows (SPEC section 1).
use serde_json::json;
use tokkyu_lab::board::pair::{self, must, run, sleep, start, stop};
use tokkyu_lab::board::{Clock, Step};

use crate::scene::{
    FAST, SLOW, assert_all_in_order, join_six, lbe, on_each_kernel, ran, receiver, told, wait, write,
};

#[test]
fn a_flow_of_the_table_is_background_until_it_is_removed() {
    let mut steps = vec![lbe("")];
    steps.extend(pair::serve());
    let flow = |name: &str, words: &str| run(name, &format!("agent flow {words}"));
    let idle = |name: &str| Step::Idle { name: name.to_owned(), ms: 3_000 };
    steps.extend([
        flow("add", "add 10.0.0.2:80"),
        flow("add narrow", "add fd00::1,5000"),
        flow("again", "add 10.0.0.2:80"),
        flow("list", "list"),
        start("flood", "agent flood tcp 10.0.0.2:80 2", true),
        sleep(2_000),
        idle("in the table"),
        flow("remove", "remove 10.0.0.2:80"),
        flow("absent", "remove 10.0.0.2:80"),
        // What is queued by then is what it was.
        sleep(2_000),
        idle("removed"),
        flow("flush", "flush"),
        flow("empty", "list"),
        run("elsewhere", "ip netns exec far agent flow list"),
        stop("flood"),
    ]);
    on_each_kernel(SLOW, Clock::Counted, &steps, |outcome| {
        assert_eq!(ran(outcome, "list").1, "10.0.0.2:80\nfd00::1,5000\n");
        assert!(ran(outcome, "again").2.contains("is a background flow already"));
        assert!(ran(outcome, "absent").2.contains("is no background flow"));
        assert_eq!((ran(outcome, "empty").1, ran(outcome, "elsewhere").1), ("", ""));
        let sent = |name: &'static str| outcome.rounds(name).next().unwrap();
        assert!(sent("in the table").background.frames > 80 && sent("in the table").foreground.frames <= 2);
        assert!(sent("removed").background.frames == 0 && sent("removed").foreground.frames > 80);
    });
}

const COUNT: u32 = 20;

/// Datagrams as the options say, and the DS fields of the frames that they became.
fn fields(name: &str, to: &str, options: &str) -> Vec<Step> {
    let (seen, sent) = (format!("{name} seen"), format!("{name} sent"));
    [
        receiver(&seen, COUNT),
        vec![
            write("/sys/kernel/debug/vmac/vmac0", "0"),
            run(&sent, format!("agent send {to} {COUNT} {options}").trim_end()),
            wait(&seen),
            run(name, "agent fields"),
        ],
    ]
    .concat()
}

const FOUR: &str = "10.0.0.2:9";
const SIX: &str = "[fd00::2]:9";

/// DS field on the wire (DSCP LE is 4) and its frames: priority, then DSCP, then the table; ECN is what it was. That all of
/// them arrive says that the IPv4 header's checksum is right.
#[test]
fn packets_are_background_by_priority_by_mark_and_by_table() {
    // Frames with a field of 0 are not counted: some are the kernel's own.
    let without_table = [
        ("priority", FOUR, "priority=1", json!({"4": 20})),
        ("another priority", FOUR, "dscp=2 priority=2", json!({"8": 20})),
        ("mark", FOUR, "dscp=1 ecn=2", json!({"6": 20})),
        ("ecn", FOUR, "ecn=1 priority=1", json!({"5": 20})),
        ("another mark", FOUR, "dscp=46 ecn=3 priority=1", json!({"7": 20})),
        ("none", FOUR, "dscp=46 ecn=3", json!({"187": 20})),
        ("fragments", FOUR, "priority=1 bytes=4000", json!({"4": 60})),
        ("priority six", SIX, "priority=1", json!({"4": 20})),
        ("mark six", SIX, "dscp=1 ecn=2", json!({"6": 20})),
        ("ecn six", SIX, "dscp=46 ecn=3 priority=1", json!({"7": 20})),
        ("none six", SIX, "dscp=46 ecn=1", json!({"185": 20})),
        ("fragments six", SIX, "priority=1 bytes=4000", json!({"4": 60})),
        ("extended six", SIX, "priority=1 extended", json!({"4": 20})),
        ("extended mark six", SIX, "dscp=1 ecn=1 extended", json!({"5": 20})),
    ];
    // Of fragments the first alone has ports; behind another header nobody looks for them (LBE-3).
    let with_table = [
        ("table", FOUR, "ecn=2", json!({"6": 20})),
        ("table six", SIX, "ecn=2", json!({"6": 20})),
        ("table, fragments", FOUR, "dscp=2 bytes=4000", json!({"4": 20, "8": 40})),
        ("table, fragments six", SIX, "ecn=2 bytes=4000", json!({"2": 60})),
        ("table, extended six", SIX, "ecn=2 extended", json!({"2": 20})),
    ];
    let mut steps = [join_six(), vec![lbe("")]].concat();
    steps.extend(without_table.iter().flat_map(|(name, to, options, _)| fields(name, to, options)));
    // Any port as well: a packet without ports would still have none.
    let flows = ["10.0.0.2:9", "[fd00::2]:9", "10.0.0.2", "fd00::2"];
    steps.extend(flows.map(|flow| must(&format!("agent flow add {flow}"))));
    steps.extend(with_table.iter().flat_map(|(name, to, options, _)| fields(name, to, options)));
    on_each_kernel(FAST, Clock::Counted, &steps, |outcome| {
        for (name, _, _, wanted) in without_table.iter().chain(&with_table) {
            assert_all_in_order(outcome, &format!("{name} seen"), u64::from(COUNT));
            let mut fields = told(outcome, name);
            fields.as_object_mut().unwrap().remove("0");
            assert_eq!(fields, *wanted, "{name}");
        }
    });
}
