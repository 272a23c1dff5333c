//! `tokkyu lab bridge` with the real bridges and the real DDS program, over the real wire. Where either is not to be had the
//! test says so and passes.
#![cfg(feature = "bridge")]

mod permission;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tokkyu_lab::drive::PEERS_ENVIRONMENT;

const PROGRAM: &str = "tokkyu-peer-cyclonedds";

fn lab_bridge(out: &Path, peers: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokkyu"));
    command.args(["lab", "bridge", "--network", "lan", "--images", "1", "--samples", "6", "--warm-up", "4"]);
    command.arg("--out").arg(out).arg("--peers-dir").arg(peers).env_remove(PEERS_ENVIRONMENT);
    command.output().expect("runs")
}

fn words_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The folder that has the DDS program, if it is built and there is a wire.
fn peers() -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_BIN_EXE_tokkyu")).parent()?.parent()?.join("peers");
    let folder = std::env::var_os(PEERS_ENVIRONMENT).map_or(built, PathBuf::from);
    if !folder.join(PROGRAM).exists() {
        eprintln!("skipped: no {PROGRAM} in {}; run bench/peers/build cyclonedds", folder.display());
        return None;
    }
    permission::wire_is_permitted().then_some(folder)
}

/// LAB-17 to LAB-20, LAB-22.
#[test]
fn pictures_and_commands_cross_two_bridges_and_are_measured_beside_the_link() {
    let Some(peers) = peers() else { return };
    let dir = tempfile::tempdir().unwrap();
    let output = lab_bridge(dir.path(), &peers);
    let said = words_of(&output);
    // On a machine at work a figure may be doubtful: then a note says of what.
    let code = output.status.code();
    assert!(code == Some(0) || code == Some(1) && said.contains("note: "), "{code:?}: {said}");
    assert!(said.contains("lan, 1 image, bridged, images") && said.contains("ms: added "), "{said}");
    let result: Value = serde_json::from_slice(&fs::read(dir.path().join("result.json")).unwrap()).unwrap();
    assert_eq!(result["experiment"], "bridge");
    let [link, bridged] = &result["cases"].as_array().unwrap()[..] else { panic!("two cases: {result}") };
    assert_eq!([&link["peer"], &bridged["peer"]], [&json!("tokkyu"), &json!("tokkyu-bridge")]);
    for case in [link, bridged] {
        assert_eq!(case["seed"], json!(1));
        assert!(code == Some(1) || case["invalid"] == json!(false), "{}", case["notes"]);
        let names: Vec<&str> =
            case["streams"].as_array().unwrap().iter().filter_map(|stream| stream["name"].as_str()).collect();
        assert_eq!(names, ["camera/1", "drive/command"]);
        assert_eq!(case["streams"][0]["offered"], json!(6));
        for stream in case["streams"].as_array().unwrap() {
            let count = |what: &str| stream[what].as_u64().unwrap();
            assert!(count("delivered") > 0, "{case}");
            assert_eq!(
                ["delivered", "late", "expired", "dropped", "lost"].map(count).iter().sum::<u64>(),
                count("offered")
            );
        }
        assert!(dir.path().join(case["records"].as_str().unwrap()).exists());
    }
    assert!(bridged["cpu_s"]["send"].is_number() && bridged["endpoints_cpu_s"]["receive"].is_number());
    assert!(link["endpoints_cpu_s"]["send"].is_null());
}

/// LAB-21.
#[test]
fn without_the_dds_program_nothing_is_begun_and_what_brings_it_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let output = lab_bridge(&out, dir.path());
    let said = words_of(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    for part in ["skipped: ", PROGRAM, "cyclonedds-dev", "bench/peers/build cyclonedds"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(!out.exists());
}
