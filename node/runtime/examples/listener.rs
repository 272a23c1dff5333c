//! Says what it hears.

use tokkyu_node::Node;
use tokkyu_node::messages::std_msgs;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let node = Node::new("listener")?;
    let _chatter = node
        .subscribe("chatter", 1000, |message: &std_msgs::String| println!("I heard: [{}]", message.data))?;
    node.spin();
    Ok(())
}
