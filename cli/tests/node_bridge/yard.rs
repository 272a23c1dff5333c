//! Where a bridge is tried: a vehicle's and an operator's master, keys and files for both ends, loopback between them.

use std::cell::Cell;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use tokkyu_node::{Node, Param};
use tokkyu_node_bridge::master::State;

use super::node::{Listener, Talker, until};
use super::program::Program;

/// Which end of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Vehicle,
    Operator,
}

pub use End::{Operator, Vehicle};

impl End {
    pub fn name(self) -> &'static str {
        match self {
            Vehicle => "vehicle",
            Operator => "operator",
        }
    }

    fn other(self) -> End {
        match self {
            Vehicle => Operator,
            Operator => Vehicle,
        }
    }
}

/// A running `rosmaster`.
struct Master {
    uri: String,
    program: Program,
}

impl Master {
    fn start(folder: &Path) -> Master {
        // Free a moment ago; nobody else is given it soon.
        let probe = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = probe.local_addr().expect("bound").port();
        drop(probe);
        Master::start_at(port, folder)
    }

    fn start_at(port: u16, folder: &Path) -> Master {
        let uri = format!("http://127.0.0.1:{port}");
        let mut command = ros("rosmaster", &uri, folder);
        command.args(["--core", "-p", &port.to_string()]);
        let program = Program::start("rosmaster", command, None);
        let is_there = || TcpStream::connect(("127.0.0.1", port)).ok();
        until("the master", is_there);
        Master { uri, program }
    }
}

/// A program of ROS, as Debian has it.
fn ros(program: &str, master: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("/usr/bin:{path}")).env("ROS_MASTER_URI", master).env("ROS_IP", "127.0.0.1");
    command.env("ROS_HOME", folder).env("ROS_LOG_DIR", folder).env("PYTHONUNBUFFERED", "1");
    for name in ["ROS_HOSTNAME", "ROS_NAMESPACE", "TOKKYU_ROBOT"] {
        command.env_remove(name);
    }
    command
}

/// Whether ROS 1 can be had here; says so if not.
fn is_there() -> bool {
    let try_it = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let missing = [("rosmaster", "/usr/bin/rosmaster"), ("rostopic", "/usr/bin/rostopic")]
        .into_iter()
        .find(|(_, path)| !Path::new(path).exists())
        .map(|(program, _)| program)
        .or_else(|| {
            (!try_it("/usr/bin/python3", &["-c", "import rospy, sensor_msgs.msg"])).then_some("rospy")
        });
    if let Some(missing) = missing {
        eprintln!(
            "skipped: no {missing}; apt-get install python3-rosmaster python3-rospy python3-rostopic python3-sensor-msgs"
        );
    }
    missing.is_none()
}

/// Both sides of a bridge, with masters and nothing else running yet.
pub struct Yard {
    folder: TempDir,
    vehicle: Option<Master>,
    operator: Option<Master>,
    /// Where the operator's bridge listens, once it has chosen.
    port: Cell<u16>,
}

impl Yard {
    /// With these flows and two masters; nothing if ROS 1 is not here, which is said.
    pub fn open(flows: &str) -> Option<Yard> {
        is_there().then(|| {
            let mut yard = Yard::without_masters(flows);
            yard.vehicle = Some(Master::start(yard.folder.path()));
            yard.operator = Some(Master::start(yard.folder.path()));
            yard
        })
    }

    /// The same with one master for both ends.
    pub fn with_one_master(flows: &str) -> Option<Yard> {
        is_there().then(|| {
            let mut yard = Yard::without_masters(flows);
            yard.vehicle = Some(Master::start(yard.folder.path()));
            yard
        })
    }

    /// Files alone.
    pub fn without_masters(flows: &str) -> Yard {
        let folder = tempfile::tempdir().expect("a folder");
        let yard = Yard { folder, vehicle: None, operator: None, port: Cell::new(0) };
        for end in [Vehicle, Operator] {
            let (own, other) = (end.name(), end.other().name());
            let key = yard.path(&format!("{own}.key"));
            let made = tokkyu(&["keys", "new"]).arg(key).output().expect("runs");
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            let site = format!(
                "site: yard\nlink: {{identity: {own}.key, trust: [{other}.key.pub], memory: 64 MB}}\n"
            );
            fs::write(yard.path(&format!("{own}.yaml")), site).expect("written");
        }
        yard.declare(flows);
        yard
    }

    /// What robot.yaml says from now on.
    pub fn declare(&self, flows: &str) {
        fs::write(self.path("robot.yaml"), format!("robot: yard\nflows:\n{flows}\n")).expect("written");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn master(&self, end: End) -> &str {
        let own = if end == Operator { self.operator.as_ref() } else { None };
        own.or(self.vehicle.as_ref()).map_or("http://127.0.0.1:9", |master| &master.uri)
    }

    /// A node of ours in this process.
    pub fn node(&self, end: End, name: &str) -> Node {
        let builder = Node::builder(name).master(self.master(end)).namespace("/").without_signals();
        builder.build().expect("a node")
    }

    pub fn listen(&self, end: End, topic: &str) -> Listener {
        Listener::start(self.node(end, &next_name("listener")), topic)
    }

    pub fn talk(&self, end: End, topic: &str) -> Talker {
        Talker::start(self.node(end, &next_name("talker")), topic)
    }

    /// A node of rospy: `node/tests/ros1/peers/peer.py`, whose README has the words.
    pub fn rospy(&self, end: End, words: &str) -> Program {
        let program = self.peer("peer.py", end, words);
        program.until("ready", |lines| lines.iter().any(|line| line.starts_with("ready")).then_some(()));
        program
    }

    /// A program of `node/tests/ros1/peers`.
    pub fn peer(&self, file: &str, end: End, words: &str) -> Program {
        let peer = Path::new(env!("CARGO_MANIFEST_DIR")).join("../node/tests/ros1/peers").join(file);
        let mut command = ros("/usr/bin/python3", self.master(end), self.folder.path());
        command.arg("-B").arg(peer).args(words.split_whitespace());
        command.arg(format!("node={}", next_name("rospy")));
        Program::start(&format!("rospy {words}"), command, None)
    }

    /// `tokkyu vehicle` or `tokkyu operator`, with `flags` beside those it needs. The operator's comes first.
    pub fn end(&self, end: End, flags: &str) -> Program {
        let mut command = self.command_of(end);
        command.args(flags.split_whitespace());
        let program = Program::start(end.name(), command, None);
        if end == Operator {
            let ready = |line: &String| {
                let value = serde_json::from_str::<Value>(line).ok()?;
                value["ready"]["local"].as_str()?.rsplit(':').next()?.parse().ok()
            };
            self.port.set(program.until("its port", |lines| lines.iter().find_map(ready)));
        }
        program
    }

    /// The same, not started.
    pub fn command_of(&self, end: End) -> Command {
        let mut command = ros(env!("CARGO_BIN_EXE_tokkyu"), self.master(end), self.folder.path());
        // Nobody's (RFC 5737): a node of the vehicle's that went by it would be found by nobody (NODE-127).
        command.env("ROS_IP", "203.0.113.9").env("XDG_STATE_HOME", self.folder.path());
        command.args([end.name(), "--status", "json", "--same-clock"]);
        command.arg("--robot").arg(self.path("robot.yaml"));
        command.arg("--site").arg(self.path(&format!("{}.yaml", end.name())));
        let address = format!("127.0.0.1:{}", self.port.get());
        command.args([if end == Operator { "--listen" } else { "--operator" }, &address]);
        command.current_dir(self.folder.path());
        command
    }

    /// One of ROS's tools.
    pub fn tool(&self, end: End, words: &str) -> Program {
        let mut words = words.split_whitespace();
        let program = format!("/usr/bin/{}", words.next().expect("a program"));
        let mut command = ros(&program, self.master(end), self.folder.path());
        command.args(words);
        Program::start(&program, command, None)
    }

    /// What the master says of publishers of a topic.
    pub fn publishers(&self, asking: &Node, topic: &str) -> Vec<String> {
        let answer = asking.call_master("getSystemState", true, &[]).expect("an answer");
        let state = State::of(&answer).expect("the state of the system");
        state.publishers.get(topic).into_iter().flatten().cloned().collect()
    }

    /// Ends a master.
    pub fn kill_master(&mut self, end: End) {
        drop(if end == Operator { self.operator.take() } else { self.vehicle.take() });
    }

    /// Kills the vehicle's master, which stands still then.
    pub fn kill_vehicles_master(&mut self) {
        self.vehicle.as_mut().expect("a master").program.kill();
    }

    /// Starts it anew, where it was; it knows nobody.
    pub fn revive_vehicles_master(&mut self) {
        let uri = self.master(Vehicle).to_owned();
        let port = uri.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
        self.vehicle = Some(Master::start_at(port, self.folder.path()));
    }

    /// Where the node of a bridge is told to do something.
    pub fn address_of_bridge(&self, end: End) -> String {
        self.address_of(end, &format!("/tokkyu_bridge_{}", end.name()))
    }

    /// The same of a node whose name begins so.
    pub fn address_of(&self, end: End, begin: &str) -> String {
        let asking = self.node(end, &next_name("asking"));
        let is_it = |node: &String| node.starts_with(begin);
        let bridge = self.publishers(&asking, "/rosout").into_iter().find(is_it).expect("its node");
        let uri = asking.call_master("lookupNode", true, &[Param::Text(bridge)]).expect("known");
        asking.shutdown();
        let Param::Text(uri) = uri else { panic!("{uri:?}") };
        uri
    }

    /// Tells a node to end, as `rosnode kill` does.
    pub fn shut_down(&self, uri: &str) {
        let place = uri.trim_start_matches("http://").trim_end_matches('/');
        let text = |text: &str| format!("<param><value>{text}</value></param>");
        let params = [text("/test"), text("the test is over")].concat();
        let body =
            format!("<methodCall><methodName>shutdown</methodName><params>{params}</params></methodCall>");
        let head =
            format!("POST / HTTP/1.0\r\nContent-Type: text/xml\r\nContent-Length: {}\r\n\r\n", body.len());
        let mut stream = TcpStream::connect(place).expect("the node's own address");
        stream.write_all((head + &body).as_bytes()).expect("written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        assert!(answer.contains("200 OK"), "{answer}");
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
        self.start_bridge(end, self.command(end), flags)
    }

    /// One bridge at another yard's master.
    pub fn bridge_at(&self, end: End, master: &str) -> Bridge {
        let mut command = self.command(end);
        command.env("ROS_MASTER_URI", master);
        self.start_bridge(end, command, "")
    }

    fn start_bridge(&self, end: End, mut command: Command, flags: &str) -> Bridge {
        let address = format!("127.0.0.1:{}", self.port.get());
        command.args([if end == Operator { "--listen" } else { "--operator" }, &address]);
        command.args(["--duration", "5 min"]).args(flags.split_whitespace());
        let bridge = Bridge(Program::start(end.name(), command, None));
        if end == Operator {
            // A vehicle that comes too early is told that the port is not reachable, and tries again.
            let line = bridge.until_told(&["operator's bridge on"]);
            let port = line.rsplit(':').next().and_then(|port| port.trim().parse().ok());
            self.port.set(port.expect("a port"));
        }
        bridge
    }

    /// `tokkyu node bridge` with the files of one end.
    pub fn command(&self, end: End) -> Command {
        let mut command = ros(env!("CARGO_BIN_EXE_tokkyu"), self.master(end), self.folder.path());
        command.args(["node", "bridge", end.name(), "--status", "json"]);
        command.arg("--robot").arg(self.path("robot.yaml"));
        command.arg("--site").arg(self.path(&format!("{}.yaml", end.name())));
        command.current_dir(self.folder.path());
        command
    }
}

/// A running bridge.
pub struct Bridge(Program);

impl Bridge {
    /// Waits for a line that has all of `words`.
    pub fn until_told(&self, words: &[&str]) -> String {
        self.0.until_told(words)
    }

    /// Lines so far that have `word`.
    pub fn told(&self, word: &str) -> Vec<String> {
        self.0.err.all().into_iter().filter(|line| line.contains(word)).collect()
    }

    /// Waits until so many lines have had `word`.
    pub fn until_told_times(&self, word: &str, times: usize) {
        until(&format!("{word:?} {times} times"), || (self.told(word).len() >= times).then_some(()));
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

    /// Waits until it has ended by itself.
    pub fn exit_code(&mut self) -> Option<i32> {
        self.0.exit_code()
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

/// A node with the name of another would end that one.
fn next_name(role: &str) -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{role}_{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
