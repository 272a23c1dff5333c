//! Generated Rust with ROS 1's genpy as oracle: the same bytes for messages of every installed type (NODE-35 to NODE-37).

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tokkyu_msg::{Wanted, rust};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// What genpy makes, a line each; or why there is none.
fn genpy() -> Result<String, String> {
    let script = Path::new(HERE).join("tests/generated/messages.py");
    let output = Command::new("/usr/bin/python3").arg(script).args(["1", "5"]).output();
    let output = output.map_err(|error| format!("/usr/bin/python3: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let is_missing = errors.contains("ModuleNotFoundError") || errors.contains("FileNotFoundError");
        assert!(is_missing, "{errors}");
        return Err("no genpy: apt-get install python3-rospy ros-sensor-msgs".to_owned());
    }
    Ok(String::from_utf8(output.stdout).expect("hexadecimal"))
}

/// A package with the generated code and `tests/generated/check.rs`.
fn write_package(folder: &Path, names: &[&str]) {
    let mut wanted = Wanted::from_folders(["/usr/share"]);
    for name in names {
        wanted.message(name).expect("genpy has it");
    }
    // Not called; that they compile is seen.
    wanted.service("std_srvs/SetBool").expect("std_srvs is installed with ROS 1");
    let check =
        |name: &&str| format!("{name:?} => check::<{}>(&bytes),\n            ", name.replace('/', "::"));
    let checks: String = names.iter().map(check).collect();
    let main =
        std::fs::read_to_string(Path::new(HERE).join("tests/generated/check.rs")).expect("it is in the tree");
    let source = folder.join("src");
    std::fs::create_dir_all(&source).expect("a folder");
    std::fs::write(source.join("messages.rs"), rust::generate(&wanted).expect("all known")).expect("a file");
    std::fs::write(source.join("main.rs"), main.replace("/*CHECKS*/", &checks)).expect("a file");
    let manifest = format!(
        "[package]\nname = \"generated\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\ntokkyu-message = {{ path = \"{HERE}/../message\" }}\n\
         [workspace]\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("a file");
    std::fs::copy(Path::new(HERE).join("../../Cargo.lock"), folder.join("Cargo.lock")).expect("a file");
}

#[test]
fn every_installed_type_is_read_and_written_as_genpy_does() {
    let lines = match genpy() {
        Ok(lines) => lines,
        Err(why) => return println!("skipped: {why}"),
    };
    let mut names: Vec<&str> = lines.lines().filter_map(|line| line.split(' ').next()).collect();
    names.dedup();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated-rust");
    write_package(&folder, &names);
    let mut run = Command::new(env!("CARGO"))
        .args(["run", "--offline", "--quiet"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("cargo runs");
    run.stdin.take().expect("piped").write_all(lines.as_bytes()).expect("it reads all");
    let output = run.wait_with_output().expect("it ends");
    assert!(output.status.success(), "what was generated does not do what it must");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(said.trim(), format!("{} messages the same", lines.lines().count()));
    println!("{} types, {}", names.len(), said.trim());
    assert!(names.len() > 60, "{} types", names.len());
}
