//! lbe on virtual boards: real kernels, the real module, the real `tc`.
//!
//! Boards count instructions, so what is asserted of time is of virtual time and repeats; where two processors are needed it
//! is function alone. Kernels and modules are made by linux/build.
use std::time::Duration;

use serde_json::Value;
use tokkyu_lab::board::pair::{self, must, run, sleep, start, stop};
use tokkyu_lab::board::plan::{Compute, Direction, Transfer};
use tokkyu_lab::board::{
    Board, BoardError, Clock, KERNELS, Kernel, Line, Outcome, Plan, Step, boards_folder,
};

/// Long: a busy machine emulates slowly.
const PATIENCE: Duration = Duration::from_secs(600);
const SLOW: &str = "rate_kbps=384,1000 delay_us=50000,50000 queue_bytes=8192,0";
const FAST: &str = "rate_kbps=20000,20000 delay_us=10000,10000 queue_bytes=8192,0";
const UDP_FLOOD: &str = "agent flood udp 10.0.0.2:9 1";

/// A board with the pair and the module, and these steps, on every kernel there is.
fn on_each_kernel(link: &str, clock: Clock, steps: &[Step], check: impl Fn(&Outcome)) {
    for name in KERNELS {
        let kernel = match Kernel::find(&boards_folder(), name) {
            Ok(kernel) => kernel,
            Err(error) => {
                eprintln!("skipped: {error}");
                return;
            }
        };
        let mut plan = Plan { steps: pair::join(link) };
        plan.steps.push(pair::load("sch_lbe.ko", ""));
        plan.steps.extend_from_slice(steps);
        let folder = tempfile::tempdir().unwrap();
        match (Board { kernel, clock }).run(&plan, folder.path(), PATIENCE, |_| {}, &|| false) {
            Ok(outcome) => {
                println!("{name}: {:?} {:?} {:?}", outcome.fault, outcome.lines, outcome.console);
                assert_eq!(outcome.fault, None);
                check(&outcome);
            }
            Err(error @ BoardError::NoProgram { .. }) => {
                eprintln!("skipped: {error}");
                return;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Exit code, standard output and standard error of the command with this name.
fn ran<'a>(outcome: &'a Outcome, wanted: &str) -> (i32, &'a str, &'a str) {
    let found = outcome.lines.iter().find_map(|line| match line {
        Line::Ran { name, code, output, errors } if name == wanted => {
            Some((*code, output.as_str(), errors.as_str()))
        }
        _ => None,
    });
    found.unwrap_or_else(|| panic!("nothing ran as {wanted}"))
}

fn show(name: &str) -> Step {
    run(name, "tc -j -s qdisc show dev vmac0")
}

/// The qdisc of a `tc -j -s qdisc show`, root first.
fn shown(outcome: &Outcome, name: &str) -> Value {
    let (code, output, errors) = ran(outcome, name);
    assert_eq!(code, 0, "{errors}");
    serde_json::from_str::<Value>(output).unwrap_or_else(|error| panic!("{error}: {output}"))[0].clone()
}

fn lbe(options: &str) -> Step {
    must(format!("tc qdisc replace dev vmac0 root handle 1: lbe {options}").trim_end())
}

fn compute(name: &str, repeats: u32) -> Step {
    Step::Compute(Compute { name: name.to_owned(), rounds: 50_000_000, repeats, pause_ms: 500 })
}

fn post(name: &str, bytes: u64, repeats: u32) -> Step {
    Step::Transfer(Transfer {
        name: name.to_owned(),
        server: "10.0.0.2:80".to_owned(),
        direction: Direction::Post,
        bytes,
        repeats,
        pause_ms: 300,
        seed: 1,
    })
}

#[test]
fn options_come_back_as_they_were_given() {
    let steps = [
        lbe("mode prio limit 50 max_hold 20ms device_queue 3000 budget 2 nosplit nodefer nomark nosteer"),
        show("given"),
        must("tc qdisc change dev vmac0 root handle 1: lbe mode gate max_hold 0 receive"),
        show("changed"),
        must("tc qdisc del dev vmac0 root"),
        lbe(""),
        show("default"),
    ];
    on_each_kernel(SLOW, Clock::Counted, &steps, |outcome| {
        let given = &shown(outcome, "given")["options"];
        for (name, value) in [("limit", 50), ("max_hold_us", 20_000), ("device_queue", 3_000), ("budget", 2)]
        {
            assert_eq!(given[name], value, "{given}");
        }
        assert_eq!(given["mode"], "prio");
        for name in ["split", "defer", "mark", "steer", "receive"] {
            assert_eq!(given[name], false, "{name}");
        }
        let changed = &shown(outcome, "changed")["options"];
        assert_eq!(
            (&changed["mode"], &changed["max_hold_us"], &changed["limit"]),
            (&"gate".into(), &0.into(), &50.into())
        );
        assert_eq!((&changed["receive"], &changed["split"]), (&true.into(), &false.into()));
        let default = &shown(outcome, "default")["options"];
        assert_eq!((&default["device_queue"], &default["budget"]), (&"auto".into(), &"auto".into()));
        assert_eq!((&default["mode"], &default["max_hold_us"]), (&"gate".into(), &1_000_000.into()));
        assert_eq!((&default["defer"], &default["receive"]), (&true.into(), &false.into()));
    });
}

#[test]
fn what_cannot_work_is_refused_with_the_reason() {
    let refused = [
        ("loopback", "tc qdisc add dev lo root lbe", "nothing waits on the loopback"),
        ("child", "tc qdisc add dev vmac0 parent 1:1 lbe", "lbe is a root qdisc"),
        ("background", "tc qdisc add dev vmac0 parent 1:2 pfifo", "keeps its own queue"),
        ("bridge", "tc qdisc add dev br0 root lbe", "no queue of its own"),
        ("limit", "tc qdisc change dev vmac0 root handle 1: lbe limit 0", ""),
        ("budget", "tc qdisc change dev vmac0 root handle 1: lbe budget 65", "64 packets at most"),
        ("hold", "tc qdisc change dev vmac0 root handle 1: lbe max_hold 3601s", "3600 s at most"),
        ("mode", "tc qdisc change dev vmac0 root handle 1: lbe mode fast", "not a value of"),
        (
            "receive",
            "tc qdisc change dev vmac0 root handle 1: lbe mode prio receive",
            "receive needs mode gate",
        ),
        ("unknown", "tc qdisc change dev vmac0 root handle 1: lbe color red", "not an option"),
    ];
    let mut steps: Vec<Step> = ["llc.ko", "stp.ko", "bridge.ko"].map(|file| pair::load(file, "")).to_vec();
    steps.extend([must("ip link add br0 type bridge"), lbe("")]);
    steps.extend(refused.iter().map(|(name, line, _)| run(name, line)));
    steps.push(show("after"));
    on_each_kernel(SLOW, Clock::Counted, &steps, |outcome| {
        for (name, _, reason) in refused {
            let (code, _, errors) = ran(outcome, name);
            assert_ne!(code, 0, "{name} was not refused");
            assert!(errors.contains(reason), "{name}: {errors}");
        }
        let after = &shown(outcome, "after")["options"];
        assert_eq!((&after["limit"], &after["mode"]), (&1000.into(), &"gate".into()));
    });
}

/// No offloads here: the far end checks every checksum in software, and would drop a frame whose header was marked wrong.
#[test]
fn background_leaves_marked_and_every_byte_arrives() {
    let steps = [
        vec![lbe("")],
        pair::serve(),
        vec![
            start("flood", "agent flood tcp 10.0.0.2:80 2 priority=1", true),
            sleep(3_000),
            post("beside", 20_000, 1),
            // The connection closes.
            sleep(1_000),
            Step::Idle { name: "idle".to_owned(), ms: 3_000 },
            show("after"),
            stop("flood"),
        ],
    ]
    .concat();
    on_each_kernel(SLOW, Clock::Counted, &steps, |outcome| {
        let idle = outcome.rounds("idle").next().unwrap();
        assert!(idle.background.frames > 80, "{idle:?}");
        assert!(idle.foreground.frames <= 1, "{idle:?}");
        assert!(shown(outcome, "after")["marked"].as_u64().unwrap() > 100);
        assert_eq!(outcome.rounds("beside").count(), 1);
    });
}

/// With nobody in the foreground the background has the whole link.
#[test]
fn an_idle_link_is_the_backgrounds() {
    let steps = [
        vec![lbe("")],
        pair::serve(),
        vec![
            start("flood", "agent flood tcp 10.0.0.2:80 4 priority=1", true),
            sleep(5_000),
            Step::Idle { name: "idle".to_owned(), ms: 10_000 },
            stop("flood"),
        ],
    ]
    .concat();
    on_each_kernel(SLOW, Clock::Counted, &steps, |outcome| {
        let sent = outcome.rounds("idle").next().unwrap().background;
        let wire_bits = (sent.bytes + 24 * sent.frames) * 8;
        assert!(wire_bits as f64 >= 0.98 * 3_840_000.0, "{sent:?}");
    });
}

/// The same work with and without a background beside it; with strict priority alone the packets take its time.
#[test]
fn a_foreground_task_keeps_its_time() {
    let beside = |mode: &str| {
        [lbe(mode), start("flood", UDP_FLOOD, true), sleep(500), compute(mode, 3), stop("flood"), sleep(500)]
    };
    let steps =
        [vec![lbe(""), compute("alone", 3)], beside("mode gate").to_vec(), beside("mode prio").to_vec()]
            .concat();
    // The far end is on the same processor: what it would do with the packets is not the sender's.
    on_each_kernel(&format!("{FAST} discard=1,0"), Clock::Counted, &marked(&steps), |outcome| {
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

/// The flood's packets are background by their mark.
fn marked(steps: &[Step]) -> Vec<Step> {
    steps
        .iter()
        .cloned()
        .map(|step| match step {
            Step::Start { name, mut argv, idle } => {
                argv.push("dscp=1".to_owned());
                Step::Start { name, argv, idle }
            }
            other => other,
        })
        .collect()
}

#[test]
fn the_valve_opens_after_max_hold_and_never_without_it() {
    let hog = |options: &str, name: &str| {
        [
            lbe(options),
            start("flood", UDP_FLOOD, true),
            sleep(300),
            Step::Compute(Compute { name: name.to_owned(), rounds: 500_000_000, repeats: 1, pause_ms: 0 }),
            show(name),
            stop("flood"),
            must("tc qdisc del dev vmac0 root"),
            sleep(1_000),
        ]
    };
    let steps = [hog("max_hold 200ms", "valve"), hog("max_hold 0", "paper")].concat();
    on_each_kernel(&format!("{FAST} discard=1,0"), Clock::Counted, &marked(&steps), |outcome| {
        let frames = |name: &str| outcome.rounds(name).next().unwrap().background.frames;
        assert!(frames("valve") > 10, "{}", frames("valve"));
        assert!(shown(outcome, "valve")["valve"].as_u64().unwrap() > 10);
        // One frame may have been on the wire when the work began, one in the device.
        assert!(frames("paper") <= 2, "{}", frames("paper"));
        assert_eq!(shown(outcome, "paper")["valve"], 0);
    });
}

#[test]
fn it_comes_and_goes_under_traffic_and_leaves_the_limits_as_they_were() {
    let limit =
        |name: &str| run(name, "agent read /sys/class/net/vmac0/queues/tx-0/byte_queue_limits/limit_max");
    let mut steps = vec![limit("before")];
    steps.extend(pair::serve());
    steps.extend([start("flood", "agent flood tcp 10.0.0.2:80 8 dscp=1", true), sleep(1_000)]);
    for _ in 0..5 {
        steps.extend([
            lbe("receive"),
            sleep(150),
            lbe("mode task noreceive"),
            sleep(150),
            lbe("mode prio"),
            sleep(50),
        ]);
        steps.extend([limit("during"), must("tc qdisc replace dev vmac0 root fq_codel"), sleep(50)]);
    }
    steps.extend([
        lbe(""),
        sleep(500),
        Step::Write {
            path: "/sys/module/vmac/parameters/rate_kbps".to_owned(),
            text: "100000,100000".to_owned(),
        },
        must("ip link set vmac0 down"),
        sleep(100),
        must("ip link set vmac0 up"),
        limit("faster"),
        sleep(500),
        must("tc qdisc del dev vmac0 root"),
        limit("after"),
        Step::Stop { name: "flood".to_owned() },
        run("unload", "agent unload sch_lbe"),
    ]);
    on_each_kernel(FAST, Clock::Counted, &steps, |outcome| {
        let limit = |name: &str| ran(outcome, name).1.trim().parse::<u64>().unwrap();
        // 20 Mbit/s send 625 bytes in 250 µs, less than a packet: one packet fills the queue. 100 Mbit/s send 3125.
        assert_eq!(limit("during"), 0);
        assert_eq!(limit("faster"), 3125);
        assert_eq!(limit("after"), limit("before"));
        assert_eq!(ran(outcome, "unload").0, 0, "{:?}", ran(outcome, "unload"));
    });
}

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
        compute("busy", 1),
        show("held"),
        Step::Idle { name: "after".to_owned(), ms: 2_000 },
        show("after"),
        stop("flood"),
    ]);
    on_each_kernel(FAST, Clock::Counted, &steps, |outcome| {
        let count = |at: &str, name: &str| shown(outcome, at)[name].as_u64().unwrap();
        assert!(count("before", "rx_passed") > 100);
        assert!(count("held", "rx_held") > count("before", "rx_held"));
        assert_eq!(count("after", "rx_valve"), 0);
        assert!(count("after", "rx_passed") > count("held", "rx_passed"));
        // 20 Mbit/s are 3 200 frames in 2 s.
        assert!(outcome.rounds("after").next().unwrap().background.frames > 3_000);
    });
}

/// One of two processors is busy: the background goes on, on the other one.
#[test]
fn a_busy_processor_does_not_hold_what_another_may_send() {
    let steps = [
        lbe("max_hold 0"),
        start("flood", UDP_FLOOD, true),
        sleep(1_000),
        Step::Idle { name: "idle".to_owned(), ms: 2_000 },
        Step::Compute(Compute { name: "busy".to_owned(), rounds: 1_000_000_000, repeats: 1, pause_ms: 0 }),
        show("after"),
        stop("flood"),
    ];
    let link = format!("{FAST} discard=1,0");
    on_each_kernel(&link, Clock::Host { processors: 2 }, &marked(&steps), |outcome| {
        assert!(outcome.rounds("idle").next().unwrap().background.frames > 0);
        assert!(outcome.rounds("busy").next().unwrap().background.frames > 0);
    });
}
