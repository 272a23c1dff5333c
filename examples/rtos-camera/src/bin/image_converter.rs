//! The node `image_converter` on Linux.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let node = tokkyu_node::Node::new("image_converter")?;
    Ok(tokkyu_example_rtos_camera::image_converter(&node)?)
}
