//! `tokkyu lab drive --peers` with programs that only play a peer: they have its face (`bench/peers/SPEC.md`) and send one
//! small packet for each picture over the real wire.
//!
//! The stand-in is a shell script that starts this very test program, with the peer's flags in a variable. Where the wire
//! is not permitted the tests say so and pass.

mod permission;

use permission::wire_is_permitted;
use std::collections::BTreeMap;
use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokkyu_contract::{MonoTime, Outcome};
use tokkyu_lab::wire::monotonic_now;
use tokkyu_measure::{Record, RecordWriter};

/// How long to wait for what must come; a test that passes does not wait so long.
const PATIENCE: Duration = Duration::from_secs(60);
/// The stand-in's flags, as it got them.
const FLAGS: &str = "TOKKYU_TEST_PEER";
/// What the stand-in says of itself.
const SETTINGS: &str = "one packet for each picture";

/// Puts a program of that name into `folder`.
fn put(folder: &Path, name: &str, script: &str) {
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join(name), format!("#!/bin/sh\n{script}\n")).expect("a script");
    fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).expect("executable");
}

fn stand_in() -> String {
    let this = std::env::current_exe().expect("this test");
    format!("{FLAGS}=\"$*\" exec '{}' --ignored --exact act_as_a_peer", this.display())
}

fn lab_drive(out: &Path, peers: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokkyu"));
    command.args(["lab", "drive", "--network", "lan", "--images", "1", "--warm-up", "2"]).args(arguments);
    command.arg("--out").arg(out).arg("--peers-dir").arg(peers).env_remove("TOKKYU_PEERS");
    command
}

fn words_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn result_in(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("result.json")).expect("a result file")).expect("JSON")
}

/// LAB-8 to LAB-16.
#[test]
fn peers_are_run_and_compared_and_one_that_fails_or_is_absent_stops_nothing() {
    if !wire_is_permitted() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (out, peers) = (dir.path().join("out"), dir.path().join("peers"));
    put(&peers, "tokkyu-peer-tcp", &stand_in());
    put(&peers, "tokkyu-peer-srt", "echo 'no socket for you' >&2; exit 1");
    let asked = ["--peers", "srt-live,tcp-bbr,cyclonedds", "--variants", "tuned", "--samples", "5"];
    let output = lab_drive(&out, &peers, &asked).output().expect("runs");
    let said = words_of(&output);
    assert_eq!(output.status.code(), Some(1), "a case may not be believed: {said}");
    for part in [
        "skipped: cyclonedds: no program ",
        "cyclonedds-dev",
        "case 2 of 3: lan, srt-live tuned, live",
        "INVALID: lan, srt-live tuned, live, run 0: tokkyu-peer-srt ",
        "ended with exit code 1: no socket for you",
        "tcp-bbr tuned, reliable keep_all",
        "paper: OpenSplice, reliable keep_all",
        "not judged: wan-loss5",
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    check_cases(&out);
    let markdown = fs::read_to_string(out.join("report.md")).unwrap();
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    for part in ["tcp-bbr tuned", "no socket for you", "skipped"] {
        assert!(page.to_lowercase().contains(part) && markdown.to_lowercase().contains(part), "{part}");
    }
    assert!(page.contains(SETTINGS) && page.matches("<svg ").count() == 1, "settings and one plot");
    report_makes_the_same_page(&out, &page);
}

fn check_cases(out: &Path) {
    let result = result_in(out);
    assert_eq!(
        (&result["skipped"][0]["peer"], result["skipped"].as_array().map(Vec::len)),
        (&json!("cyclonedds"), Some(1))
    );
    let cases = result["cases"].as_array().unwrap();
    let who: Vec<[&str; 3]> = cases
        .iter()
        .map(|case| ["peer", "variant", "qos"].map(|name| case[name].as_str().unwrap()))
        .collect();
    assert_eq!(
        who,
        [
            ["tokkyu", "default", "reliable keep_last 10 lifespan 500 ms"],
            ["srt-live", "tuned", "live"],
            ["tcp-bbr", "tuned", "reliable keep_all"]
        ]
    );
    assert_eq!(
        [&cases[1]["invalid"], &cases[2]["invalid"]],
        [&json!(true), &json!(false)],
        "{}",
        cases[2]["notes"]
    );
    assert!(cases.iter().all(|case| case["seed"] == 1 && case["load_average"].is_number()));
    let tcp = &cases[2];
    assert_eq!((&tcp["condition"], &tcp["payload_bytes"]), (&json!(3), &json!(7 * 374_000)));
    assert_eq!([&tcp["images_together"]["offered"], &tcp["warm_up"][0]["offered"]], [&json!(5), &json!(2)]);
    // The stand-in gives up its last picture but one, and never sends its last.
    assert_eq!([&tcp["streams"][0]["lost"], &tcp["streams"][0]["dropped"]], [&json!(1), &json!(1)], "{tcp}");
    assert!(tcp["wire_bytes"].as_u64() > Some(0) && tcp["cpu_s"]["send"].is_number(), "{tcp}");
    let ends: Vec<&str> =
        tcp["peer_settings"].as_array().unwrap().iter().filter_map(|end| end["end"].as_str()).collect();
    assert_eq!((ends, &tcp["peer_settings"][1]["settings"]), (vec!["vehicle", "operator"], &json!(SETTINGS)));
    assert_eq!(tcp["records"], "lan-tcp-bbr-tuned-qos3-run0/records.csv");
}

fn report_makes_the_same_page(out: &Path, page: &str) {
    let again = out.join("again.html");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokkyu"));
    let output =
        command.arg("report").arg(out.join("result.json")).arg("-o").arg(&again).output().expect("runs");
    assert_eq!(output.status.code(), Some(0), "{}", words_of(&output));
    assert_eq!(fs::read_to_string(&again).unwrap(), page);
}

/// LAB-14, LAB-16.
#[test]
fn ctrl_c_while_a_peer_runs_ends_it_and_keeps_what_was_measured() {
    if !wire_is_permitted() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (out, peers) = (dir.path().join("out"), dir.path().join("peers"));
    put(&peers, "tokkyu-peer-tcp", &stand_in());
    let asked = ["--peers", "tcp-cubic", "--variants", "default", "--samples", "5"];
    let mut drive = lab_drive(&out, &peers, &asked);
    let mut drive = drive.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let folder = out.join("lan-tcp-cubic-default-qos3-run0");
    let until = Instant::now() + PATIENCE;
    while programs_of(&folder).len() < 2 && Instant::now() < until {
        sleep(Duration::from_millis(10));
    }
    let programs = programs_of(&folder);
    assert_eq!(programs.len(), 2, "both ends of the peer");
    kill(Pid::from_raw(drive.id() as i32), Signal::SIGINT).expect("it runs");
    assert_eq!(drive.wait().expect("a child").code(), Some(130));
    assert_eq!(programs_of(&folder), Vec::<i32>::new(), "no program is left");
    let result = result_in(&out);
    assert_eq!(
        [&result["cases"][0]["interrupted"], &result["cases"][1]["interrupted"]],
        [&json!(false), &json!(true)]
    );
    assert!(out.join("report.md").exists() && out.join("report.html").exists());
}

/// LAB-16.
#[test]
fn ctrl_c_in_our_own_first_case_still_leaves_page_and_markdown() {
    if !wire_is_permitted() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (out, peers) = (dir.path().join("out"), dir.path().join("peers"));
    put(&peers, "tokkyu-peer-tcp", &stand_in());
    let asked = ["--peers", "tcp-cubic", "--variants", "default", "--samples", "300"];
    let mut drive = lab_drive(&out, &peers, &asked);
    let mut drive = drive.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let until = Instant::now() + PATIENCE;
    while !out.join("lan-qoslink-run0").exists() && Instant::now() < until {
        sleep(Duration::from_millis(10));
    }
    kill(Pid::from_raw(drive.id() as i32), Signal::SIGINT).expect("it runs");
    assert_eq!(drive.wait().expect("a child").code(), Some(130));
    let result = result_in(&out);
    let who: Vec<&Value> = result["cases"].as_array().unwrap().iter().map(|case| &case["peer"]).collect();
    assert_eq!(who, ["tokkyu"]);
    for report in ["report.md", "report.html"] {
        assert!(fs::read_to_string(out.join(report)).unwrap().contains("Remote driving"), "{report}");
    }
}

/// LAB-9, LAB-12.
#[test]
fn what_cannot_be_is_told_before_anything_is_begun() {
    let dir = tempfile::tempdir().unwrap();
    let (out, peers) = (dir.path().join("out"), dir.path().join("peers"));
    put(&peers, "tokkyu-peer-tcp", "exit 1");
    for (asked, code, words) in [
        (&["--peers", "tcp", "--sim"][..], 2, "--peers with --sim"),
        (&["--peers", "tcp", "--beside", "reno"], 2, "--peers with --beside"),
        // Whether this kernel has it is asked of a wire, which the company of a peer needs no more.
        (&["--peers", "tcp", "--beside", "nosuch"], 2, "--peers with --beside"),
        (&["--peers", "ros2"], 2, "not a peer: use all"),
        (&["--peers", "tcp", "--variants", "fast"], 2, "use default, tuned"),
        (&["--peers", "tcp", "--variants", "tuned,tuned"], 2, "tuned is given twice"),
        (&["--peers", "tcp", "--samples", "99999"], 2, "a peer takes 100000 pictures in all"),
        (&["--peers", "zenoh"], 3, "none of them is here"),
    ] {
        let output = lab_drive(&out, &peers, asked).output().expect("runs");
        let said = words_of(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(words), "{words} in {said}");
        assert!(!out.exists(), "nothing was measured, so nothing is kept");
    }
}

/// Process numbers of the peer's programs that were started with files of `folder`.
fn programs_of(folder: &Path) -> Vec<i32> {
    let entries = fs::read_dir("/proc").expect("procfs").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let started = |pid: &i32| {
        let flags = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let flags = String::from_utf8_lossy(&flags);
        flags.contains(FLAGS) && flags.contains(&*folder.to_string_lossy())
    };
    pids.filter(started).collect()
}

/// The stand-in of a peer; a test by name alone, so that the scripts above can start it.
#[test]
#[ignore = "started by peers_are_run_and_compared_and_one_that_fails_or_is_absent_stops_nothing"]
fn act_as_a_peer() {
    let flags = std::env::var(FLAGS).expect("started by a script of this test");
    let (role, flags) = flags.split_once(' ').expect("a role and flags");
    let words: Vec<&str> = flags.split(' ').collect();
    let flags: BTreeMap<&str, &str> = words.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    match role {
        "send" => send(&flags),
        _ => receive(&flags),
    }
    let summary = json!({"peer": "tcp", "version": "1", "settings": SETTINGS, "sched_fifo": true, "mlockall": true,
        "met": true, "notes": []});
    fs::write(flags["--summary"], summary.to_string()).expect("a summary");
}

fn number(flags: &BTreeMap<&str, &str>, flag: &str) -> u64 {
    flags[flag].parse().unwrap_or_else(|_| panic!("{flag}"))
}

fn socket(flags: &BTreeMap<&str, &str>) -> UdpSocket {
    UdpSocket::bind(format!("{}:7000", flags["--own"])).expect("a port of its own namespace")
}

fn tick(flags: &BTreeMap<&str, &str>, sequence: u64) -> MonoTime {
    MonoTime::from_nanos(number(flags, "--start-at-ns") + sequence * number(flags, "--period-us") * 1_000)
}

fn record(sequence: u64, capture: MonoTime, arrival: Option<MonoTime>, outcome: Outcome) -> Record {
    Record { stream: "camera/1".into(), sequence: sequence as u32, capture, arrival, outcome, warm_up: false }
}

fn write(flags: &BTreeMap<&str, &str>, records: &[Record]) {
    let mut writer = RecordWriter::create(&PathBuf::from(flags["--records"])).expect("records");
    records.iter().for_each(|record| writer.write(record).expect("a record"));
    writer.finish().expect("records");
}

/// Gives every picture away but the last two: one it loses, one it keeps.
fn send(flags: &BTreeMap<&str, &str>) {
    let (socket, samples) = (socket(flags), number(flags, "--samples"));
    let other: SocketAddr = format!("{}:7000", flags["--other"]).parse().expect("an address");
    let mut records = Vec::new();
    for sequence in 0..samples {
        let capture = tick(flags, sequence);
        sleep(capture.since(monotonic_now()));
        let outcome = if sequence + 1 == samples { Outcome::Dropped } else { Outcome::Lost };
        if sequence + 2 < samples {
            socket.send_to(&sequence.to_le_bytes(), other).expect("the wire is up");
        }
        records.push(record(sequence, capture, None, outcome));
    }
    write(flags, &records);
}

fn receive(flags: &BTreeMap<&str, &str>) {
    let (socket, samples) = (socket(flags), number(flags, "--samples"));
    let over = tick(flags, samples) + Duration::from_millis(500);
    socket.set_read_timeout(Some(Duration::from_millis(50))).expect("a span");
    let (mut records, mut packet) = (Vec::new(), [0; 8]);
    while monotonic_now() < over {
        if socket.recv(&mut packet).is_ok() {
            let sequence = u64::from_le_bytes(packet);
            let arrival = Some(monotonic_now());
            records.push(record(sequence, tick(flags, sequence), arrival, Outcome::Delivered));
        }
    }
    write(flags, &records);
}
