//! ROS 1's own reader of definitions as oracle: every type of the packages that are installed.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tokkyu_msg::{Name, Types};

const FOLDER: &str = "/usr/share";

fn genmsg() -> Result<Vec<Value>, String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.py");
    let ran = Command::new("/usr/bin/python3").arg(script).arg(FOLDER).output();
    let output = ran.map_err(|error| format!("/usr/bin/python3: {error}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        assert!(errors.contains("ModuleNotFoundError"), "{errors}");
        return Err(
            "no genmsg: apt-get install python3-genmsg ros-std-msgs ros-sensor-msgs ros-std-srvs".to_owned()
        );
    }
    let lines = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    Ok(lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect())
}

/// What we make of one: its sum and its whole text.
fn ours(kind: &str, name: &Name) -> Result<(String, String), tokkyu_msg::Error> {
    let mut types = Types::from_folders([FOLDER]);
    if kind == "srv" {
        let service = types.load_service(name)?;
        return Ok((types.md5_of_service(&service)?, String::new()));
    }
    types.load(name)?;
    Ok((types.md5(name)?, types.full_text(name)?))
}

/// NODE-30 to NODE-33.
#[test]
fn every_installed_type_is_what_genmsg_makes_of_it() {
    let found = match genmsg() {
        Ok(found) => found,
        Err(why) => return println!("skipped: {why}"),
    };
    let (mut same, mut refused) = (0, 0);
    for theirs in found {
        let (kind, name) = (theirs["kind"].as_str().unwrap(), theirs["name"].as_str().unwrap());
        let ours = Name::parse(name).and_then(|name| ours(kind, &name));
        match (ours, theirs["md5"].as_str()) {
            (Ok((md5, text)), Some(wanted)) => {
                assert_eq!((&md5[..], &text[..]), (wanted, theirs["text"].as_str().unwrap()), "{name}");
                same += 1;
            }
            (Err(_), None) => refused += 1,
            (ours, _) => panic!("{name}: {ours:?}, genmsg: {theirs}"),
        }
    }
    println!("{same} types the same, {refused} refused by both");
    assert!(same > 20, "{same} types the same");
}
