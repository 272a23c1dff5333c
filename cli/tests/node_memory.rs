//! What `tokkyu node memory` prints of a declaration: the slots of each topic, the sum that they are, and what they take (NODE-67, NODE-73).

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

fn memory(robot: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tokkyu"));
    command.args(["node", "memory"]).arg(robot).args(more).output().expect("the program starts")
}

/// Of the robot that the guides use: four cameras, depth 1, and a command of no stated depth, which is 10. What packets of other programs do
/// is no topic.
fn of_the_example(more: &[&str]) -> String {
    let robot = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/examples/robot.yaml");
    let output = memory(&robot, more);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn json_of_the_example(more: &[&str]) -> Value {
    let printed = of_the_example(&[more, &["--json"]].concat());
    serde_json::from_str(&printed).expect("it is JSON")
}

#[test]
fn a_table_has_each_topic_with_the_sum_that_its_slots_are() {
    let table = of_the_example(&[]);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["topic", "class", "size", "slots", "messages", "counts", "shared", "because"]);
    let row = |name: &str| rows.iter().find(|row| row.first() == Some(&name)).expect(name).join(" ");
    let camera = row("camera/front");
    assert!(camera.starts_with("camera/front realtime 374 kB 14 5.236 MB "), "{camera}");
    assert!(camera.ends_with(" 2 lent + 4 x (1 queued + 2 held)"), "{camera}");
    let command = row("drive/command");
    assert!(command.starts_with("drive/command control 64 B 54 3.456 kB "), "{command}");
    assert!(command.ends_with(" 2 lent + 4 x (10 queued + 2 held + 1 under way)"), "{command}");
    assert!(!table.contains("log/upload"), "{table}");
    assert!(table.contains("\nin all 20.947456 MB for messages of declared size, "), "{table}");
}

#[test]
fn json_has_the_same_in_numbers_and_sums_of_them() {
    let printed = json_of_the_example(&[]);
    let topics = printed["topics"].as_array().expect("topics");
    let names: Vec<&str> = topics.iter().filter_map(|topic| topic["topic"].as_str()).collect();
    assert_eq!(names, ["camera/front", "camera/back", "camera/left", "camera/right", "drive/command"]);
    let expected = [
        ("class", json!("realtime")),
        ("size_bytes", json!(374_000)),
        ("loans", json!(2)),
        ("links", json!(4)),
        ("depth", json!(1)),
        ("held", json!(2)),
        ("latched", json!(false)),
        ("slots", json!(14)),
        ("messages_bytes", json!(14 * 374_000)),
    ];
    for (key, value) in expected {
        assert_eq!(topics[0][key], value, "{key}");
    }
    for key in ["messages_bytes", "counts_bytes", "shared_messages_bytes"] {
        let sum: u64 = topics.iter().filter_map(|topic| topic[key].as_u64()).sum();
        assert_eq!(printed[key], json!(sum), "{key}");
        assert!(sum > 0, "{key}");
    }
}

#[test]
fn more_subscriptions_take_more_slots() {
    let printed = json_of_the_example(&["--links", "8"]);
    let of = |key: &str| printed["topics"][0][key].clone();
    assert_eq!(
        [of("links"), of("slots"), of("messages_bytes")],
        [8, 26, 26 * 374_000].map(|number| json!(number))
    );
    let refused = memory(Path::new("robot.yaml"), &["--links", "0"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains("1..=256"), "{said}");
}

/// One is kept for each that comes, and one by the publisher; of what size is for messages to say.
#[test]
fn a_latched_topic_without_a_size_keeps_one_more_and_grows() {
    let folder = tempfile::tempdir().expect("a folder");
    let robot = folder.path().join("robot.yaml");
    let map = "map: {class: best_effort, history: keep_last, depth: 3, durability: transient_local, reliability: reliable}";
    std::fs::write(&robot, format!("robot: r\nflows:\n  {map}\n")).expect("it is written");
    let table = String::from_utf8(memory(&robot, &[]).stdout).expect("text");
    let row = table.lines().nth(1).expect("a row").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(row.starts_with("map best_effort not said 31 grows "), "{row}");
    assert!(row.ends_with(" 2 lent + 1 kept + 4 x (3 queued + 2 held + 1 under way + 1 kept)"), "{row}");
    let printed: Value = serde_json::from_slice(&memory(&robot, &["--json"]).stdout).expect("it is JSON");
    let topic = &printed["topics"][0];
    assert_eq!(
        (&topic["slots"], &topic["latched"], &topic["messages_bytes"]),
        (&json!(31), &json!(true), &Value::Null)
    );
}

#[test]
fn a_declaration_that_is_not_there_or_wrong_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let robot = folder.path().join("robot.yaml");
    let refused = || {
        let output = memory(&robot, &[]);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = refused();
    assert!(code == Some(2) && said.contains("robot.yaml: cannot be read"), "{said}");
    std::fs::write(&robot, "robot: r\nflows:\n  map: {clas: control}\n").expect("it is written");
    let (code, said) = refused();
    assert!(
        code == Some(2) && said.contains("robot.yaml:3:") && said.contains("did you mean \"class\"?"),
        "{said}"
    );
}
