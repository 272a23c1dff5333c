//! The two ends of an experiment on a board: `vmac0` is the board's, `vmac1` is in the network namespace `far`.

use super::plan::Step;

/// Device of the near end, which is looked at.
pub const DEVICE: &str = "vmac0";
/// Address of the near end.
pub const NEAR: &str = "10.0.0.1";
/// Address of the far end.
pub const FAR: &str = "10.0.0.2";
/// The far end's port of `agent serve`.
pub const HTTP: u16 = 80;
/// A port of the far end where nobody listens: datagrams end in its socket layer.
pub const DISCARD: u16 = 9;

/// Hardware addresses of the pair (`linux/vmac/device.c`), entered by hand so that nobody asks for them.
const NEAR_MAC: &str = "02:76:6d:61:63:00";
const FAR_MAC: &str = "02:76:6d:61:63:01";

/// Loads the pair with these parameters of `linux/vmac`, and brings both ends up.
pub fn join(parameters: &str) -> Vec<Step> {
    let lines = [
        "ip link set lo up".to_owned(),
        "ip netns add far".to_owned(),
        "ip link set vmac1 netns far".to_owned(),
        format!("ip addr add {NEAR}/24 dev {DEVICE}"),
        format!("ip link set {DEVICE} up"),
        "ip -n far link set lo up".to_owned(),
        format!("ip -n far addr add {FAR}/24 dev vmac1"),
        "ip -n far link set vmac1 up".to_owned(),
        format!("ip neigh replace {FAR} lladdr {FAR_MAC} dev {DEVICE} nud permanent"),
        format!("ip -n far neigh replace {NEAR} lladdr {NEAR_MAC} dev vmac1 nud permanent"),
    ];
    let mut steps = vec![load("vmac.ko", parameters)];
    steps.extend(lines.iter().map(|line| must(line)));
    steps
}

/// Starts the far end's server.
pub fn serve() -> Vec<Step> {
    vec![start("server", &format!("ip netns exec far agent serve {FAR}:{HTTP}"), false), sleep(200)]
}

/// Loads a module.
pub fn load(file: &str, parameters: &str) -> Step {
    Step::Load { file: file.to_owned(), parameters: parameters.to_owned() }
}

/// Loads a module of the distribution, and what it needs.
pub fn modprobe(name: &str) -> Step {
    Step::Modprobe { name: name.to_owned() }
}

/// Runs a command line, words apart by single spaces, which ends the plan if it fails.
pub fn must(line: &str) -> Step {
    Step::Run { name: "set up".to_owned(), argv: words(line), must: true }
}

/// Runs a command line and reports how it ended.
pub fn run(name: &str, line: &str) -> Step {
    Step::Run { name: name.to_owned(), argv: words(line), must: false }
}

/// Starts a command line.
pub fn start(name: &str, line: &str, idle: bool) -> Step {
    Step::Start { name: name.to_owned(), argv: words(line), idle }
}

/// Ends what was started.
pub fn stop(name: &str) -> Step {
    Step::Stop { name: name.to_owned() }
}

/// Lets time pass.
pub fn sleep(ms: u64) -> Step {
    Step::Sleep { ms }
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}
