//! An image of one node, which says hello ten times a second: what it takes is what an image takes at least (`tokkyu lab rtos`, "image").

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
extern crate alloc;

#[cfg(target_os = "none")]
mod node {
    use alloc::format;

    use tokkyu_callbacks::messages::std_msgs;
    use tokkyu_callbacks::{Level, Node, NodeError};

    pub(crate) fn talker(node: &Node) -> Result<(), NodeError> {
        let chatter = node.advertise::<std_msgs::String>("chatter", 10)?;
        let mut rate = node.rate(10.0);
        for count in 0.. {
            if !node.is_ok() {
                break;
            }
            let data = format!("hello world {count}");
            if let Err(error) = chatter.publish(std_msgs::String { data }) {
                node.say(Level::Warn, format_args!("{error}"));
            }
            node.spin_once();
            rate.sleep();
        }
        Ok(())
    }
}

#[cfg(target_os = "none")]
tokkyu_board::board! {
    processors: 1,
    control: 0,
    realtime: 0,
    nodes: { "talker" on 1 => node::talker },
}

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: build it with --target aarch64-unknown-none-softfloat");
    std::process::exit(2);
}
