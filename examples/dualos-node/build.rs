//! The message, what is declared of its topics, and the layout of the image.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let definitions = Path::new(env!("CARGO_MANIFEST_DIR")).join("definitions");
    println!("cargo::rerun-if-changed={}", definitions.display());
    let mut wanted = tokkyu_msg::Wanted::from_folders([definitions]);
    wanted.message("geometry_msgs/Twist")?;
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("messages.rs"), tokkyu_msg::rust::generate(&wanted)?)?;
    tokkyu_board_build::image().robot("robot.yaml").build();
    Ok(())
}
