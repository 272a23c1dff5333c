//! Says hello ten times a second: the talker that every ROS user knows.

use std::time::Duration;

use tokkyu_node::Node;
use tokkyu_node::messages::std_msgs;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let node = Node::new("talker")?;
    let publisher = node.advertise::<std_msgs::String>("chatter", 1000)?;
    let mut count = 0;
    while node.is_ok() {
        publisher.publish(std_msgs::String { data: format!("hello world {count}") })?;
        count += 1;
        node.spin_for(Duration::from_millis(100));
    }
    Ok(())
}
