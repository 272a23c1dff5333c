//! Messages for the targets: some with everything that a definition can have, and those that every node reads.

use std::path::Path;

const MESSAGES: [&str; 5] =
    ["fuzzed/All", "fuzzed/Deep", "fuzzed/Empties", "rosgraph_msgs/Log", "sensor_msgs/Image"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("definitions"), here.join("../node/definitions")];
    for folder in &folders {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    let mut wanted = tokkyu_msg::Wanted::from_folders(folders);
    for message in MESSAGES {
        wanted.message(message)?;
    }
    wanted.service("roscpp/GetLoggers")?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("messages.rs"), tokkyu_msg::rust::generate(&wanted)?)?;
    Ok(())
}
