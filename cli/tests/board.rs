//! `tokkyu board`: a project of one's own, and what an image takes.

use std::fs;
use std::process::{Command, Output};

fn tokkyu(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tokkyu")).args(arguments).output().expect("tokkyu runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_new_project_has_a_node_for_linux_and_for_a_board() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path().to_str().expect("a name");
    let made = tokkyu(&["board", "new", "rover", "--at", at]);
    assert_eq!(made.status.code(), Some(0), "{}", errors(&made));
    let read = |path: &str| fs::read_to_string(folder.path().join("rover").join(path)).expect(path);
    assert!(
        read("src/bin/board.rs").contains("rover::talker")
            && read("src/bin/talker.rs").contains("rover::talker")
    );
    assert!(read("build.rs").contains("src/listener.cpp") && read("src/listener.cpp").contains("ros::init"));
    let manifest = read("Cargo.toml");
    assert!(!manifest.contains('@'), "{manifest}");
    let board =
        manifest.lines().find(|line| line.starts_with("tokkyu-board")).expect("it stands on the board");
    let path = board.split('"').nth(1).expect("a path");
    assert!(fs::metadata(path).is_ok_and(|found| found.is_dir()), "{path}");
    let again = tokkyu(&["board", "new", "rover", "--at", at]);
    assert_eq!(again.status.code(), Some(2));
    assert!(errors(&again).contains("is there already"), "{}", errors(&again));
}

#[test]
fn what_is_no_package_and_no_image_is_refused_with_a_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path().to_str().expect("a name");
    for arguments in [["board", "run", at], ["board", "size", at]] {
        let refused = tokkyu(&arguments);
        assert_eq!(refused.status.code(), Some(2));
        assert!(errors(&refused).contains("tokkyu board new"), "{}", errors(&refused));
    }
    for name in ["Rover", "9", "a-b", ""] {
        assert_eq!(tokkyu(&["board", "new", name, "--at", at]).status.code(), Some(2), "{name:?}");
    }
    let text = folder.path().join("text");
    fs::write(&text, "no image").expect("it is written");
    let refused = tokkyu(&["board", "size", "--image", text.to_str().expect("a name")]);
    assert_eq!(refused.status.code(), Some(2), "{}", errors(&refused));
}

#[test]
fn linux_runs_beside_an_image_for_secure_el1_alone() {
    // Whatever it is an image for, it is none for that.
    let image = env!("CARGO_BIN_EXE_tokkyu");
    for command in ["run", "top"] {
        for linux in [
            ["--kernel", "Image"],
            ["--append", "console=ttyAMA0"],
            ["--memory", "1024"],
            ["--site", "site.yaml"],
        ] {
            let refused = tokkyu(&[&["board", command, "--image", image], &linux[..]].concat());
            assert_eq!(refused.status.code(), Some(2));
            assert!(
                errors(&refused).contains("feature secure of tokkyu-rtos-aarch64"),
                "{}",
                errors(&refused)
            );
        }
    }
    let refused = tokkyu(&["board", "top", "--quiet", "--image", image]);
    assert!(errors(&refused).contains("an image beside Linux"), "{}", errors(&refused));
}

#[test]
fn the_size_of_an_image_is_what_its_sections_say() {
    let told = tokkyu(&["board", "size", "--image", env!("CARGO_BIN_EXE_tokkyu"), "--json"]);
    assert_eq!(told.status.code(), Some(0), "{}", errors(&told));
    let told: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    let bytes = |name: &str| told["image"][name].as_u64().expect(name);
    assert!(bytes("text_bytes") > 100_000 && bytes("rodata_bytes") > 10_000);
    assert_eq!(bytes("file_bytes"), bytes("text_bytes") + bytes("rodata_bytes") + bytes("data_bytes"));
}
