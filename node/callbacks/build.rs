//! Messages that every node speaks: its log, its loggers, time; and those that its tests and examples use.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let definitions = Path::new(env!("CARGO_MANIFEST_DIR")).join("../definitions");
    println!("cargo::rerun-if-changed={}", definitions.display());
    let mut wanted = tokkyu_msg::Wanted::from_folders([definitions]);
    for message in ["rosgraph_msgs/Clock", "rosgraph_msgs/Log", "sensor_msgs/Image", "std_msgs/String"] {
        wanted.message(message)?;
    }
    for service in [
        "roscpp/GetLoggers",
        "roscpp/SetLoggerLevel",
        "std_srvs/Empty",
        "std_srvs/SetBool",
        "std_srvs/Trigger",
    ] {
        wanted.service(service)?;
    }
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("messages.rs"), tokkyu_msg::rust::generate(&wanted)?)?;
    Ok(())
}
