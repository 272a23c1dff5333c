//! The tuner on real kernels: what it does is done, kept, repaired and taken back, whatever becomes of the device.
use serde_json::Value;
use tokkyu_lab::board::pair::{self, modprobe, must, run, start};
use tokkyu_lab::board::{Clock, Outcome, Plan, REALTIME_KERNELS, Step};

use crate::scene::{board, ran, told};

const PAIR: Clock = Clock::Together { processors: 2, instruction_ns: 2 };
const APART: &str = "interrupt=1 wire_cpu=1 irq_cpu=0,1 rate_kbps=100000,100000";

fn on(kernel: &str, parameters: &str, steps: Vec<Step>) -> Option<Outcome> {
    let steps = [vec![modprobe("sch_prio")], pair::join(parameters), steps].concat();
    board(kernel, PAIR, &Plan { steps })
}

fn real_time() -> &'static str {
    REALTIME_KERNELS[0]
}

fn plan(name: &str) -> Step {
    run(name, "agent tune plan vmac0 senders=10")
}

fn tune(name: &str, words: &str) -> Step {
    run(name, &format!("agent tune {words}"))
}

/// What was found of the host, without the numbers of threads: an interrupt's is another after the link was down.
fn host(outcome: &Outcome, name: &str) -> Value {
    fn forget(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("id");
                fields.values_mut().for_each(forget);
            }
            Value::Array(all) => all.iter_mut().for_each(forget),
            _ => {}
        }
    }
    let mut host = told(outcome, name)["host"].clone();
    forget(&mut host);
    host
}

fn steps_of(outcome: &Outcome, name: &str) -> Vec<String> {
    let steps = told(outcome, name)["plan"]["steps"].clone();
    steps.as_array().unwrap().iter().map(|step| step["step"].as_str().unwrap().to_owned()).collect()
}

/// Of each change, whether it is as it was set.
fn kept(outcome: &Outcome, name: &str) -> Vec<bool> {
    let all = told(outcome, name);
    all.as_array().unwrap().iter().map(|change| change["now"] == change["new"]).collect()
}

/// What became of each change that was taken back.
fn was(outcome: &Outcome, name: &str) -> Vec<String> {
    let all = told(outcome, name);
    all.as_array()
        .unwrap()
        .iter()
        .map(|change| change["was"].as_str().unwrap_or("changed").to_owned())
        .collect()
}

#[test]
fn a_host_is_as_it_was_when_a_plan_is_taken_back() {
    let steps = vec![
        plan("before"),
        tune("applied", "apply vmac0 senders=10"),
        tune("again", "apply vmac0 senders=10"),
        plan("tuned"),
        tune("status", "status vmac0"),
        // The interrupt's thread is made again, with the kernel's priority.
        must("ip link set vmac0 down"),
        tune("down", "status vmac0"),
        must("ip link set vmac0 up"),
        tune("up", "status vmac0"),
        tune("repair", "repair vmac0"),
        tune("repaired", "status vmac0"),
        tune("reverted", "revert vmac0"),
        plan("after"),
        tune("nothing", "revert vmac0"),
    ];
    let Some(outcome) = on(real_time(), APART, steps) else { return };
    assert_eq!(steps_of(&outcome, "before"), ["gso", "band", "bql", "irq"]);
    let (code, _, errors) = ran(&outcome, "again");
    assert!(code == 1 && errors.contains("tuned already"), "{errors}");
    assert_eq!(steps_of(&outcome, "tuned"), Vec::<String>::new());
    assert_eq!(kept(&outcome, "status"), [true; 4]);
    assert_eq!(kept(&outcome, "down"), [true, true, true, false], "the thread went with the link");
    assert_eq!(kept(&outcome, "up"), [true, true, true, false], "it came back as the kernel makes it");
    assert_eq!(told(&outcome, "repair").as_array().unwrap().len(), 1);
    assert_eq!(kept(&outcome, "repaired"), [true; 4]);
    assert_eq!(was(&outcome, "reverted"), ["restored"; 4]);
    assert_eq!(host(&outcome, "after"), host(&outcome, "before"));
    assert!(ran(&outcome, "nothing").2.contains("not tuned"));
}

#[test]
fn a_device_that_was_renamed_or_is_gone_is_told() {
    let steps = vec![
        tune("applied", "apply vmac0 senders=10"),
        must("ip link set vmac0 down"),
        must("ip link set vmac0 name robot0"),
        tune("renamed", "status robot0"),
        tune("former", "status vmac0"),
        // Another one takes its name.
        must("ip link add vmac0 type veth peer name other"),
        tune("other", "revert vmac0"),
        must("ip link del vmac0"),
        must("ip link set robot0 name vmac0"),
        tune("back", "revert vmac0"),
        must("ip link add plug type veth peer name socket"),
        tune("plugged", "apply plug senders=10 only=gso"),
        must("ip link del plug"),
        tune("unplugged", "revert plug"),
        tune("no-device", "plan plug senders=10"),
    ];
    let steps = [vec![modprobe("veth")], steps].concat();
    let Some(outcome) = on(real_time(), APART, steps) else { return };
    assert!(ran(&outcome, "renamed").2.contains("not tuned"));
    assert_eq!(kept(&outcome, "former"), [false; 4]);
    let words = ran(&outcome, "other").2;
    assert!(
        words.contains("not the device that was tuned") && words.contains("02:76:6d:61:63:00"),
        "{words}"
    );
    // Its interrupt's thread went with the link.
    assert_eq!(was(&outcome, "back"), ["gone", "restored", "restored", "restored"]);
    assert_eq!(was(&outcome, "unplugged"), ["gone"]);
    assert!(ran(&outcome, "no-device").2.contains("no network device plug"));
}

#[test]
fn what_is_unsafe_or_not_possible_is_said() {
    let steps = vec![
        tune("threads", "plan vmac0 senders=10"),
        run("unthrottle", "agent put /proc/sys/kernel/sched_rt_runtime_us -1"),
        tune("unsafe", "apply vmac0 answers senders=10"),
        tune("nothing", "status vmac0"),
        run("throttle", "agent put /proc/sys/kernel/sched_rt_runtime_us 950000"),
        must("agent read-only /sys"),
        plan("before"),
        tune("read-only", "apply vmac0 senders=10 only=gso,bql"),
        tune("still-nothing", "status vmac0"),
        plan("after"),
    ];
    // A handler that is never threaded: NAPI can have threads in its place.
    let Some(outcome) = on(real_time(), "interrupt=2 wire_cpu=1 irq_cpu=0,1", steps) else { return };
    assert_eq!(steps_of(&outcome, "threads"), ["gso", "band", "bql", "napi"]);
    let (code, _, errors) = ran(&outcome, "unsafe");
    assert!(code == 1 && errors.contains("throttling is off"), "{errors}");
    assert!(ran(&outcome, "nothing").2.contains("not tuned"), "nothing was changed");
    // The first step was done, by netlink, and taken back.
    let (code, _, errors) = ran(&outcome, "read-only");
    assert!(
        code == 1 && errors.contains("limit_max") && errors.contains("mounted read-only here"),
        "{errors}"
    );
    assert!(ran(&outcome, "still-nothing").2.contains("not tuned"));
    assert_eq!(host(&outcome, "after"), host(&outcome, "before"));
}

#[test]
fn what_waits_or_goes_elsewhere_for_throughput_does_not_any_more() {
    const OPTIONS: &str = "senders=10 cpu=0 ktimers=1 only=rps,coalesce,defer,ktimers";
    let device = "/sys/class/net/vmac0";
    let ask = |name: &str| run(name, "agent probe request 10.0.0.2:7001 --session 3 --count 50 --cpu 0");
    let steps = vec![
        start(
            "answerer",
            "ip netns exec far agent probe answer 10.0.0.2:7001 --session 3 --count 100 --cpu 1",
            false,
        ),
        must("agent await /tmp/answerer.out ready"),
        must("agent tune coalesce vmac0 rx-usecs 1000"),
        ask("held"),
        must(&format!("agent put {device}/queues/rx-0/rps_cpus 2")),
        must(&format!("agent put {device}/napi_defer_hard_irqs 2")),
        must(&format!("agent put {device}/gro_flush_timeout 200000")),
        tune("before", &format!("plan vmac0 {OPTIONS}")),
        tune("applied", &format!("apply vmac0 {OPTIONS}")),
        tune("status", "status vmac0"),
        ask("at-once"),
        tune("reverted", "revert vmac0"),
        tune("after", &format!("plan vmac0 {OPTIONS}")),
    ];
    let Some(outcome) = on(real_time(), APART, steps) else { return };
    assert_eq!(steps_of(&outcome, "before"), ["rps", "coalesce", "defer"]);
    let left = told(&outcome, "before")["plan"]["left"].to_string();
    assert!(left.contains("ktimers/* is at 1 already"), "{left}");
    assert_eq!(kept(&outcome, "status"), [true; 4]);
    assert_eq!(was(&outcome, "reverted"), ["restored"; 4]);
    assert_eq!(host(&outcome, "after"), host(&outcome, "before"));
    let least = |name: &str| {
        let lines = ran(&outcome, name).1;
        let trips = lines
            .lines()
            .find_map(|line| serde_json::from_str::<Value>(line).ok()?.get("round_trips").cloned());
        trips.unwrap()["rtt"]["min_ns"].as_i64().unwrap()
    };
    // Of the interrupt that waits 1 ms no answer is told sooner.
    assert!(
        least("held") > 1_000_000 && least("at-once") < 500_000,
        "{} {}",
        least("held"),
        least("at-once")
    );
}

/// A program's own value of one NAPI (6.13 and later) is found, taken away, and given back; that frames are left to other threads (6.19 and later)
/// is said.
#[test]
fn what_newer_kernels_have_is_found() {
    let device = "/sys/class/net/vmac0";
    let steps = vec![
        must(&format!("agent put {device}/napi_defer_hard_irqs 2")),
        must(&format!("agent put {device}/gro_flush_timeout 50000")),
        must("agent tune napi vmac0 200000"),
        tune("before", "plan vmac0 senders=10"),
        tune("applied", "apply vmac0 senders=10 only=defer"),
        tune("tuned", "plan vmac0 senders=10"),
        tune("reverted", "revert vmac0"),
        tune("after", "plan vmac0 senders=10"),
    ];
    let Some(outcome) = on("backports-rt", APART, steps) else { return };
    let timeouts = |name: &str| {
        let values = host(&outcome, name)["deferral"][1][1].clone();
        let own: Vec<u64> = values["own"].as_object().unwrap().values().filter_map(Value::as_u64).collect();
        (values["device"].as_u64().unwrap(), own)
    };
    assert_eq!(timeouts("before"), (50_000, vec![200_000]));
    let notes = told(&outcome, "before")["plan"]["notes"].to_string();
    assert!(notes.contains("PACKET_QDISC_BYPASS"), "{notes}");
    assert_eq!(timeouts("tuned"), (0, vec![]));
    assert_eq!(was(&outcome, "reverted"), ["restored"; 2]);
    assert_eq!(host(&outcome, "after"), host(&outcome, "before"));
}

/// A device with two transmit queues: one for the processor of the device's work, the other for all others, senders' among them.
#[test]
fn transmit_queues_are_shared_out_between_processors() {
    let steps = vec![
        modprobe("veth"),
        must(
            "ip link add plug numtxqueues 2 numrxqueues 2 type veth peer name socket numtxqueues 2 numrxqueues 2",
        ),
        must("agent put /sys/class/net/plug/queues/tx-0/xps_cpus 3"),
        tune("before", "plan plug senders=10 cpu=0"),
        tune("applied", "apply plug senders=10 cpu=0 only=xps"),
        tune("tuned", "plan plug senders=10 cpu=0"),
        tune("reverted", "revert plug"),
        tune("after", "plan plug senders=10 cpu=0"),
    ];
    let Some(outcome) = on(real_time(), APART, steps) else { return };
    let processors = |name: &str| {
        let queues = host(&outcome, name)["queues"].as_array().unwrap().clone();
        queues.iter().map(|queue| queue["xps_cpus"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(steps_of(&outcome, "before").contains(&"xps".to_owned()));
    assert_eq!(processors("tuned"), ["1", "2"]);
    assert_eq!(was(&outcome, "reverted"), ["restored"; 2]);
    assert_eq!(processors("before"), ["3", "0"]);
    assert_eq!(host(&outcome, "after"), host(&outcome, "before"));
}

#[test]
fn a_kernel_without_real_time_is_tuned_as_far_as_it_goes() {
    let steps = vec![
        plan("before"),
        tune("applied", "apply vmac0 senders=10"),
        tune("status", "status vmac0"),
        tune("reverted", "revert vmac0"),
        plan("after"),
    ];
    let Some(outcome) = on("6.1", APART, steps) else { return };
    // Its interrupts have no threads; NAPI gets some.
    assert_eq!(steps_of(&outcome, "before"), ["gso", "band", "bql", "napi"]);
    let left = told(&outcome, "before")["plan"]["left"].clone();
    assert!(left.to_string().contains("without PREEMPT_RT"), "{left}");
    assert!(kept(&outcome, "status").iter().all(|kept| *kept));
    // The kernel keeps NAPI's threads, asleep, until the device goes.
    let [before, after] = ["before", "after"].map(|name| {
        let mut host = host(&outcome, name);
        (host["napi_threads"].take(), host)
    });
    assert_eq!(after.1, before.1);
    let policies: Vec<_> =
        after.0.as_array().unwrap().iter().map(|thread| thread["policy"].clone()).collect();
    assert_eq!(policies, ["other"]);
}
