//! Where it can be, and how it comes and goes.
use std::sync::OnceLock;

use serde_json::json;
use tokkyu_lab::board::pair::{self, modprobe, must, run, sleep, start, stop};
use tokkyu_lab::board::{Clock, Outcome, Step};

use crate::bare;
use crate::scene::{
    FAST, assert_all_in_order, counted, lbe, on_each_kernel, ran, receiver, shared, show, shown, told, wait,
    write,
};

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
        stop("flood"),
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

const QUEUE: &str = "no queue of its own";
const ROOT: &str = "lbe is a root qdisc";
/// Name, command, and what the reason says.
const REFUSED: [(&str, &str, &str); 7] = [
    ("loopback", "tc qdisc add dev lo root lbe", "nothing waits on the loopback"),
    ("bridge", "tc qdisc add dev br0 root lbe", QUEUE),
    ("bond", "tc qdisc add dev bond0 root lbe", QUEUE),
    ("team", "tc qdisc add dev team0 root lbe", QUEUE),
    ("below mq", "tc qdisc add dev many parent 10:1 lbe", ROOT),
    ("below htb", "tc qdisc add dev one parent 20:1 lbe", ROOT),
    ("below itself", "tc qdisc add dev vmac0 parent 1:1 lbe", ROOT),
];

/// One board for all tests of this kind.
pub fn boards() -> &'static [Outcome] {
    static BOARDS: OnceLock<Vec<Outcome>> = OnceLock::new();
    shared(&BOARDS, FAST, &[refusals(), default_of_the_system(), bare::steps(), vlan()].concat())
}

fn refusals() -> Vec<Step> {
    let modules = ["bridge", "bonding", "team", "veth", "sch_htb"];
    let devices = [
        "ip link add br0 type bridge",
        "ip link add team0 type team",
        "ip link add many numtxqueues 2 numrxqueues 2 type veth peer name one",
        "tc qdisc add dev many root handle 10: mq",
        "tc qdisc add dev one root handle 20: htb",
        "tc class add dev one parent 20: classid 20:1 htb rate 1mbit",
    ];
    let mut steps = modules.map(modprobe).to_vec();
    steps.extend(devices.map(must));
    steps.push(lbe(""));
    steps.extend(REFUSED.iter().map(|(name, line, _)| run(name, line)));
    steps
}

#[test]
fn devices_without_a_queue_of_their_own_are_refused() {
    for outcome in boards() {
        for (name, _, reason) in REFUSED {
            let (code, _, errors) = ran(outcome, name);
            assert_ne!(code, 0, "{name} was not refused");
            assert!(errors.contains(reason), "{name}: {errors}");
        }
    }
}

fn default_of_the_system() -> Vec<Step> {
    const DEFAULT: &str = "/proc/sys/net/core/default_qdisc";
    vec![
        write(DEFAULT, "lbe"),
        must("tc qdisc replace dev vmac0 root pfifo"),
        must("tc qdisc del dev vmac0 root"),
        show("by default"),
        run("by hand", "tc qdisc replace dev vmac0 root handle 1: lbe"),
        run("children", "tc -j qdisc show dev vmac0 invisible"),
        write(DEFAULT, "pfifo_fast"),
    ]
}

/// Where lbe is the system's default, the child of an lbe is a pfifo (LBE-11).
#[test]
fn it_can_be_the_default_of_the_system() {
    for outcome in boards() {
        assert_eq!(shown(outcome, "by default")["kind"], "lbe");
        assert_eq!(ran(outcome, "by hand").0, 0, "{}", ran(outcome, "by hand").2);
        let children = told(outcome, "children");
        let kinds: Vec<&str> =
            children.as_array().unwrap().iter().filter_map(|q| q["kind"].as_str()).collect();
        assert_eq!(kinds, ["lbe", "pfifo"]);
    }
}

const COUNT: u32 = 20;

/// Datagrams through the VLAN, and the DS fields of their frames.
fn through_vlan(name: &str, options: &str) -> Vec<Step> {
    let seen = format!("{name} seen");
    [
        receiver(&seen, COUNT),
        vec![
            write("/sys/kernel/debug/vmac/vmac0", "0"),
            must(format!("agent send 10.5.0.2:9 {COUNT} {options}").trim_end()),
            wait(&seen),
            run(name, "agent fields"),
        ],
    ]
    .concat()
}

fn vlan() -> Vec<Step> {
    [
        vec![modprobe("8021q")],
        [
            "ip link add link vmac0 name vmac0.5 type vlan id 5",
            "ip -n far link add link vmac1 name vmac1.5 type vlan id 5",
            "ip addr add 10.5.0.1/24 dev vmac0.5",
            "ip -n far addr add 10.5.0.2/24 dev vmac1.5",
            "ip link set vmac0.5 up",
            "ip -n far link set vmac1.5 up",
            "ip neigh replace 10.5.0.2 lladdr 02:76:6d:61:63:01 dev vmac0.5 nud permanent",
            "ip -n far neigh replace 10.5.0.1 lladdr 02:76:6d:61:63:00 dev vmac1.5 nud permanent",
        ]
        .map(must)
        .to_vec(),
        vec![lbe("receive")],
        through_vlan("priority", "priority=1"),
        through_vlan("mark", "dscp=1"),
        through_vlan("none", "dscp=2"),
        vec![must("agent flow add 10.5.0.2:9")],
        through_vlan("table", ""),
        vec![must("agent flow add 10.5.0.2,9")],
        vec![
            start("down", "agent receive 10.5.0.1:9 20", false),
            must("agent await /proc/net/udp :0009"),
            must("ip netns exec far agent send 10.5.0.1:9 20"),
            wait("down"),
            show("below"),
            must("agent flow flush"),
            must("tc qdisc del dev vmac0 root"),
            must("tc qdisc add dev vmac0.5 root handle 2: lbe"),
        ],
        through_vlan("on the VLAN", "priority=1"),
        vec![
            run("above", "tc -j -s qdisc show dev vmac0.5"),
            must("tc qdisc del dev vmac0.5 root"),
            run("unload", "agent unload sch_lbe"),
        ],
    ]
    .concat()
}

/// On the device below a VLAN its packets are seen through their tags (LBE-3), sent and received. On the VLAN's device lbe works
/// too: the budget bounds what is in the device below.
#[test]
fn packets_behind_vlan_tags_are_background() {
    for outcome in boards() {
        for name in ["priority", "mark", "none", "table", "on the VLAN"] {
            assert_all_in_order(outcome, &format!("{name} seen"), u64::from(COUNT));
            let field = if name == "none" { "8" } else { "4" };
            assert_eq!(told(outcome, name)[field], json!(COUNT), "{name}");
        }
        assert_all_in_order(outcome, "down", 20);
        assert_eq!(counted(outcome, "below", "rx_passed") + counted(outcome, "below", "rx_held"), 20);
        let above = &told(outcome, "above")[0];
        assert!(above["budget_waits"].as_u64().unwrap() > 0, "{above}");
        assert_eq!(above["in_device"], 0, "{above}");
        assert_eq!(ran(outcome, "unload").0, 0, "{:?}", ran(outcome, "unload"));
    }
}
