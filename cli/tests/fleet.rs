//! A fleet of real programs on this machine: router, vehicle, list, open; and what a user gets who types something wrong.
#![cfg(feature = "fleet")]

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Long enough for a busy machine; only a failure takes it.
const PATIENCE: Duration = Duration::from_secs(60);

const ROBOT: &str = "robot: rover-7
flows:
  camera/front: {rate: 20 Hz, size: 20 kB, class: realtime, depth: 1, lifespan: 400 ms, source: {dummy: 20 kB}}
  drive/command: {rate: 50 Hz, class: control, depth: 1, lifespan: 150 ms, deadline: 100 ms, toward: vehicle}
";

fn tokkyu(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokkyu"));
    command.args(arguments).current_dir(dir).stdin(Stdio::null());
    command
}

fn run(dir: &Path, arguments: &[&str]) -> Output {
    tokkyu(dir, arguments).output().expect("the program starts")
}

fn said(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

/// A program that runs on, killed when dropped.
struct Program(Child);

impl Program {
    /// Started, and `word` was said.
    fn start(dir: &Path, arguments: &[&str], word: &str) -> Program {
        Program::try_start(dir, arguments, word)
            .unwrap_or_else(|| panic!("{arguments:?} ended without saying {word}"))
    }

    /// `None` if it ended without saying `word`.
    fn try_start(dir: &Path, arguments: &[&str], word: &str) -> Option<Program> {
        let mut child = tokkyu(dir, arguments).stdout(Stdio::piped()).spawn().expect("the program starts");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let program = Program(child);
        let mut lines = output.lines().map_while(Result::ok);
        lines.find(|line| line.contains(word))?;
        // Read on, so that what it says later finds a reader.
        std::thread::spawn(move || lines.for_each(drop));
        Some(program)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A router and where it is. Another program may take a port between our look for it and the router's.
fn router(dir: &Path) -> (Program, String) {
    let start = |_| {
        let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
        let router = format!("tcp/{}", socket.local_addr().expect("a port"));
        drop(socket);
        Some((Program::try_start(dir, &["fleet", "router", "--listen", &router], "router at")?, router))
    };
    (0..10).find_map(start).expect("a router at one of ten ports")
}

/// Keys, declaration and sites of one vehicle and two operators, who go to `router`.
fn yard(dir: &Path, router: &str) {
    for name in ["rover", "desk-1", "desk-2"] {
        assert!(run(dir, &["keys", "new", &format!("{name}.key")]).status.success());
    }
    let site = |name: &str, trust: &str| {
        format!(
            "site: {name}\nlink: {{identity: {name}.key, trust: [{trust}.key.pub], listen: \"127.0.0.1:0\"}}\n\
             priorities: {{max_fifo: 0}}\nfleet: {{routers: [{router}]}}\n"
        )
    };
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("written");
    write("robot.yaml", ROBOT);
    write("rover.yaml", &site("rover", "desk-1"));
    write("desk-1.yaml", &site("desk-1", "rover"));
    write("desk-2.yaml", &site("desk-2", "rover"));
}

fn list(dir: &Path) -> Value {
    let output = run(dir, &["fleet", "list", "--site", "desk-1.yaml", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_vehicle_is_listed_called_and_driven_by_real_programs() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let (_router, address) = router(dir);
    yard(dir, &address);
    let serve = ["fleet", "serve", "--site", "rover.yaml", "--priority", "0", "--same-clock"];
    let _vehicle = Program::start(dir, &serve, "rover-7");

    let vehicle = list(dir)["vehicles"][0].clone();
    assert_eq!(
        (&vehicle["robot"], &vehicle["state"]["doing"]),
        (&"rover-7".into(), &"idle".into()),
        "{vehicle}"
    );
    let table = said(&run(dir, &["fleet", "list", "--site", "desk-1.yaml"]));
    assert!(table.contains("rover-7  idle"), "{table}");

    let open = |site: &str, more: &[&str]| {
        let words = [
            "fleet",
            "open",
            "rover-7",
            "--site",
            site,
            "--priority",
            "0",
            "--same-clock",
            "--status",
            "none",
        ];
        run(dir, &[&words[..], &["--control", "pattern"], more].concat())
    };
    let refused = open("desk-2.yaml", &[]);
    assert_eq!(refused.status.code(), Some(4), "{}", said(&refused));
    assert!(said(&refused).contains("not in its trust list"), "{}", said(&refused));

    let drive = open("desk-1.yaml", &["--duration", "2 s", "--summary", "drive.json"]);
    assert_eq!(drive.status.code(), Some(0), "{}", said(&drive));
    let summary = std::fs::read_to_string(dir.join("drive.json")).expect("a summary");
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    assert_eq!(summary["sessions"], 1);
    assert!(summary["received"][0]["ledger"]["delivered"].as_u64() > Some(3), "{}", summary["received"]);

    let end = Instant::now() + PATIENCE;
    while list(dir)["vehicles"][0]["state"]["last"]["operator"] != "desk-1" {
        assert!(Instant::now() < end, "the vehicle never told of the drive: {}", list(dir));
    }
}

#[test]
fn what_is_not_there_or_not_safe_is_told_with_its_exit_code() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    // Below 1024, where no test's router is.
    yard(dir, "tcp/127.0.0.1:1");
    for (arguments, code, words) in [
        (&["fleet", "list", "--site", "desk-1.yaml"][..], 1, "no router answers"),
        (&["fleet", "list"], 2, "give fleet: {routers:"),
        (&["fleet", "router", "--listen", "tcp/0.0.0.0:7448"], 2, "use tls/"),
        (&["fleet", "router", "--listen", "tls/0.0.0.0:7448"], 2, "needs certificates"),
        (&["fleet", "router", "--listen", "udp/127.0.0.1:1"], 2, "tls/HOST:PORT"),
        (&["fleet", "open", "rover-7"], 2, "no key of our own"),
    ] {
        let output = run(dir, arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(words), "{arguments:?}: {}", said(&output));
    }
    let (_router, address) = router(dir);
    let site = std::fs::read_to_string(dir.join("desk-1.yaml")).expect("a site");
    std::fs::write(dir.join("desk-1.yaml"), site.replace("tcp/127.0.0.1:1]", &format!("{address}]")))
        .expect("written");
    let unknown = run(dir, &["fleet", "open", "rover-9", "--site", "desk-1.yaml", "--status", "none"]);
    assert_eq!(unknown.status.code(), Some(1), "{}", said(&unknown));
    assert!(said(&unknown).contains("no vehicle called rover-9"), "{}", said(&unknown));
}
