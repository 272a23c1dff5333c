//! The node beside Linux: both topics cross.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
use tokkyu_board::beside::{from_linux, to_linux};
#[cfg(target_os = "none")]
use tokkyu_example_dualos_node::messages::geometry_msgs::Twist;

#[cfg(target_os = "none")]
tokkyu_board::board! {
    processors: 2,
    // Commands to the node, and what it does to Linux.
    control: 2,
    realtime: 0,
    nodes: { "drive" on 2 => tokkyu_example_dualos_node::drive },
    flows: tokkyu_board::flows!(),
    across: [from_linux::<Twist>("/cmd_vel", 8, 48), to_linux::<Twist>("/cmd_vel_applied", 8, 48)],
}

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: ./tokkyu board run examples/dualos-node");
    std::process::exit(2);
}
