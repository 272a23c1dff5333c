//! The node `camera` on Linux.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let node = tokkyu_node::Node::new("camera")?;
    Ok(tokkyu_example_rtos_camera::camera(&node)?)
}
