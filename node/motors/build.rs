//! Makes Rust of the messages between a vehicle's program and its base.

use std::path::Path;

use tokkyu_msg::{Wanted, rust};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("definitions"), here.join("../definitions")];
    folders.iter().for_each(|folder| println!("cargo::rerun-if-changed={}", folder.display()));
    let mut wanted = Wanted::from_folders(folders);
    for message in [
        "ackermann_msgs/AckermannDrive",
        "ackermann_msgs/AckermannDriveStamped",
        "diagnostic_msgs/DiagnosticArray",
        "geometry_msgs/Twist",
        "geometry_msgs/TwistStamped",
        "nav_msgs/Odometry",
        "std_msgs/String",
    ] {
        wanted.message(message)?;
    }
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("messages.rs"), rust::generate(&wanted)?)?;
    Ok(())
}
