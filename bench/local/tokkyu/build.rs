//! The message that the rivals over ROS send too (LOCAL-10).

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let definitions = Path::new(env!("CARGO_MANIFEST_DIR")).join("definitions");
    println!("cargo::rerun-if-changed={}", definitions.display());
    let mut wanted = tokkyu_msg::Wanted::from_folders([definitions]);
    wanted.message("std_msgs/UInt8MultiArray")?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("messages.rs"), tokkyu_msg::rust::generate(&wanted)?)?;
    Ok(())
}
