//! The node of the tests against ROS 1 (`node/tests/ros1/peers/peer.cpp`) on a board: `node/board/peer/peer` runs it.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
tokkyu_board::board! {
    processors: 2,
    control: 0,
    realtime: 0,
    nodes: {},
    cpp: { "peer" on 1 => peer_main },
}

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this is an image for boards: node/board/peer/peer");
    std::process::exit(2);
}
