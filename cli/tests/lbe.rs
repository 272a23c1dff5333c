//! `tokkyu lbe` on this machine: real control groups, real eBPF programs, real HTB, in network namespaces of their own. The
//! kernel module is tried on virtual boards (lab/tests). Without root, control groups or HTB the tests say so and pass.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

const TOKKYU: &str = env!("CARGO_BIN_EXE_tokkyu");

/// A command line in a fresh network namespace with a device `lbe0` that has the default route. One that waits for what does
/// not come is ended.
fn in_namespace(script: &str) -> Output {
    let set_up = "ip link set lo up && ip link add lbe0 type veth peer name lbe1 && ip addr add 192.0.2.1/24 dev lbe0 && \
                  ip link set lbe0 up && ip link set lbe1 up && ip route add default via 192.0.2.2";
    let mut command = Command::new("unshare");
    command.args(["--net", "timeout", "120", "sh", "-c", &format!("{set_up} && {script}")]).env("T", TOKKYU);
    command.output().expect("runs")
}

fn words_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn stdout_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether what is needed is to be had here.
fn is_possible() -> bool {
    let tried = in_namespace("$T lbe tune lbe0 --way htb --rate 1Mbit/s && $T lbe run -- true");
    if !tried.status.success() {
        eprintln!("skipped: no network namespace, HTB or control groups here: {}", words_of(&tried).trim());
    }
    tried.status.success()
}

/// LBE-120.
#[test]
fn what_is_promised_happens_on_this_machine() {
    if !is_possible() {
        return;
    }
    let output =
        Command::new(TOKKYU).args(["lbe", "verify", "--way", "htb", "--json", "-"]).output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let outcomes: Vec<&str> =
        result["checks"].as_array().unwrap().iter().filter_map(|check| check["outcome"].as_str()).collect();
    assert_eq!(outcomes, ["good", "good", "good", "skipped", "good"], "{result}");
    assert_eq!(output.status.code(), Some(0));
}

/// LBE-92, LBE-93.
#[test]
fn a_program_in_the_background_is_idle_and_ends_as_it_would() {
    if !is_possible() {
        return;
    }
    let output = in_namespace(
        "$T lbe run --rate 2Mbit/s -- sh -c 'cut -d\" \" -f41,19 /proc/self/stat; cat /proc/self/cgroup; exit 7'; echo $?; \
         $T lbe run --rate 2Mbit/s -- no-such-program; echo $?; \
         $T lbe run --rate 2Mbit/s -- /etc/passwd; echo $?; \
         $T lbe run --rate 2Mbit/s -- sh -c 'kill -9 $$'; echo $?; \
         $T lbe run --rate 2Mbit/s --user nobody -- id -un; echo $?",
    );
    let said = stdout_of(&output);
    let lines: Vec<&str> = said.lines().collect();
    // Nice value 19, policy 5: SCHED_IDLE.
    assert_eq!(lines.first(), Some(&"19 5"), "{}", words_of(&output));
    assert!(said.contains("/tokkyu-lbe/net-"), "{said}");
    let codes: Vec<&str> = lines.iter().copied().filter(|line| line.parse::<u8>().is_ok()).collect();
    assert_eq!(codes, ["7", "127", "126", "137", "0"], "{said}");
    assert_eq!(lines[lines.len() - 2], "nobody");
}

/// LBE-94: the program's children too, after it has ended.
#[test]
fn a_device_is_as_it_was_when_the_last_program_has_ended() {
    if !is_possible() {
        return;
    }
    let output = in_namespace(
        "mkfifo /tmp/lbe-$$; F=/tmp/lbe-$$; \
         $T lbe run --rate 2Mbit/s -- sh -c \"tc qdisc show dev lbe0; (cat $F >/dev/null) & exit 0\"; \
         echo between; tc qdisc show dev lbe0; $T lbe status --json -; echo end >$F; rm $F; \
         while $T lbe status | grep -q net-$(readlink /proc/self/ns/net | tr -dc 0-9)-run; do :; done; \
         $T lbe run --rate 2Mbit/s -- true; echo after; tc qdisc show dev lbe0",
    );
    let said = stdout_of(&output);
    let (during, rest) = said.split_once("between\n").unwrap();
    let (between, after) = rest.split_once("after\n").unwrap();
    assert!(during.contains("htb 7c1e: root"), "{said}");
    assert!(between.contains("htb 7c1e: root") && words_of(&output).contains("run on in the background"));
    let status: Value = serde_json::from_str(&between[between.find("{\n").unwrap()..]).unwrap();
    // A shell until it has become cat; others may run beside this test.
    let is_left = |program: &Value| program["name"] == "sh" || program["name"] == "cat";
    assert!(status["programs"].as_array().unwrap().iter().any(is_left), "{status}");
    assert_eq!(status["devices"][0]["by"], "run");
    assert!(after.contains("noqueue") && !after.contains("htb"), "{after}");
}

/// LBE-102, LBE-103, LBE-105.
#[test]
fn a_device_that_was_tuned_stays_until_it_is_taken_back() {
    if !is_possible() {
        return;
    }
    let output = in_namespace(
        "$T lbe tune lbe0 --way htb --rate 4Mbit/s && $T lbe run -- true && tc class show dev lbe0; \
         $T lbe add '*:443' 2001:db8::7,22; $T lbe add '*:443'; echo code $?; $T lbe remove 192.0.2.9; echo code $?; \
         $T lbe status --json status.json; $T lbe remove '*:443'; tc filter show dev lbe0 parent 7c1e: | grep -c match; \
         $T lbe tune lbe0 --rate 8Mbit/s; tc class show dev lbe0 classid 7c1e:2; \
         $T lbe tune lbe0 --off; tc qdisc show dev lbe0; $T lbe tune lbe0 --off; echo code $?",
    );
    let said = words_of(&output);
    assert!(said.contains("the link must never be slower than 4 Mbit/s"), "{said}");
    assert!(said.contains("htb 7c1e:2 parent 7c1e:f prio 7 rate 40Kbit ceil 4Mbit"), "{said}");
    assert!(said.contains("ceil 8Mbit"), "{said}");
    assert!(said.contains("*:443 is a background flow already"), "{said}");
    assert!(said.contains("192.0.2.9 is no background flow"), "{said}");
    let status: Value = serde_json::from_slice(&fs::read("status.json").unwrap()).unwrap();
    fs::remove_file("status.json").unwrap();
    assert_eq!(status["flows"], serde_json::json!(["*:443", "2001:db8::7,22"]));
    // Two of DSCP, and of the flow that is left: four words of the address and a port.
    assert!(said.lines().any(|line| line == "7"), "{said}");
    assert!(said.contains("was not set up by tokkyu"), "{said}");
    assert_eq!(said.matches("code 2").count(), 3, "{said}");
}

/// LBE-101.
#[test]
fn somebody_elses_qdisc_is_replaced_only_when_asked() {
    if !is_possible() {
        return;
    }
    let output = in_namespace(
        "tc qdisc add dev lbe0 root tbf rate 1mbit burst 10k limit 10k; \
         $T lbe tune lbe0 --way htb --rate 4Mbit/s; echo code $?; tc qdisc show dev lbe0; \
         $T lbe run --rate 4Mbit/s -- true; echo code $?; \
         $T lbe tune lbe0 --way htb --rate 4Mbit/s --replace; echo code $?; $T lbe tune lbe0 --off",
    );
    let said = words_of(&output);
    assert!(said.contains("code 2\nqdisc tbf"), "{said}");
    assert!(
        said.contains("which could not be brought back; to replace it all the same: --replace"),
        "{said}"
    );
    assert!(said.contains("note: tbf, which somebody had set up on lbe0, is gone"), "{said}");
    assert_eq!(said.matches("code 0").count(), 2, "{said}");
}

/// LBE-96, LBE-110: what a program sends after it was moved, and packets of a group that match.
#[test]
fn declared_programs_and_groups_are_background_as_they_run() {
    if !is_possible() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let robot = "robot: r\nflows:\n  a/log: {class: background, match: {process: lbe-upload}}\n  \
                 b/map: {class: background, match: {dst_port: 873}}\n  \
                 c/some: {class: background, match: {process: lbe-some, dst_port: 4443, dst_addr: 192.0.2.2}}\n  \
                 d/other: {class: realtime, match: {dst_port: 80}}\n";
    fs::write(folder.path().join("robot.yaml"), robot).unwrap();
    // A shell that sends a datagram to each port it reads, under another name.
    let sender =
        "#!/bin/bash\necho >${0##*/}.ready\nwhile read port; do echo x >/dev/udp/192.0.2.2/$port; done\n";
    for name in ["lbe-upload", "lbe-some"] {
        fs::write(folder.path().join(name), sender).unwrap();
    }
    let path = folder.path().display();
    let output = in_namespace(&format!(
        "cd {path}; chmod +x lbe-*; mkfifo up some lbe-upload.ready lbe-some.ready; ip neigh replace 192.0.2.2 lladdr 02:00:00:00:00:01 dev lbe0; \
         ./lbe-upload <up & ./lbe-some <some & exec 3>up 4>some; \
         read line <lbe-upload.ready; read line <lbe-some.ready; \
         $T lbe tune lbe0 --way htb --rate 4Mbit/s --robot robot.yaml; \
         packets() {{ $T lbe status --json - | grep -A3 '\"background\": {{' | grep packets; }}; \
         echo start; packets; echo 9 >&3; echo 4443 >&4; echo 9 >&4; exec 3>&- 4>&-; wait; packets; \
         $T lbe status; $T lbe tune lbe0 --off"
    ));
    let said = words_of(&output);
    assert!(said.contains("a/log: lbe-upload is background (1 found)"), "{said}");
    assert!(said.contains("b/map: packets of *:873 are background"), "{said}");
    assert!(said.contains("c/some: lbe-some is background in the packets that match (1 found)"), "{said}");
    assert!(!said.contains("d/other"), "{said}");
    // One of lbe-upload's; of lbe-some's two the one that matches.
    let after = said.split("start\n").nth(1).unwrap();
    let counted: Vec<&str> = after.lines().filter(|line| line.contains("\"packets\"")).collect();
    assert_eq!(counted.len(), 2, "{said}");
    assert!(counted[0].contains(": 0,") && counted[1].contains(": 2,"), "{said}");
}

/// LBE-106: on a device that nobody has set up, and without rights to set any up.
#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    if !in_namespace("true").status.success() {
        eprintln!("skipped: no network namespace here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let robot = "robot: r\nflows:\n  a/log: {class: background, match: {process: lbe-upload}}\n  \
                 b/map: {class: background, match: {dst_port: 873}}\n  d/other: {class: realtime, match: {dst_port: 80}}\n";
    fs::write(folder.path().join("robot.yaml"), robot).unwrap();
    let output = in_namespace(&format!(
        "cd {}; tc qdisc show dev lbe0 >before; \
         $T lbe tune --dry-run --way htb --rate 4Mbit/s --robot robot.yaml; echo code $?; \
         $T lbe tune --dry-run --way htb; echo code $?; $T lbe tune --dev lbe0 --dry-run --way module; echo code $?; \
         ip link add dry0 type veth peer name dry1; $T lbe revert --dev dry0 --dry-run; echo code $?; tc qdisc show dev lbe0 | cmp - before && echo same; \
         tc qdisc add dev lbe0 root pfifo_fast; $T lbe tune --dry-run --way htb --rate 4Mbit/s; echo code $?; \
         $T lbe tune --dry-run --way htb --rate 4Mbit/s --replace; echo code $?",
        folder.path().display()
    ));
    let said = words_of(&output);
    for word in [
        "lbe0: would be set up, way htb\n  note: the link must never be slower than 4 Mbit/s",
        "a/log: programs of the name lbe-upload: would be background",
        "b/map: packets of *:873: would be background\ncode 0\ncode 2\n",
        "HTB needs the link's rate",
        "dry0 was not set up by tokkyu",
        "same\ncode 2\n",
        "is gone; tokkyu cannot bring it back",
    ] {
        assert!(said.contains(word), "{word:?} in {said}");
    }
    assert!(!said.contains("d/other"), "{said}");
}

/// LBE-107.
#[test]
fn a_unit_for_systemd_has_the_options_and_real_paths() {
    let folder = tempfile::tempdir().unwrap();
    let robot = folder.path().join("my robot.yaml");
    fs::write(&robot, "robot: r\nflows:\n  a: {class: background, match: {dst_port: 873}}\n").unwrap();
    let unit = |more: &[&str]| {
        let mut command = Command::new(TOKKYU);
        command.current_dir(folder.path()).args([
            "lbe",
            "unit",
            "--dev",
            "wwan0",
            "--robot",
            "my robot.yaml",
        ]);
        command.args(more).output().unwrap()
    };
    let said = stdout_of(&unit(&["--way", "htb", "--rate", "4Mbit/s"]));
    let start = format!(
        " lbe tune --dev wwan0 --robot \"{}\" --way htb --rate \"4 Mbit/s\"\n",
        robot.canonicalize().unwrap().display()
    );
    assert!(said.contains(&start) && said.contains(" lbe revert --dev wwan0\n"), "{said}");
    let without_rate = unit(&["--way", "htb"]);
    assert_eq!(without_rate.status.code(), Some(2));
    assert!(words_of(&without_rate).contains("--rate"), "{}", words_of(&without_rate));
    fs::write(&robot, "robot: r\nflows:\n  a: {class: urgent}\n").unwrap();
    let refused = unit(&[]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(words_of(&refused).contains("urgent"), "{}", words_of(&refused));
}

#[test]
fn wrong_usage_names_the_remedy() {
    for (words, remedy) in [
        (&["run"][..], "<PROGRAM>"),
        (&["tune", "lbe0", "--rate", "4"], "invalid value '4'"),
        (&["tune", "lbe0", "--way", "river"], "use auto, module or htb"),
        (&["add"], "required"),
        (&["add", "somewhere"], "is not a flow: write ADDRESS"),
        (&["tune", "lbe0", "--off", "--replace"], "cannot be used with"),
    ] {
        let output = Command::new(TOKKYU).arg("lbe").args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(words_of(&output).contains(remedy), "{words:?}: {}", words_of(&output));
    }
}
