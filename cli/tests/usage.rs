//! What a user gets who types something wrong: what is wrong, the remedy, and exit code 2.

use std::path::Path;
use std::process::{Command, Output};

fn tokkyu(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tokkyu")).args(arguments).output().expect("the program starts")
}

/// Exit code and what was said on standard error.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = tokkyu(arguments);
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn contract_example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/examples").join(name).display().to_string()
}

#[test]
fn a_wrong_word_is_answered_with_what_would_be_right() {
    for (arguments, remedy) in [
        (&["drive", "--network", "wan-los5"][..], "did you mean \"wan-loss5\"?"),
        (&["drive", "--images", "5"], "1..=4"),
        (&["lab", "drive", "--network", "lan", "--qos", "9"], "use 1 to 4 (the paper's conditions) or link"),
        (&["lab", "drive"], "--network"),
        (&["lab", "drive", "--network", "lan", "--beside", "Cu bic"], "use names such as cubic"),
        (&["lab", "drive", "--network", "lan", "--beside", "reno", "--sim"], "no TCP in the simulation"),
        (&["vehicle", "--status", "xml"], "use json, plain, view or none"),
        (&["vehicle", "--duration", "5"], "add ns, us, ms, s or min"),
        (&["operator", "--start-at", "soon"], "CLOCK_MONOTONIC"),
        (&["fly"], "unrecognized subcommand"),
    ] {
        let (code, said) = refused(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(remedy), "{arguments:?}: {said}");
    }
}

#[test]
fn a_file_that_is_missing_or_wrong_is_named_with_its_line_and_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let wrong = dir.path().join("robot.yaml");
    std::fs::write(&wrong, "robot: r\nflows:\n  camera/front: {clas: realtime}\n").unwrap();
    let (code, said) = refused(&["check", &wrong.display().to_string()]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("robot.yaml:3:") && said.contains("did you mean \"class\"?"), "{said}");

    let (code, said) = refused(&["vehicle", "--robot", "no/such.yaml"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("no/such.yaml"), "{said}");

    let (code, said) = refused(&["report", &wrong.display().to_string()]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("is not a result file"), "{said}");
}

#[test]
fn a_vehicle_without_an_operator_or_a_key_is_told_which_flag_gives_one() {
    let robot = contract_example("robot.yaml");
    let (code, said) = refused(&["vehicle", "--robot", &robot, "--status", "none"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--operator") || said.contains("--identity"), "{said}");
}

#[test]
fn help_has_examples_and_exit_codes_and_is_no_failure() {
    for arguments in
        [&["--help"][..], &["drive", "--help"], &["lab", "drive", "--help"], &["vehicle", "--help"]]
    {
        let output = tokkyu(arguments);
        let help = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(0));
        assert!(help.contains("Examples:") && help.contains("130 interrupted"), "{help}");
    }
}

#[test]
fn a_declaration_is_printed_as_tables_and_as_json() {
    let (robot, site) = (contract_example("robot.yaml"), contract_example("site.yaml"));
    let text = tokkyu(&["check", &robot, "--site", &site]);
    assert_eq!(text.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&text.stdout).contains("camera/front"));
    let json = tokkyu(&["check", &robot, "--site", &site, "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["format"], "tokkyu-check/1");
}

#[test]
fn keys_are_made_shown_and_trusted_and_never_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let made = tokkyu(&["keys", "new", &path("k"), "--comment", "rover-7"]);
    assert_eq!(made.status.code(), Some(0));
    let fingerprint = |output: Output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.split_whitespace().find(|word| word.starts_with("SHA256:")).map(str::to_owned)
    };
    let of_private = fingerprint(tokkyu(&["keys", "show", &path("k")]));
    let of_public = fingerprint(tokkyu(&["keys", "show", &path("k.pub")]));
    assert!(of_private.is_some());
    assert_eq!(of_private, of_public);
    assert_eq!(
        fingerprint(tokkyu(&["keys", "trust", &path("k.pub"), "--into", &path("trusted")])),
        of_private
    );
    assert_eq!(fingerprint(tokkyu(&["keys", "show", &path("trusted")])), of_private);
    let (code, said) = refused(&["keys", "new", &path("k")]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("exists already"), "{said}");
}

#[test]
fn a_simulated_experiment_prints_only_json_on_standard_output_when_asked() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out").display().to_string();
    let arguments =
        ["lab", "drive", "--sim", "--network", "lan", "--images", "1", "--samples", "3", "--warm-up", "0"];
    let output = tokkyu(&[&arguments[..], &["--runs", "2", "--out", &out, "--json", "-"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["cases"].as_array().unwrap().len(), 2);
    assert!(said.contains("paper: image 1") && said.contains("medians over the runs"), "{said}");

    let result = dir.path().join("out/result.json").display().to_string();
    let report = tokkyu(&["report", &result]);
    assert_eq!(report.status.code(), Some(0));
    let page = std::fs::read_to_string(dir.path().join("out/result.html")).unwrap();
    assert!(page.contains("<svg"), "plots come from the records");

    let again = tokkyu(&[&arguments[..], &["--out", &out]].concat());
    assert_eq!(again.status.code(), Some(2), "a run is never written over");
}

#[test]
fn a_result_that_cannot_be_written_is_exit_code_5_and_the_table_is_still_printed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out").display().to_string();
    let arguments =
        ["lab", "drive", "--sim", "--network", "lan", "--images", "1", "--samples", "2", "--warm-up", "0"];
    let output = tokkyu(&[&arguments[..], &["--out", &out, "--json", "/no/such/folder/r.json"]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("/no/such/folder/r.json") && said.contains("create the directory"), "{said}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("camera/1"));
}
