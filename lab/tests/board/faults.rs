//! What is taken away under it: the qdisc, the device, a processor, the module.
use tokkyu_lab::board::Clock;
use tokkyu_lab::board::pair::{self, must, run, sleep, start, stop};

use crate::scene::{
    FAST, UDP_FLOOD, assert_all_in_order, assert_held, counted, idle, lbe, on_each_kernel, ran, receiver,
    show, shown, snmp, taker, told, wait, write,
};

/// Packets are held, at the gate of sending and at that of receiving, and what holds them goes: they are sent or freed, TCP goes
/// on, and the module can be unloaded at the end.
#[test]
fn what_holds_packets_can_be_taken_away() {
    let paper = "receive max_hold 0";
    let held = |name: &str| [sleep(300), show(name)];
    let steps = [
        taker(),
        vec![
            must("agent flow add 10.0.0.2:81"),
            lbe(paper),
            start("give", "agent give 10.0.0.2:81 6000000 1", true),
            // It has something to send whatever was lost, as TCP has not.
            start("flood", UDP_FLOOD, false),
            sleep(500),
            start("hog", "agent spin", false),
        ],
        held("replaced").to_vec(),
        vec![
            must("tc qdisc replace dev vmac0 root pfifo"),
            sleep(500),
            idle("after replaced", 500),
            lbe(paper),
        ],
        held("deleted").to_vec(),
        vec![must("tc qdisc del dev vmac0 root"), sleep(500), idle("after deleted", 500), lbe(paper)],
        held("again").to_vec(),
        vec![must("tc qdisc replace dev vmac0 root handle 2: lbe receive max_hold 0")],
        held("down").to_vec(),
        vec![
            // It would end: there is no way while the device is down.
            stop("flood"),
            must("ip link set vmac0 down"),
            show("is down"),
            must("ip netns exec far agent send 10.0.0.1:7 20"),
            sleep(100),
            must("ip link set vmac0 up"),
            must("ip neigh replace 10.0.0.2 lladdr 02:76:6d:61:63:01 dev vmac0 nud permanent"),
            start("flood", UDP_FLOOD, false),
        ],
        held("changed").to_vec(),
        vec![
            must("tc qdisc change dev vmac0 root handle 2: lbe mode prio noreceive"),
            idle("after changed", 500),
            stop("hog"),
            stop("flood"),
            wait("give"),
            show("end"),
            must("tc qdisc del dev vmac0 root"),
            sleep(100),
            run("unload", "agent unload sch_lbe"),
            run("near", "agent read /proc/net/snmp"),
        ],
    ]
    .concat();
    on_each_kernel(FAST, Clock::Counted, &steps, |outcome| {
        for name in ["replaced", "deleted", "again", "down", "changed"] {
            assert_held(outcome, name);
        }
        assert_eq!(shown(outcome, "is down")["backlog"], 0);
        // What came to the device while it was down met nobody, then or later.
        assert_eq!(snmp(outcome, "near", "Udp: ", "NoPorts"), 0);
        for name in ["after replaced", "after deleted", "after changed"] {
            let sent = outcome.rounds(name).next().unwrap();
            assert!(sent.background.frames + sent.foreground.frames > 0, "{name}: {sent:?}");
        }
        assert_eq!(told(outcome, "give")["answer"], "right");
        let end = shown(outcome, "end");
        assert_eq!((&end["backlog"], &end["in_device"]), (&0.into(), &0.into()));
        assert_eq!(ran(outcome, "unload").0, 0, "{:?}", ran(outcome, "unload"));
    });
}

/// A processor goes while it is the only one that could send, and comes back.
#[test]
fn a_processor_can_go_and_come_back() {
    const COUNT: u32 = 2_000;
    const ONLINE: &str = "/sys/devices/system/cpu/cpu1/online";
    let send = format!("agent send 10.0.0.2:9 {COUNT} priority=1");
    let steps = [
        receiver("first", COUNT),
        vec![
            lbe("max_hold 0"),
            start("hog 0", "agent spin 0", false),
            start("hog 1", "agent spin 1", false),
            start("send first", &send, false),
            sleep(1_000),
            show("both busy"),
            write(ONLINE, "0"),
            sleep(500),
            show("one offline"),
            stop("hog 1"),
            write(ONLINE, "1"),
            wait("first"),
            show("online again"),
        ],
        receiver("second", COUNT),
        vec![
            start("send second", &send, false),
            sleep(300),
            write(ONLINE, "0"),
            sleep(300),
            stop("hog 0"),
            wait("second"),
            write(ONLINE, "1"),
            show("end"),
        ],
    ]
    .concat();
    on_each_kernel(FAST, Clock::Host { processors: 2 }, &steps, |outcome| {
        assert_held(outcome, "both busy");
        assert_held(outcome, "one offline");
        assert_all_in_order(outcome, "first", u64::from(COUNT));
        assert_all_in_order(outcome, "second", u64::from(COUNT));
        // The first processor was busy all the time: the other one began to run a background task, or was asked.
        let by_another = |name: &str| counted(outcome, name, "released") + counted(outcome, name, "steered");
        assert!(by_another("online again") > by_another("one offline"));
        assert_eq!(shown(outcome, "end")["drops"], 0);
    });
}

/// With a device that counts no bytes: its budget's packets are ours until it frees them.
#[test]
fn the_module_can_be_loaded_and_unloaded_under_load() {
    let mut steps = taker();
    steps.extend([
        must("agent flow flush"),
        start("flood", UDP_FLOOD, true),
        start("give", "agent give 10.0.0.2:81 1500000 1 dscp=1", true),
    ]);
    for _ in 0..20 {
        steps.extend([
            must("agent unload sch_lbe"),
            pair::load("sch_lbe.ko", ""),
            must("agent flow add 10.0.0.2:81"),
            lbe("receive max_hold 0"),
            sleep(60),
            must("tc qdisc del dev vmac0 root"),
            // What the device has is freed.
            sleep(20),
        ]);
    }
    steps.extend([stop("flood"), wait("give"), run("unload", "agent unload sch_lbe")]);
    on_each_kernel(&format!("{FAST} bql=0"), Clock::Counted, &steps, |outcome| {
        assert_eq!(told(outcome, "give")["answer"], "right");
        assert_eq!(ran(outcome, "unload").0, 0, "{:?}", ran(outcome, "unload"));
    });
}
