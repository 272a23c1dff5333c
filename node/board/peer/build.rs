//! The layout of the image, and the node: the source that is built with Debian's roscpp too.

fn main() {
    tokkyu_board_build::image().cpp("peer", &["../../tests/ros1/peers/peer.cpp"]).build();
}
