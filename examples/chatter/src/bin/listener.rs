//! Says what it hears.

use tokkyu_example_chatter::std_msgs;
use tokkyu_node::{Level, Node};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let node = Node::new("listener")?;
    let speaker = node.clone();
    let _chatter = node.subscribe("chatter", 1000, move |message: &std_msgs::String| {
        speaker.say(Level::Info, format_args!("I heard: [{}]", message.data));
    })?;
    node.spin();
    Ok(())
}
