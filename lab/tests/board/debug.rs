//! Everything at once on the debugging kernel, where it is there: lockdep, KASAN, kmemleak and what else it has must find
//! nothing. `linux/build 6.1-debug` builds it; nobody has to. With `TOKKYU_BOARD_KERNELS=6.1-debug` the other tests run on it too,
//! and those that look at figures may fail there.
use tokkyu_lab::board::pair::{self, must, run, sleep, start, stop};
use tokkyu_lab::board::{Clock, DEBUG_KERNEL, Step};

use crate::scene::{FAST, lbe, on_kernels, ran, show, write};

/// What lockdep, KASAN and the rest find is on the console and so a fault of the outcome. What is not given back is found last,
/// when all is gone that could hold it.
fn on_debug_kernel(clock: Clock, steps: &[Step]) {
    let undone = [
        run("no qdisc", "tc qdisc del dev vmac0 root"),
        // A packet under way keeps the module.
        sleep(2_000),
        run("no module", "agent unload sch_lbe"),
        must("agent unload vmac"),
        Step::Leaks,
    ];
    on_kernels(&[DEBUG_KERNEL.to_owned()], FAST, clock, &[steps, &undone].concat(), |outcome| {
        let (code, _, errors) = ran(outcome, "no module");
        assert_eq!(code, 0, "{errors}");
    });
}

/// Of both bands, TCP and UDP: `bulk` and `datagrams` are background by their mark, `uploads` as long as the table has them.
fn traffic() -> Vec<Step> {
    let mut steps = pair::serve();
    steps.extend([
        start("bulk", "agent flood tcp 10.0.0.2:80 4 dscp=1", true),
        start("datagrams", "agent flood udp 10.0.0.2:9 1 dscp=1 patient", true),
        start("uploads", "agent flood tcp 10.0.0.2:80 2", false),
        sleep(500),
    ]);
    steps
}

/// All that may be changed while packets flow: options, the child, the table, the mode.
fn change_everything() -> Vec<Step> {
    let change = |options: &str| must(&format!("tc qdisc change dev vmac0 root handle 1: lbe {options}"));
    vec![
        lbe("receive"),
        must("agent flow add 10.0.0.2:80"),
        sleep(200),
        change("max_hold 5ms budget 2 device_queue 3000 limit 20 nosplit"),
        must("tc qdisc replace dev vmac0 parent 1:1 pfifo limit 10"),
        sleep(100),
        show("shown"),
        must("tc qdisc replace dev vmac0 parent 1:1 fq_codel"),
        change("noreceive nodefer nosteer device_queue 0 budget auto split"),
        must("agent flow remove 10.0.0.2:80"),
        must("agent flow add fd00::1,5000"),
        sleep(100),
        lbe("mode task defer"),
        sleep(200),
        change("mode prio device_queue auto limit 1000"),
        sleep(100),
        change("mode task"),
        sleep(100),
        must("tc qdisc del dev vmac0 root"),
        must("agent flow flush"),
    ]
}

/// A foreground that leaves the background no time, and meanwhile these steps.
fn while_packets_are_held(steps: &[Step]) -> Vec<Step> {
    [
        &[
            lbe("mode gate receive max_hold 0 steer"),
            start("busy", "agent flood udp 10.0.0.2:9 2 patient", false),
            sleep(200),
        ],
        steps,
        &[stop("busy"), sleep(200)],
    ]
    .concat()
}

/// The near device and the far one; the second loses what the first has on the way to it.
fn down_and_up() -> Vec<Step> {
    let lines = [
        "ip link set vmac0 down",
        "ip link set vmac0 up",
        "ip -n far link set vmac1 down",
        "ip -n far link set vmac1 up",
    ];
    lines.iter().flat_map(|line| [must(line), sleep(50)]).collect()
}

/// The gate is taken away while one of its processors is not there.
fn unplug_a_processor() -> Vec<Step> {
    let processor = |text: &str| write("/sys/devices/system/cpu/cpu1/online", text);
    let gone = must("tc qdisc del dev vmac0 root");
    let back = lbe("receive max_hold 0 steer");
    vec![processor("0"), sleep(300), gone, sleep(100), back, sleep(200), processor("1"), sleep(100)]
}

fn unload_and_load() -> Vec<Step> {
    vec![
        must("tc qdisc del dev vmac0 root"),
        // A packet under way keeps the module.
        sleep(1_000),
        must("agent unload sch_lbe"),
        pair::load("sch_lbe.ko", ""),
    ]
}

fn everything_at_once(times: usize, while_held: &[Step]) -> Vec<Step> {
    let round = [
        change_everything(),
        vec![must("agent flow add 10.0.0.2:80")],
        while_packets_are_held(while_held),
        // With lbe and what it holds.
        while_packets_are_held(&down_and_up()),
        down_and_up(),
        unload_and_load(),
    ]
    .concat();
    // The pair goes last, under traffic.
    [traffic(), vec![round; times].concat(), vec![lbe("receive"), sleep(200)]].concat()
}

#[test]
fn the_debugging_kernel_finds_nothing_under_changes_on_one_processor() {
    on_debug_kernel(Clock::Counted, &everything_at_once(3, &[]));
}

#[test]
fn the_debugging_kernel_finds_nothing_under_changes_on_two_processors() {
    let steps = everything_at_once(5, &unplug_a_processor());
    on_debug_kernel(Clock::Host { processors: 2 }, &steps);
}
