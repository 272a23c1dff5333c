//! What the tests share: a board with the pair, steps by name, and what was found.
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::Value;
use tokkyu_lab::board::pair::{self, must, run, start};
use tokkyu_lab::board::plan::{Compute, Direction, Transfer};
use tokkyu_lab::board::{
    Architecture, Board, BoardError, Clock, KERNELS, Kernel, Line, Outcome, Plan, Step, boards_folder,
};

/// Long: a busy machine emulates slowly, and the debugging kernel takes ten times the instructions.
const PATIENCE: Duration = Duration::from_secs(1_200);
pub const SLOW: &str = "rate_kbps=384,1000 delay_us=50000,50000 queue_bytes=8192,0";
pub const FAST: &str = "rate_kbps=20000,20000 delay_us=10000,10000 queue_bytes=8192,0";
pub const UDP_FLOOD: &str = "agent flood udp 10.0.0.2:9 1 dscp=1";
/// Frames that [`FAST`] takes in a second.
pub const FAST_FRAMES: f64 = 20e6 / 8.0 / (1514.0 + 24.0);

/// A board with the pair and the module, and these steps, on every kernel there is.
pub fn on_each_kernel(link: &str, clock: Clock, steps: &[Step], check: impl Fn(&Outcome)) {
    on_kernels(&kernels(), link, clock, steps, check);
}

/// The same on these.
pub fn on_kernels(names: &[String], link: &str, clock: Clock, steps: &[Step], check: impl Fn(&Outcome)) {
    boards(names, link, clock, steps).for_each(|outcome| check(&outcome));
}

/// Those of Debian's, or what is asked for.
fn kernels() -> Vec<String> {
    let asked = std::env::var("TOKKYU_BOARD_KERNELS").ok();
    asked.map_or(KERNELS.map(str::to_owned).to_vec(), |names| names.split(',').map(str::to_owned).collect())
}

/// The same for several tests, which look at one board each kernel: the first of them starts it. Where there is none each of them says so,
/// as it looks at nothing.
pub fn shared<'a>(board: &'a OnceLock<Vec<Outcome>>, link: &str, steps: &[Step]) -> &'a [Outcome] {
    let found = board.get_or_init(|| boards(&kernels(), link, Clock::Counted, steps).collect());
    if found.is_empty() {
        eprintln!("skipped: there is no board to look at");
    }
    found
}

fn boards(names: &[String], link: &str, clock: Clock, steps: &[Step]) -> impl Iterator<Item = Outcome> {
    let mut plan = Plan { steps: pair::join(link) };
    plan.steps.push(pair::load("sch_lbe.ko", ""));
    plan.steps.extend_from_slice(steps);
    names.iter().filter_map(move |name| board(name, clock, &plan))
}

/// Nothing where there is no kernel or no QEMU.
pub fn board(name: &str, clock: Clock, plan: &Plan) -> Option<Outcome> {
    let skipped = |error: BoardError| eprintln!("skipped: {error}");
    let kernel = Kernel::find(&boards_folder(), name).map_err(skipped).ok()?;
    let folder = tempfile::tempdir().unwrap();
    // Who asks for a lock that an oops has left held waits until the test's patience is over.
    match (Board { architecture: Architecture::X86_64, kernel, clock, arguments: "oops=panic".to_owned() })
        .run(plan, folder.path(), PATIENCE, |_| {}, &|| false)
    {
        Ok(outcome) => {
            println!("{name}: {:?} {:?} {:?}", outcome.fault, outcome.lines, outcome.console);
            assert_eq!(outcome.fault, None, "{}", outcome.console.join("\n"));
            Some(outcome)
        }
        Err(error @ BoardError::NoProgram { .. }) => {
            skipped(error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Exit code, standard output and standard error of the command with this name.
pub fn ran<'a>(outcome: &'a Outcome, wanted: &str) -> (i32, &'a str, &'a str) {
    let found = outcome.lines.iter().find_map(|line| match line {
        Line::Ran { name, code, output, errors } if name == wanted => {
            Some((*code, output.as_str(), errors.as_str()))
        }
        _ => None,
    });
    found.unwrap_or_else(|| panic!("nothing ran as {wanted}"))
}

/// The JSON that the command with this name printed.
pub fn told(outcome: &Outcome, name: &str) -> Value {
    let (code, output, errors) = ran(outcome, name);
    assert_eq!(code, 0, "{name}: {errors}");
    serde_json::from_str(output).unwrap_or_else(|error| panic!("{name}: {error}: {output}"))
}

pub fn show(name: &str) -> Step {
    run(name, "tc -j -s qdisc show dev vmac0")
}

/// The qdisc of a `tc -j -s qdisc show`, root first.
pub fn shown(outcome: &Outcome, name: &str) -> Value {
    told(outcome, name)[0].clone()
}

/// A counter of a `tc -j -s qdisc show`.
pub fn counted(outcome: &Outcome, name: &str, counter: &str) -> u64 {
    shown(outcome, name)[counter].as_u64().unwrap_or_else(|| panic!("{name} has no {counter}"))
}

/// A counter of `/proc/net/snmp`, where a protocol has a line of names, then one of values.
pub fn snmp(outcome: &Outcome, name: &str, protocol: &str, counter: &str) -> u64 {
    let mut lines = ran(outcome, name).1.lines().filter_map(|line| line.strip_prefix(protocol));
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    let at = names.split(' ').position(|word| word == counter).unwrap();
    values.split(' ').nth(at).unwrap().parse().unwrap()
}

pub fn lbe(options: &str) -> Step {
    must(format!("tc qdisc replace dev vmac0 root handle 1: lbe {options}").trim_end())
}

pub fn compute(name: &str, rounds: u64, repeats: u32) -> Step {
    Step::Compute(Compute { name: name.to_owned(), rounds, repeats, pause_ms: 500 })
}

pub fn idle(name: &str, ms: u64) -> Step {
    Step::Idle { name: name.to_owned(), ms }
}

pub fn wait(name: &str) -> Step {
    Step::Wait { name: name.to_owned() }
}

pub fn write(path: &str, text: &str) -> Step {
    Step::Write { path: path.to_owned(), text: text.to_owned() }
}

pub fn post(name: &str, bytes: u64, repeats: u32) -> Step {
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

/// IPv6 addresses of both ends, which know each other already.
pub fn join_six() -> Vec<Step> {
    [
        "ip -6 addr add fd00::1/64 dev vmac0 nodad",
        "ip -n far -6 addr add fd00::2/64 dev vmac1 nodad",
        "ip -6 neigh replace fd00::2 lladdr 02:76:6d:61:63:01 dev vmac0 nud permanent",
        "ip -n far -6 neigh replace fd00::1 lladdr 02:76:6d:61:63:00 dev vmac1 nud permanent",
    ]
    .map(must)
    .to_vec()
}

/// Far end, port 81: takes streams and looks at every byte.
pub fn taker() -> Vec<Step> {
    vec![
        start("taker", "ip netns exec far agent take [::]:81", false),
        must("ip netns exec far agent await /proc/net/tcp6 :0051"),
    ]
}

/// Far end, port 9: receives so many numbered datagrams.
pub fn receiver(name: &str, count: u32) -> Vec<Step> {
    vec![
        start(name, &format!("ip netns exec far agent receive [::]:9 {count}"), false),
        must("ip netns exec far agent await /proc/net/udp6 :0009"),
    ]
}

/// What a receiver must say of `count` numbered datagrams.
pub fn assert_all_in_order(outcome: &Outcome, receiver: &str, count: u64) {
    let seen = told(outcome, receiver);
    let wanted = serde_json::json!({"received": count, "missing": 0, "reordered": 0, "wrong": 0});
    assert_eq!(seen, wanted, "{receiver}");
}

/// Packets are held now, and the gate says so.
pub fn assert_held(outcome: &Outcome, name: &str) {
    let now = shown(outcome, name);
    assert_eq!(now["held_now"], true, "{name}: {now}");
    assert!(now["backlog"].as_u64().unwrap() > 0, "{name}: {now}");
}
