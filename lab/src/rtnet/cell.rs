//! One start of a board: a setting, a load, and both measurements beside it.

use std::fmt;
use std::path::PathBuf;

use tokkyu_measure::rtnet::Load;

use super::layout::{BULK_DEVICE, FAR, Layout};
use super::setting::{Driver, PRIORITY, Setting, begin, end};
use crate::board::pair::{must, run, start};
use crate::board::{Architecture, Board, Clock, Kernel, Plan, Step};

/// One start of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Processors and ports.
    pub layout: Layout,
    /// Who does the driver's work.
    pub driver: Driver,
    /// What is set.
    pub setting: Setting,
    /// What is beside it.
    pub load: Load,
    /// Which repetition, from 0.
    pub run: u32,
    /// Frames and requests.
    pub count: u32,
    /// Whether the kernel traces, which costs time: its figures are not those of the others.
    pub traced: bool,
}

/// The paper's period.
const PERIOD_US: u32 = 10_000;
/// Between an answer and the next request: a train of 64 KB is 5.5 ms on the wire, and requests in step with trains would meet them at the same point
/// each time.
const PAUSE_US: u32 = 500;
const PAUSE_SPREAD_US: u32 = 5_500;
/// Beside bulk traffic a slow board takes long to start a program.
const PATIENCE_MS: u32 = 5_000;
const JITTER_PORT: u16 = 7_000;
const ANSWER_PORT: u16 = 7_001;

/// Kept of a kernel that traces; its buffer holds all of a short run.
pub(super) const TRACE: &str = "trace.txt";
const TRACE_KB: &str = "32768";

/// Names of what is run, which its output comes with.
pub(super) const SENT: &str = "sent";
pub(super) const RECEIVED: &str = "received";
pub(super) const ASKED: &str = "asked";
pub(super) const ANSWERED: &str = "answered";
/// Of the counters before, between and after both measurements.
pub(super) const COUNTERS: [&str; 4] =
    ["before-jitter", "after-jitter", "before-round-trips", "after-round-trips"];

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layout { cores, ports, slow } = self.layout;
        let more = match (cores, slow) {
            (1, false) => String::new(),
            (1, true) => ", half as fast".to_owned(),
            _ => format!(", {cores} cores, {ports} ports"),
        };
        let more = if self.traced { more + ", traced" } else { more };
        write!(
            f,
            "{}, load {}, driver in {}{more}, run {}",
            self.setting,
            self.load,
            self.driver.as_str(),
            self.run
        )
    }
}

impl Cell {
    /// All that the board has to do.
    pub fn plan(&self) -> Plan {
        let mut steps = self.layout.join(self.driver.interrupt());
        steps.extend(self.setting.set(self.layout));
        steps.extend(begin(self.load, self.setting, self.layout, self.run));
        steps.extend(if self.traced { traced(self.jitter()) } else { self.jitter() });
        steps.extend(self.round_trips());
        if self.traced {
            steps.push(Step::Keep { path: format!("{TRACING}/trace"), name: TRACE.to_owned() });
        }
        steps.extend(end(self.load));
        Plan { steps }
    }

    /// Where its console and samples are kept, below the folder of the run.
    pub fn folder(&self, kernel: &Kernel) -> PathBuf {
        let Layout { cores, ports, .. } = self.layout;
        let words = format!("{}-{}-{}", self.driver.as_str(), self.setting, self.load);
        let traced = if self.traced { "-traced" } else { "" };
        let words = words.replace(':', "-");
        format!("{}-{cores}x{ports}-{words}{traced}-run{}", kernel.name, self.run).into()
    }

    /// What carries its plan out.
    pub fn board(&self, kernel: &Kernel) -> Board {
        let clock = Clock::Together {
            processors: self.layout.processors(),
            instruction_ns: self.layout.instruction_ns(),
        };
        let architecture = Architecture::X86_64;
        Board { architecture, kernel: kernel.clone(), clock, arguments: self.layout.arguments() }
    }

    fn jitter(&self) -> Vec<Step> {
        let at = format!("{}:{JITTER_PORT} --session 2", self.layout.far_address());
        let series = format!("--count {} --period-us {PERIOD_US}", self.count);
        let receive = format!(
            "{FAR} agent probe receive {at} {series} --stamps hardware --patience-ms {PATIENCE_MS} --cpu {} --priority {PRIORITY} --raw /tmp/{RECEIVED}.csv",
            self.layout.peer_cpu()
        );
        let send = format!(
            "agent probe send {at} {series} --hardware --priority {PRIORITY} --cpu {} --raw /tmp/{SENT}.csv{}",
            self.setting.sender_cpu(self.layout),
            self.setting.send_options()
        );
        let [before, after, ..] = COUNTERS;
        vec![
            start(RECEIVED, &receive, false),
            ready(RECEIVED),
            counters(before),
            run(SENT, &send),
            counters(after),
            Step::Wait { name: RECEIVED.to_owned() },
            keep(SENT),
            keep(RECEIVED),
        ]
    }

    /// As the paper's, the peer asks and the board answers.
    fn round_trips(&self) -> Vec<Step> {
        let at = format!("{}:{ANSWER_PORT} --session 3", self.layout.near_address());
        let answer = format!(
            "agent probe answer {at} --count {} --patience-ms {PATIENCE_MS} --cpu {} --priority {PRIORITY}{}",
            self.count,
            self.setting.sender_cpu(self.layout),
            self.setting.mark()
        );
        let request = format!(
            "{FAR} agent probe request {at} --count {} --pause-us {PAUSE_US} --pause-spread-us {PAUSE_SPREAD_US} --patience-ms 250 --priority {PRIORITY} --cpu {} --raw /tmp/{ASKED}.csv{}",
            self.count,
            self.layout.peer_cpu(),
            self.setting.far_mark()
        );
        let [_, _, before, after] = COUNTERS;
        vec![
            start(ANSWERED, &answer, false),
            ready(ANSWERED),
            counters(before),
            run(ASKED, &request),
            counters(after),
            Step::Wait { name: ANSWERED.to_owned() },
            keep(ASKED),
        ]
    }
}

const TRACING: &str = "/sys/kernel/debug/tracing";

/// With the kernel's trace of the board's first processor.
fn traced(measured: Vec<Step>) -> Vec<Step> {
    let put = |file: &str, text: &str| must(&format!("agent put {TRACING}/{file} {text}"));
    let events = ["sched/sched_switch", "net/net_dev_queue", "net/net_dev_start_xmit"];
    let mut steps = vec![put("tracing_on", "0"), put("trace_clock", "mono"), put("buffer_size_kb", TRACE_KB)];
    steps.extend(events.map(|event| put(&format!("events/{event}/enable"), "1")));
    steps.extend([put("tracing_cpumask", "1"), put("tracing_on", "1")]);
    steps.extend(measured);
    steps.push(put("tracing_on", "0"));
    steps
}

fn ready(name: &str) -> Step {
    must(&format!("agent await /tmp/{name}.out ready"))
}

fn keep(name: &str) -> Step {
    Step::Keep { path: format!("/tmp/{name}.csv"), name: format!("{name}.csv") }
}

/// Of the device that the bulk traffic goes through.
fn counters(name: &str) -> Step {
    run(name, &format!("agent probe counters {BULK_DEVICE}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program of the peer's on the board's processor would take time from it, and send through its softirqs.
    #[test]
    fn programs_of_each_end_stay_on_its_processors() {
        for (cores, ports) in [(1, 1), (2, 1), (2, 2)] {
            let layout = Layout { cores, ports, slow: false };
            let (driver, load) = (Driver::Thread, Load::Receive);
            for setting in [Setting::Other, Setting::Tuned] {
                let cell = Cell { layout, driver, setting, load, run: 0, count: 100, traced: false };
                let plan = cell.plan();
                let programs = plan.steps.iter().filter_map(|step| match step {
                    Step::Run { argv, .. } | Step::Start { argv, .. } => Some(argv),
                    _ => None,
                });
                let measuring: Vec<&Vec<String>> = programs
                    .filter(|argv| {
                        argv.contains(&"probe".to_owned()) && !argv.contains(&"counters".to_owned())
                    })
                    .collect();
                assert_eq!(measuring.len(), 6, "{measuring:?}");
                for argv in measuring {
                    let far = argv.iter().any(|word| word == "netns");
                    let at = argv.iter().position(|word| word == "--cpu");
                    let cpu: Option<u32> = at.map(|at| argv[at + 1].parse().unwrap());
                    assert_eq!(far, cpu == Some(layout.peer_cpu()), "{argv:?}");
                }
            }
        }
    }
}
