//! The probes beside independent tools, on one board in one run of virtual time: iperf3, sockperf (ping-pong) and cyclictest measure the same.
use serde_json::Value;
use tokkyu_lab::board::pair::{self, must, run, sleep, start, stop};
use tokkyu_lab::board::{Clock, Outcome, Plan, REALTIME_KERNELS, Step};
use tokkyu_probe::line::Line;

use crate::scene::{board, ran};

const PAIR: Clock = Clock::Together { processors: 2, instruction_ns: 2 };
const APART: &str = "interrupt=1 wire_cpu=1 irq_cpu=0,1 rate_kbps=100000,100000";
const FAR: &str = "ip netns exec far";

fn throughput() -> Vec<Step> {
    vec![
        start("iperf3 server", &format!("{FAR} iperf3 -s -1 -B 10.0.0.2"), false),
        sleep(500),
        run("iperf3", "iperf3 -c 10.0.0.2 -t 2 -J"),
        start(
            "serve",
            &format!("{FAR} agent probe load serve 10.0.0.2:8000 --session 1 --from 10.0.0.1"),
            false,
        ),
        must("agent await /tmp/serve.out listening"),
        run("flow", "agent probe load flow give 10.0.0.2:8000 --session 1 --seconds 2"),
        stop("serve"),
    ]
}

/// The payload of a frame of 122 bytes is 80.
fn round_trips() -> Vec<Step> {
    let answer =
        format!("{FAR} agent probe answer 10.0.0.2:7001 --session 3 --patience-ms 500 --cpu 1 --priority 10");
    vec![
        start("sockperf server", &format!("{FAR} sockperf server -i 10.0.0.2 -p 9000"), false),
        sleep(500),
        run("sockperf", "sockperf ping-pong -i 10.0.0.2 -p 9000 -m 80 -t 2 --full-rtt"),
        stop("sockperf server"),
        start("answered", &answer, false),
        must("agent await /tmp/answered.out ready"),
        run("asked", "agent probe request 10.0.0.2:7001 --session 3 --count 1000 --cpu 0"),
        Step::Wait { name: "answered".to_owned() },
    ]
}

fn wakes() -> Vec<Step> {
    let at = "10.0.0.2:7000 --session 2 --count 300 --period-us 10000";
    vec![
        // From a whole second on, as the probe's periods are: both meet the kernel's ticks, or neither.
        run("cyclictest", "cyclictest -q -m -a 0 -t 1 -p 10 -i 10000 -l 300 --secaligned=0"),
        start("received", &format!("{FAR} agent probe receive {at} --cpu 1 --priority 10"), false),
        must("agent await /tmp/received.out ready"),
        run("sent", &format!("agent probe send {at} --cpu 0 --priority 10")),
        Step::Wait { name: "received".to_owned() },
    ]
}

fn said<T>(outcome: &Outcome, name: &str, kind: impl Fn(Line) -> Option<T>) -> T {
    let (code, output, errors) = ran(outcome, name);
    let found = output.lines().filter_map(|line| Line::from_json(line).ok()).find_map(kind);
    found.unwrap_or_else(|| panic!("{name} ended with {code}: {output} {errors}"))
}

/// The number behind these words.
fn behind(text: &str, words: &str) -> f64 {
    let rest = text.split_once(words).unwrap_or_else(|| panic!("no {words:?} in {text}")).1;
    let number: String = rest.trim_start().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    number.parse().unwrap_or_else(|_| panic!("no number behind {words:?} in {text}"))
}

fn near(name: &str, ours: f64, theirs: f64, within: f64) {
    eprintln!("{name}: ours {ours:.3}, theirs {theirs:.3}");
    assert!((ours - theirs).abs() < within, "{name}: ours {ours}, theirs {theirs}");
}

#[test]
fn probes_measure_what_independent_tools_measure() {
    let steps = [pair::join(APART), throughput(), round_trips(), wakes()].concat();
    let Some(outcome) = board(REALTIME_KERNELS[0], PAIR, &Plan { steps }) else { return };
    let (_, iperf3, errors) = ran(&outcome, "iperf3");
    let iperf3: Value =
        serde_json::from_str(iperf3).unwrap_or_else(|error| panic!("{error}: {iperf3} {errors}"));
    let loaded =
        said(&outcome, "flow", |line| if let Line::Loaded(loaded) = line { Some(loaded) } else { None });
    let mbit = loaded.bytes as f64 * 8e3 / loaded.took_ns as f64;
    near("Mbit/s", mbit, iperf3["end"]["sum_sent"]["bits_per_second"].as_f64().unwrap() / 1e6, 3.0);
    let (_, sockperf, errors) = ran(&outcome, "sockperf");
    let asked =
        said(&outcome, "asked", |line| if let Line::RoundTrips(asked) = line { Some(asked) } else { None });
    near(
        "round trip, us",
        asked.rtt.mean_ns / 1e3,
        behind(&format!("{sockperf}{errors}"), "Round trip is"),
        30.0,
    );
    let sent = said(&outcome, "sent", |line| if let Line::Sent(sent) = line { Some(sent) } else { None });
    // Theirs is whole microseconds, rounded down.
    near("wake-up, us", sent.wake.mean_ns / 1e3, behind(ran(&outcome, "cyclictest").1, "Avg:"), 5.0);
}
