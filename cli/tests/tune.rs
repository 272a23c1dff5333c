//! `tokkyu tune` and `tokkyu measure` as users call them: on a veth in a network namespace, and over loopback. What tuning does to
//! real kernels is tried on virtual boards (lab/tests/board/tuning.rs). Without root the tests say so and pass.

use std::process::{Command, Output};

use serde_json::Value;

const TOKKYU: &str = env!("CARGO_BIN_EXE_tokkyu");
const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../contract/examples/robot.yaml");

/// A command line in a fresh network namespace with a device `tune0`.
fn in_namespace(script: &str) -> Output {
    // Its own view of /sys, as `ip netns exec` gives it, and a journal and a lock of its own: tests run beside each other.
    let set_up = "mount -t sysfs sysfs /sys && mkdir -p /var/lib/tokkyu && mount -t tmpfs tmpfs /var/lib/tokkyu && ip link set lo up && ip link add tune0 type veth peer name tune1 && ip link set tune0 up && ip link set tune1 up";
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount", "timeout", "300", "sh", "-c", &format!("{set_up} && {script}")]);
    command.env("T", TOKKYU).env("F", ROBOT).output().expect("unshare is there")
}

fn stdout_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn is_possible() -> bool {
    let tried = in_namespace("true");
    if !tried.status.success() {
        eprintln!("skipped: no network namespace here: {}", stderr_of(&tried).trim());
    }
    tried.status.success()
}

#[test]
fn a_device_is_planned_tuned_verified_and_as_it_was() {
    if !is_possible() {
        return;
    }
    let segments = "ip -d link show tune0 | grep -o 'gso_max_segs [0-9]*'";
    let script = format!(
        "$T tune plan --flows $F --dev tune0 && {segments} && $T tune apply --flows $F --dev tune0 --dry-run >/dev/null && \
         {segments} && $T tune apply --flows $F --dev tune0 && {segments} && $T tune verify --dev tune0 && \
         ip link set tune0 gso_max_segs 7; $T tune verify --dev tune0; echo verify $?; \
         $T tune verify --dev tune0 --repair; echo repair $?; \
         $T tune revert --dev tune0 --dry-run && {segments}; $T tune revert --dev tune0 --json; {segments}; $T tune revert --dev tune0; echo again $?"
    );
    let output = in_namespace(&script);
    let (told, words) = (stdout_of(&output), stderr_of(&output));
    let segments: Vec<&str> =
        told.lines().filter(|line| line.starts_with("gso_max_segs ") && !line.contains(':')).collect();
    assert_eq!(segments.len(), 5, "{told} {words}");
    // Planned, tried dry, set, its revert tried dry, reverted.
    assert!(
        segments[0] == segments[1]
            && segments[2] == "gso_max_segs 1"
            && segments[3] == segments[2]
            && segments[4] == segments[0],
        "{segments:?}"
    );
    for line in ["verify 1", "repair 0", "nothing is changed; tokkyu tune revert would do this:", "again 2"] {
        assert!(told.lines().any(|told| told == line), "{line}: {told}");
    }
    assert!(
        told.contains("left out: nothing waits before this device") && told.contains("SO_PRIORITY 6"),
        "{told}"
    );
    assert!(told.contains("\"was\": \"restored\"") && words.contains("not tuned"), "{told} {words}");
}

#[test]
fn two_tuners_no_rights_and_no_device_have_a_word_each() {
    if !is_possible() {
        return;
    }
    let apply = "$T tune apply --flows $F --dev tune0";
    let busy =
        in_namespace(&format!("mkdir -p /var/lib/tokkyu/tune && flock /var/lib/tokkyu/tune/lock {apply}"));
    assert_eq!(busy.status.code(), Some(3), "{}", stderr_of(&busy));
    assert!(stderr_of(&busy).contains("another tokkyu tune is at work"), "{}", stderr_of(&busy));
    // A copy, as the build's folder may be root's alone.
    let nobody = in_namespace(
        "d=$(mktemp -d) && chmod 755 $d && cp $T $F $d/ && cd $d && \
         setpriv --reuid 65534 --clear-groups ./tokkyu tune apply --robot robot.yaml --dev tune0; \
         c=$?; rm -r $d; exit $c",
    );
    assert_eq!(nobody.status.code(), Some(3), "{}", stderr_of(&nobody));
    assert!(stderr_of(&nobody).contains("run it as root"), "{}", stderr_of(&nobody));
    let none = in_namespace("$T tune plan --flows $F --dev tune9");
    assert_eq!(none.status.code(), Some(2));
    assert!(stderr_of(&none).contains("no network device tune9"), "{}", stderr_of(&none));
}

/// A plan is tried between two namespaces joined by a veth. What is better there is nobody's claim: judged or not, all of it is told, and the
/// device is as it was, or as the plan has it.
#[test]
fn a_plan_is_tried_and_kept_or_taken_back() {
    if !is_possible() {
        return;
    }
    // The peer's namespace is that of a process that sleeps.
    let script = "unshare --net sleep 290 & P=$!; sleep 0.3; \
         ip link set tune1 netns $P && ip addr add 10.9.0.1/24 dev tune0 && nsenter --net=/proc/$P/ns/net ip addr add 10.9.0.2/24 dev tune1 && \
         nsenter --net=/proc/$P/ns/net ip link set tune1 up && \
         $T tune try --flows $F --dev tune0 --to 10.9.0.2 --far \"nsenter --net=/proc/$P/ns/net $T measure\" --far-program end \
         --count 60 --period-us 500 --priority 0 --load send --json; echo code $?; $T tune status --dev tune0 >/dev/null 2>&1; echo status $?; \
         $T tune revert --dev tune0 >/dev/null 2>&1; kill $P";
    let output = in_namespace(script);
    let told = stdout_of(&output);
    let (json, codes) = told.split_once("\ncode ").unwrap_or_else(|| panic!("{told} {}", stderr_of(&output)));
    let value: Value = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {told}"));
    let kept = value["verdict"] == "keep";
    let [code, status] = if kept { ["0", "status 0"] } else { ["1", "status 2"] };
    assert_eq!(codes.lines().collect::<Vec<_>>(), [code, status], "{told}");
    for compared in value["compared"].as_array().unwrap() {
        for when in ["before", "with", "again"] {
            assert!(compared[when]["mean_ns"].as_f64().unwrap() > 0.0, "{compared}");
            // Of some milliseconds only, in which a busy machine may move little.
            assert!(compared[when]["load_mbit"].is_f64(), "{compared}");
        }
    }
}

#[test]
fn a_unit_is_one_for_systemd() {
    let unit = |more: &[&str]| {
        let arguments = [&["tune", "unit", "--flows", ROBOT, "--dev", "eth0-1"], more].concat();
        Command::new(TOKKYU).args(arguments).output().unwrap()
    };
    let output = unit(&["--goal", "answers", "--irq-cpu", "1", "--only", "gso,irq"]);
    let text = stdout_of(&output);
    assert!(text.contains("--goal answers --irq-cpu 1 --only gso,irq"), "{text}");
    assert!(text.contains("BindsTo=sys-subsystem-net-devices-eth0\\x2d1.device"), "{text}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokkyu-tune-eth0.service");
    std::fs::write(&path, &text).unwrap();
    let verified = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&path).output();
    let Ok(verified) = verified else {
        eprintln!("skipped: no systemd-analyze; apt-get install systemd");
        return;
    };
    // It looks at this machine's other units as well, and has words for them.
    assert!(
        verified.status.success() && !stderr_of(&verified).contains("tokkyu-tune"),
        "{}",
        stderr_of(&verified)
    );
    let nothing =
        Command::new(TOKKYU).args(["tune", "unit", "--flows", "/no/robot.yaml", "--dev", "eth0"]).output();
    assert_eq!(nothing.unwrap().status.code(), Some(2));
}

/// Both ends on this machine; how long it takes is nobody's claim here.
fn measured(arguments: &[&str]) -> Option<Value> {
    let common = ["--to", "127.0.0.1", "--dev", "lo", "--count", "60", "--json"];
    let output = Command::new(TOKKYU).arg("measure").args(arguments).args(common).output().unwrap();
    if output.status.code() == Some(1) && stderr_of(&output).contains("cannot be locked") {
        eprintln!("skipped: {}", stderr_of(&output).trim());
        return None;
    }
    assert!(output.status.success(), "{}", stderr_of(&output));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn both_ends_are_started_and_told() {
    let Some(jitter) = measured(&["jitter", "--period-us", "500", "--priority", "0", "--load", "send"])
    else {
        return;
    };
    assert_eq!(
        (&jitter["received"]["count"], &jitter["received"]["lost"]),
        (&60.into(), &0.into()),
        "{jitter}"
    );
    assert_eq!(jitter["received"]["jitter"]["n"], 40, "{jitter}");
    assert!(jitter["load_mbit"].as_f64().unwrap() > 1.0, "{jitter}");
    let Some(trips) = measured(&["rtt", "--priority", "0"]) else { return };
    assert_eq!(
        (&trips["round_trips"]["lost"], &trips["answered"]["count"]),
        (&0.into(), &60.into()),
        "{trips}"
    );
    assert!(trips["round_trips"]["rtt"]["max_ns"].as_i64().unwrap() > 0, "{trips}");
}

#[test]
fn an_end_that_is_not_there_is_told() {
    let output = Command::new(TOKKYU)
        .args([
            "measure",
            "rtt",
            "--to",
            "127.0.0.1",
            "--dev",
            "lo",
            "--far",
            "env",
            "--far-program",
            "/no/such/probe",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr_of(&output).contains("/no/such/probe"), "{}", stderr_of(&output));
}
