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
        (&["lab", "drive", "--sim", "--network", "lan", "--qos", "1,link,1"], "--qos: 1 is given twice"),
        (&["lab", "drive", "--sim", "--network", "lan,wan,lan"], "--network: lan is given twice"),
        (&["lab", "lbe", "--schemes", "lbe,none,lbe"], "--schemes: lbe is given twice"),
        (&["lab", "lbe", "--schemes", "red"], "not a scheme: use none"),
        (&["lab", "lbe", "--backgrounds", "tcp65"], "use tcp1 to tcp64 or udp1"),
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
    let next = String::from_utf8_lossy(&made.stdout).into_owned();
    let next = next.lines().find_map(|line| line.trim().strip_prefix("tokkyu ")).expect("what to do next");
    let words: Vec<&str> = next.split(' ').collect();
    let other_side = Command::new(env!("CARGO_BIN_EXE_tokkyu")).args(words).current_dir(dir.path()).output();
    assert_eq!(other_side.expect("starts").status.code(), Some(0), "{next} works as it is printed");
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
    assert!(said.contains("paper: image 1") && said.contains("Medians over the runs"), "{said}");

    let result = dir.path().join("out/result.json").display().to_string();
    let report = tokkyu(&["report", &result]);
    assert_eq!(report.status.code(), Some(0));
    let page = std::fs::read_to_string(dir.path().join("out/result.html")).unwrap();
    assert!(page.contains("<svg"), "plots come from the records");
    let tables = tokkyu(&["report", &result, "--markdown"]);
    assert!(String::from_utf8_lossy(&tables.stdout).contains("## Medians over the runs\n\n|"), "{tables:?}");

    let again = tokkyu(&[&arguments[..], &["--out", &out]].concat());
    assert_eq!(again.status.code(), Some(2), "a run is never written over");
}

#[test]
fn a_plot_that_is_kept_beside_its_result_is_compared_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().display().to_string();
    assert!(tokkyu(&[&SHORT[..], &["--out", &out]].concat()).status.success());
    let result = dir.path().join("result.json").display().to_string();
    let plots = tokkyu(&["report", &result, "--plots", &out]);
    let first = dir.path().join("result-plot-1.svg");
    assert!(String::from_utf8_lossy(&plots.stdout).starts_with(&first.display().to_string()), "{plots:?}");
    let drawing = std::fs::read_to_string(&first).unwrap();
    assert!(drawing.starts_with("<svg ") && drawing.contains("xmlns=") && drawing.contains("#FFFFFF"));

    let check = || tokkyu(&["report", "--check", &out]).status.code();
    assert_eq!(check(), Some(0));
    std::fs::write(&first, drawing.replacen("<circle", "<ellipse", 1)).unwrap();
    assert_eq!(check(), Some(1), "one that was changed");
    std::fs::write(&first, &drawing).unwrap();
    std::fs::write(dir.path().join("result-plot-99.svg"), &drawing).unwrap();
    assert_eq!(check(), Some(1), "one that the result has not");
}

/// Refused in these tests; short, should it ever not be.
const BRIEF_DRIVE: [&str; 8] = ["drive", "--plain", "--images", "1", "--samples", "1", "--warm-up", "0"];
const SHORT: [&str; 11] =
    ["lab", "drive", "--sim", "--network", "lan", "--images", "1", "--samples", "2", "--warm-up", "0"];

#[test]
fn a_json_file_that_is_there_is_replaced_by_a_result() {
    let dir = tempfile::tempdir().unwrap();
    let (json, out) = (dir.path().join("good.json"), dir.path().join("out"));
    std::fs::write(&json, "yesterday").unwrap();
    let files = ["--out", &out.display().to_string(), "--json", &json.display().to_string()];
    let output = tokkyu(&[&SHORT[..], &files].concat());
    assert!(output.status.success(), "{output:?}");
    let copy: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert_eq!(copy["cases"].as_array().unwrap().len(), 1);
}

#[test]
fn an_experiment_that_fails_before_its_first_case_keeps_an_earlier_copy() {
    let dir = tempfile::tempdir().unwrap();
    let (json, out) = (dir.path().join("copy.json"), dir.path().join("out"));
    std::fs::write(&json, "yesterday").unwrap();
    std::fs::create_dir_all(out.join("lan-qoslink-run0")).unwrap();
    std::fs::write(out.join("lan-qoslink-run0/robot.yaml"), "robot: r").unwrap();
    let (code, said) = refused(
        &[&SHORT[..], &["--out", &out.display().to_string(), "--json", &json.display().to_string()]].concat(),
    );
    assert_eq!(code, Some(2), "{said}");
    assert_eq!(std::fs::read_to_string(&json).unwrap(), "yesterday", "{said}");
}

#[test]
fn a_drive_leaves_the_result_of_an_experiment_alone() {
    let dir = tempfile::tempdir().unwrap();
    let result = dir.path().join("result.json");
    std::fs::write(&result, "{}").unwrap();
    let (code, said) = refused(&[&BRIEF_DRIVE[..], &["--out", &dir.path().display().to_string()]].concat());
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("give another folder"), "{said}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
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
