//! Makes Rust of the message that both programs speak, out of its .msg file.

use std::path::Path;

use tokkyu_msg::{Wanted, rust};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Where ROS 1 is not installed, the definition that comes with tokkyu.
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../node/definitions");
    let mut wanted = Wanted::from_environment().and_last_from(own);
    wanted.message("std_msgs/String")?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("messages.rs"), rust::generate(&wanted)?)?;
    Ok(())
}
