//! Says hello ten times a second.

use tokkyu_example_chatter::std_msgs;
use tokkyu_node::{Level, Node};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let node = Node::new("talker")?;
    let chatter = node.advertise::<std_msgs::String>("chatter", 1000)?;
    let mut rate = node.rate(10.0);
    for count in 0.. {
        if !node.is_ok() {
            break;
        }
        let data = format!("hello world {count}");
        node.say(Level::Info, format_args!("{data}"));
        chatter.publish(std_msgs::String { data })?;
        node.spin_once();
        rate.sleep();
    }
    Ok(())
}
