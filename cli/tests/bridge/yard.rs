//! Where a bridge is tried: a vehicle's and an operator's DDS domain, keys and files for both ends, and between them loopback
//! or the emulated wire.
//!
//! Each yard has two domains that no other of this test program has. On loopback their difference keeps the two sides
//! apart, on the wire network namespaces do as well.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;
use tempfile::TempDir;
use tokkyu_lab::wire::{End, Wire, WireError};
use tokkyu_link::sim::path::Profile;

use super::capture::DEVICE;
use super::peer::{Library, Peer, are_there};
use super::program::Program;

pub use tokkyu_lab::wire::End::{Operator, Vehicle};

/// Domains whose ports lie below those that Linux gives away by itself (7400 + 250 for each, up to 32768).
const DOMAINS: u32 = 100;
/// The link's port on the wire.
pub const LINK_PORT: u16 = 7447;

/// Both sides of a bridge, with nothing running yet.
pub struct Yard {
    folder: TempDir,
    domains: [u32; 2],
    wire: Option<Wire>,
    /// Where the operator's bridge listens on loopback, once it has chosen.
    port: Cell<Option<u16>>,
}

impl Yard {
    /// With these flows on loopback; nothing if a library is not here, which is said.
    pub fn open(flows: &str, libraries: &[Library]) -> Option<Yard> {
        are_there(libraries).then(|| Yard::build(flows, None))
    }

    /// The same with the two sides at the ends of an emulated network.
    pub fn over(profile: &Profile, flows: &str, libraries: &[Library]) -> Option<Yard> {
        if !are_there(libraries) {
            return None;
        }
        match Wire::new(profile, 1) {
            Ok(wire) => Some(Yard::build(flows, Some(wire))),
            Err(error @ WireError::NotPermitted { .. }) => {
                eprintln!("skipped: {error}");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn build(flows: &str, wire: Option<Wire>) -> Yard {
        let folder = tempfile::tempdir().expect("a folder");
        let domains = [next_domain(), next_domain()];
        let yard = Yard { folder, domains, wire, port: Cell::new(None) };
        for end in [Vehicle, Operator] {
            let key = yard.path(&format!("{}.key", name(end)));
            let made = tokkyu(&["keys", "new"]).arg(key).output().expect("runs");
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            let (own, other) = (name(end), name(end.peer()));
            let site = format!(
                "site: yard\nlink: {{identity: {own}.key, trust: [{other}.key.pub], memory: 64 MB}}\n"
            );
            fs::write(yard.path(&format!("{own}.yaml")), site).expect("written");
        }
        yard.declare(flows);
        yard
    }

    /// What robot.yaml says from now on, at both ends.
    pub fn declare(&self, flows: &str) {
        fs::write(self.robot(), format!("robot: yard\nflows:\n{flows}\n")).expect("written");
    }

    /// `ip` of iproute2 at one end of the wire.
    pub fn ip(&self, end: End, words: &str) {
        let mut ip = Command::new("ip");
        ip.args(words.split_whitespace());
        let status = self.wire().spawn(end, ip).expect("ip of iproute2").wait().expect("a child");
        assert!(status.success(), "ip {words}: {status}");
    }

    /// The wire's device has no multicast by itself, as a real network's has: without it DDS would not think of it.
    pub fn allow_multicast(&self) {
        [Vehicle, Operator]
            .into_iter()
            .for_each(|end| self.ip(end, &format!("link set {DEVICE} multicast on")));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn robot(&self) -> PathBuf {
        self.path("robot.yaml")
    }

    pub fn wire(&self) -> &Wire {
        self.wire.as_ref().expect("a yard over the wire")
    }

    pub fn domain(&self, end: End) -> u32 {
        self.domains[usize::from(end == Operator)]
    }

    /// A peer at one side.
    pub fn peer(&self, library: Library, end: End, words: &str) -> Peer {
        self.peer_in(library, end, self.domain(end), words)
    }

    /// A peer in a domain of the caller's choice.
    pub fn peer_in(&self, library: Library, end: End, domain: u32, words: &str) -> Peer {
        Peer::start(library, domain, words, self.place(end))
    }

    /// Both bridges, with a session between them.
    pub fn bridges(&self) -> (Bridge, Bridge) {
        let operator = self.bridge(Operator, "");
        let vehicle = self.bridge(Vehicle, "");
        vehicle.until_told(&["with the other bridge is up"]);
        operator.until_told(&["with the other bridge is up"]);
        (vehicle, operator)
    }

    /// One bridge, with `flags` beside those it needs. The operator's comes first.
    pub fn bridge(&self, end: End, flags: &str) -> Bridge {
        self.bridge_in(end, self.domain(end), flags)
    }

    /// One bridge in a domain of the caller's choice.
    pub fn bridge_in(&self, end: End, domain: u32, flags: &str) -> Bridge {
        let mut command = self.command(end);
        command.args(["--domain", &domain.to_string(), "--duration", "5 min"]).args(flags.split_whitespace());
        let address = self.address();
        command.args([if end == Operator { "--listen" } else { "--operator" }, &address]);
        let bridge = Bridge(Program::start(name(end), command, self.place(end)));
        if end == Operator {
            // A vehicle that comes too early is told that the port is not reachable, and tries again.
            let line = bridge.until_told(&["operator's bridge on"]);
            self.port.set(line.rsplit(':').next().and_then(|port| port.trim().parse().ok()));
        }
        bridge
    }

    /// `tokkyu bridge` with the files of one end.
    pub fn command(&self, end: End) -> Command {
        let mut command = tokkyu(&["bridge", name(end), "--status", "json"]);
        command.arg("--robot").arg(self.robot()).arg("--site").arg(self.path(&format!("{}.yaml", name(end))));
        command.env_remove("ROS_DOMAIN_ID").current_dir(self.folder.path());
        command
    }

    /// `tokkyu vehicle` or `tokkyu operator` on loopback, with `flags` beside those it needs. The operator's comes first.
    pub fn end(&self, end: End, flags: &str) -> Program {
        let mut command = tokkyu(&[name(end), "--status", "json", "--same-clock"]);
        command.arg("--robot").arg(self.robot()).arg("--site").arg(self.path(&format!("{}.yaml", name(end))));
        command.args([if end == Operator { "--listen" } else { "--operator" }, &self.address()]);
        command.args(flags.split_whitespace()).current_dir(self.folder.path()).env_remove("ROS_DOMAIN_ID");
        command.env("XDG_STATE_HOME", self.folder.path());
        let program = Program::start(name(end), command, None);
        if end == Operator {
            let ready = |line: &String| {
                let value = serde_json::from_str::<Value>(line).ok()?;
                value["ready"]["local"].as_str()?.rsplit(':').next()?.parse().ok()
            };
            self.port.set(Some(program.until("its port", |lines| lines.iter().find_map(ready))));
        }
        program
    }

    fn address(&self) -> String {
        match (&self.wire, self.port.get()) {
            (Some(_), _) => format!("{}:{LINK_PORT}", Operator.address()),
            (None, port) => format!("127.0.0.1:{}", port.unwrap_or(0)),
        }
    }

    fn place(&self, end: End) -> Option<(&Wire, End)> {
        self.wire.as_ref().map(|wire| (wire, end))
    }
}

/// A running bridge.
pub struct Bridge(Program);

impl Bridge {
    /// Waits for a line that has all of `words`.
    pub fn until_told(&self, words: &[&str]) -> String {
        self.0.until_told(words)
    }

    /// Waits until so many lines have had `word`.
    pub fn until_told_times(&self, word: &str, times: usize) {
        let count = |lines: &[String]| lines.iter().filter(|line| line.contains(word)).count();
        let told = self.0.err.find(|lines| (count(lines) >= times).then_some(()));
        assert!(told.is_some(), "{}: {word:?} was not told {times} times", self.0.name());
    }

    /// Lines so far that have `word`.
    pub fn told(&self, word: &str) -> Vec<String> {
        self.0.err.all().into_iter().filter(|line| line.contains(word)).collect()
    }

    /// Waits for figures of which `find` finds something.
    pub fn until_figures<T>(&self, what: &str, find: impl Fn(&Value) -> Option<T>) -> T {
        let parse = |line: &String| serde_json::from_str::<Value>(line).expect("figures are JSON");
        self.0.until(what, |lines| lines.last().map(parse).as_ref().and_then(&find))
    }

    /// The next figures after those there are now.
    pub fn next_figures(&self) -> Value {
        let count = self.0.out.all().len();
        let newer = |lines: &[String]| (lines.len() > count).then(|| lines.last().cloned())?;
        serde_json::from_str(&self.0.until("figures", newer)).expect("figures are JSON")
    }

    /// SIGKILL: it says good-bye to nobody.
    pub fn kill(mut self) {
        self.0.kill();
    }
}

/// A figure of a topic in what a bridge tells once a second; 0 if it is not there.
pub fn figure(status: &Value, side: &str, topic: &str, name: &str) -> u64 {
    let topics = status[side].as_array().expect("a list");
    topics.iter().find(|entry| entry["topic"] == topic).and_then(|entry| entry[name].as_u64()).unwrap_or(0)
}

pub fn tokkyu(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokkyu"));
    command.args(arguments);
    command
}

/// Nobody knows of the others' test programs: two that run at once seldom begin with the same number.
fn next_domain() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    (std::process::id().wrapping_mul(37) + NEXT.fetch_add(1, Ordering::Relaxed)) % DOMAINS + 1
}

fn name(end: End) -> &'static str {
    match end {
        Vehicle => "vehicle",
        Operator => "operator",
    }
}

/// Waits until a writer has its bridge's reader and each reader its bridge's writer. Between two libraries one side may know
/// of it up to 3 s before the other: a volatile reader misses what is written meanwhile.
pub fn until_joined(writer: &Peer, readers: &[&Peer]) {
    writer.until_matched(1);
    readers.iter().for_each(|reader| reader.until_matched(1));
}
