//! Real programs over the real wire: short runs that must hold everything a long one promises, but its figures.
//!
//! Where the wire is not permitted the tests say so and pass.

mod permission;

use permission::wire_is_permitted;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

/// How long to wait for what must come; a test that passes does not wait so long.
const PATIENCE: Duration = Duration::from_secs(30);

fn tokkyu(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokkyu"));
    command.args(arguments);
    command
}

fn result_in(folder: &Path) -> Value {
    let text = fs::read(folder.join("result.json")).expect("a result file");
    serde_json::from_slice(&text).expect("JSON")
}

fn count(stream: &Value, name: &str) -> u64 {
    stream[name].as_u64().unwrap_or_else(|| panic!("{name} in {stream}"))
}

fn assert_closes(stream: &Value) {
    let ends = ["delivered", "late", "expired", "dropped", "lost"];
    let sum: u64 = ends.iter().map(|end| count(stream, end)).sum();
    assert_eq!(count(stream, "offered"), sum, "{stream}");
}

#[test]
fn a_short_real_run_leaves_a_result_whose_ledgers_close() {
    if !wire_is_permitted() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let arguments = ["lab", "drive", "--network", "lan", "--images", "2", "--samples", "5", "--warm-up", "2"];
    let output = tokkyu(&arguments).arg("--out").arg(&out).output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}\n{}", String::from_utf8_lossy(&output.stdout));
    let case = &result_in(&out)["cases"][0];
    let streams = case["streams"].as_array().unwrap();
    let names: Vec<&str> = streams.iter().filter_map(|stream| stream["name"].as_str()).collect();
    assert_eq!(names, ["camera/1", "camera/2", "drive/command"]);
    streams.iter().for_each(assert_closes);
    assert_eq!([count(&streams[0], "offered"), count(&case["warm_up"][0], "offered")], [5, 2]);
    assert_eq!(
        case["payload_bytes"].as_u64().map(|bytes| bytes / 1_000_000),
        Some(2 * 7 * 374_000 / 1_000_000)
    );
    assert!(case["wire_bytes"].as_u64() > case["payload_bytes"].as_u64(), "{case}");
    for figure in [&case["cpu_s"]["send"], &case["cpu_s"]["receive"], &case["added_by_wire_ms"]] {
        assert!(figure.as_f64().is_some_and(|value| value > 0.0), "{case}");
    }
    assert!(case["link"]["vehicle"]["packets_sent"].as_u64() > Some(0), "{}", case["link"]);
    assert_eq!(case["simulated"], false);
    let records = out.join(case["records"].as_str().unwrap());
    assert!(tokkyu_measure::record::read(&records).unwrap().len() > 14);
}

/// LAB-1 to LAB-5. Reno, which every kernel has and lets everybody use; with 1 % loss it takes little of the machine.
#[test]
fn beside_tcp_flows_the_images_and_every_flow_have_a_rate_for_each_second() {
    if !wire_is_permitted() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let arguments = ["lab", "drive", "--network", "wan-loss1", "--images", "1", "--beside", "reno,reno"];
    let output = tokkyu(&arguments).args(["--samples", "30", "--warm-up", "10", "--out"]).arg(&out).output();
    let output = output.expect("runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{shown}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(shown.contains("beside TCP reno + reno") && shown.contains("the path alone"), "{shown}");
    let case = &result_in(&out)["cases"][0];
    case["streams"].as_array().unwrap().iter().for_each(assert_closes);
    assert_eq!((&case["wire_bytes"], &case["ideal"]), (&Value::Null, &Value::Null));
    let flows = case["beside"].as_array().unwrap();
    assert!(flows.len() == 2 && flows.iter().all(|flow| flow["algorithm"] == "reno"), "{flows:?}");
    for rate in flows.iter().chain([&case["images_rate"]]) {
        assert!(rate["mbit_s"].as_f64() > Some(0.0) && rate["share"].as_f64() > Some(0.0), "{rate}");
        assert_eq!(rate["series_mbit_s"].as_array().map(Vec::len), Some(3), "30 pictures are 3 s: {rate}");
    }
    let raw = slots_in(&out.join("wan-loss1-qoslink-run0/beside.csv"));
    for (number, flow) in (1..).zip(flows) {
        let slots: Vec<u64> = raw.iter().filter(|(n, _)| *n == number).map(|(_, bytes)| *bytes).collect();
        assert_eq!((slots.len(), slots.iter().sum()), (30, count(flow, "bytes")), "the raw data of {flow}");
    }
}

/// Number of the flow and bytes of each line.
fn slots_in(csv: &Path) -> Vec<(u64, u64)> {
    let text = fs::read_to_string(csv).expect("raw data of the flows");
    let number = |line: &str, column: usize| line.split(',').nth(column).and_then(|cell| cell.parse().ok());
    text.lines().skip(1).map(|line| number(line, 0).zip(number(line, 4)).expect("two numbers")).collect()
}

#[test]
fn ctrl_c_ends_the_tcp_flows_beside_too() {
    if !wire_is_permitted() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let folder = out.join("wan-loss1-qoslink-run0");
    let mut drive = tokkyu(&["lab", "drive", "--network", "wan-loss1", "--images", "1", "--beside", "reno"]);
    let drive = drive.args(["--samples", "600", "--warm-up", "0", "--out"]).arg(&out);
    let mut drive = drive.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
    let until = Instant::now() + PATIENCE;
    while programs_of(&folder).len() < 2 && Instant::now() < until {
        sleep(Duration::from_millis(10));
    }
    let namespaces = namespaces_of(&folder);
    assert_eq!(namespaces.len(), 2, "vehicle and operator, each in its own");
    // Long enough for the flow to have begun; it is no fault if it has not.
    sleep(Duration::from_secs(4));
    interrupt(&drive);
    assert_eq!(wait(&mut drive), Some(130), "{}", rest_of_stderr(&mut drive));
    assert_eq!(users_of(&namespaces), Vec::<String>::new(), "no program and no thread is left");
    let case = &result_in(&out)["cases"][0];
    assert!(!case["notes"].to_string().contains("INVALID"), "{}", case["notes"]);
    let seconds = case["beside"][0]["series_mbit_s"].as_array().map(Vec::len);
    assert!(seconds < Some(60), "the interval ends with the run: {seconds:?}");
}

#[test]
fn a_congestion_control_the_kernel_lacks_is_refused_before_anything_is_begun() {
    if !wire_is_permitted() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let arguments = ["lab", "drive", "--network", "lan", "--beside", "reno,nosuchthing", "--out"];
    let output = tokkyu(&arguments).arg(&out).output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("nosuchthing") && said.contains("this kernel has") && said.contains("reno"),
        "{said}"
    );
    assert!(!out.exists(), "nothing was begun");
}

#[test]
fn ctrl_c_ends_a_drive_in_order_and_keeps_what_was_measured() {
    if !wire_is_permitted() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut drive =
        tokkyu(&["drive", "--network", "lan", "--images", "2", "--plain", "--warm-up", "0", "--out"]);
    let mut drive = drive.arg(&out).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut lines = BufReader::new(drive.stdout.take().unwrap()).lines();
    let pictures = |line: &str| line.contains("camera/") && !line.contains("p50 –");
    let seen = lines.by_ref().map_while(Result::ok).any(|line| pictures(&line));
    assert!(seen, "no picture was ever shown: {}", rest_of_stderr(&mut drive));
    let namespaces = namespaces_of(&out);
    assert_eq!(namespaces.len(), 2, "vehicle and operator, each in its own");
    interrupt(&drive);
    // Read on: a full pipe would hold it up.
    let shown: Vec<String> = lines.map_while(Result::ok).collect();
    let status = wait(&mut drive);
    assert_eq!(status, Some(130), "{}", rest_of_stderr(&mut drive));
    assert!(shown.iter().any(|line| line.starts_with("camera/1")), "the table: {shown:?}");
    assert_eq!(namespaces_of(&out), Vec::<String>::new(), "no program is left");
    assert_eq!(users_of(&namespaces), Vec::<String>::new(), "no namespace is left");
    let case = &result_in(&out)["cases"][0];
    let notes = case["notes"].to_string();
    assert!(notes.contains("interrupted") && !notes.contains("INVALID"), "{notes}");
    assert_eq!((&case["interrupted"], &case["invalid"]), (&Value::Bool(true), &Value::Bool(false)));
    let keys = fs::read_dir(out.join("keys")).unwrap().flatten().map(|entry| entry.path());
    let keys: Vec<_> = keys.collect();
    assert!(keys.len() == 2 && keys.iter().all(|key| key.extension().is_some_and(|end| end == "pub")));
    let camera = &case["streams"][0];
    assert_closes(camera);
    assert!((1..300).contains(&count(camera, "delivered")), "{camera}");
    assert!(out.join("report.html").exists());
}

#[test]
fn a_second_ctrl_c_ends_a_drive_at_once_and_leaves_no_program() {
    if !wire_is_permitted() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let mut drive = tokkyu(&["drive", "--network", "lan", "--images", "1", "--plain", "--out"]);
    let mut drive = drive.arg(&out).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut lines = BufReader::new(drive.stdout.take().unwrap()).lines();
    lines.next().expect("a line").expect("text");
    let until = Instant::now() + PATIENCE;
    while programs_of(&out).len() < 2 && Instant::now() < until {
        sleep(Duration::from_millis(10));
    }
    // The programs stand still, so that the first Ctrl-C cannot be done before the second comes.
    let programs = programs_of(&out);
    assert_eq!(programs.len(), 2);
    programs.iter().for_each(|pid| signal(*pid, Signal::SIGSTOP));
    interrupt(&drive);
    sleep(Duration::from_millis(200));
    interrupt(&drive);
    assert_eq!(wait(&mut drive), None, "ended by the signal itself");
    let until = Instant::now() + PATIENCE;
    while !programs_of(&out).is_empty() && Instant::now() < until {
        sleep(Duration::from_millis(10));
    }
    assert_eq!(programs_of(&out), Vec::<i32>::new());
}

#[test]
fn a_program_that_dies_is_told_with_its_last_words_and_the_rest_is_kept() {
    if !wire_is_permitted() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    // A folder nobody can make: the operator finds out when it starts.
    let arguments = [
        "drive",
        "--network",
        "lan",
        "--images",
        "1",
        "--samples",
        "5",
        "--plain",
        "--save",
        "/proc/no/such",
    ];
    let output = tokkyu(&arguments).arg("--out").arg(&out).output().expect("runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(5), "the program's own code: {shown}");
    assert!(
        shown.contains("tokkyu operator ended with exit code 5") && shown.contains("/proc/no/such"),
        "{shown}"
    );
    assert!(result_in(&out)["cases"][0]["notes"].to_string().contains("INVALID"));
}

#[test]
fn what_would_end_a_drive_before_its_first_picture_is_told_before_anything_is_set_up() {
    let dir = tempfile::tempdir().unwrap();
    let (out, taken) = (dir.path().join("out"), dir.path().join("pictures"));
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("index.csv"), "").unwrap();
    let film = ["--video", "no/such.mp4"];
    let folder = ["--save", taken.to_str().expect("a plain name")];
    for (wrong, code, words) in [(film, 2, "no such file"), (folder, 5, "holds a recording already")] {
        let output = tokkyu(&["drive", "--plain", "--out"]).arg(&out).args(wrong).output().expect("runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(words) && said.contains(wrong[1]), "{said}");
        assert!(!out.exists(), "nothing was measured, so nothing is kept");
    }
}

fn interrupt(child: &Child) {
    signal(child.id() as i32, Signal::SIGINT);
}

fn signal(pid: i32, signal: Signal) {
    // One that has gone meanwhile has what it was to get.
    let _ = kill(Pid::from_raw(pid), signal);
}

/// Exit code; `None` after a signal.
fn wait(child: &mut Child) -> Option<i32> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.code();
        }
        if Instant::now() > until {
            child.kill().expect("kill");
            panic!("still running after {PATIENCE:?}: {}", rest_of_stderr(child));
        }
        sleep(Duration::from_millis(20));
    }
}

fn rest_of_stderr(child: &mut Child) -> String {
    child.stderr.take().map(|stderr| std::io::read_to_string(stderr).unwrap_or_default()).unwrap_or_default()
}

/// Process numbers of the programs that were started with files of `folder`.
fn programs_of(folder: &Path) -> Vec<i32> {
    let robot = folder.join("robot.yaml").display().to_string();
    let entries = fs::read_dir("/proc").expect("procfs").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let started = |pid: &i32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).split('\0').any(|word| word == robot)
    };
    pids.filter(started).collect()
}

fn namespaces_of(folder: &Path) -> Vec<String> {
    programs_of(folder).iter().filter_map(|pid| link_of(Path::new(&format!("/proc/{pid}/ns/net")))).collect()
}

fn link_of(path: &Path) -> Option<String> {
    fs::read_link(path).ok().map(|target| target.display().to_string())
}

/// Threads of this machine that live in one of the namespaces.
fn users_of(namespaces: &[String]) -> Vec<String> {
    let entries = |folder: String| fs::read_dir(folder).into_iter().flatten().flatten();
    let tasks =
        entries("/proc".to_owned()).flat_map(|process| entries(format!("{}/task", process.path().display())));
    tasks
        .map(|task| task.path())
        .filter(|task| link_of(&task.join("ns/net")).is_some_and(|net| namespaces.contains(&net)))
        .map(|task| task.display().to_string())
        .collect()
}
