//! Whose programs carried a case.

/// What a case's `peer` is for our own link.
pub const OURS: &str = "tokkyu";

/// The same for our link between ROS 2 bridges: ours too, but measured from DDS writer to DDS reader.
pub const BRIDGED: &str = "tokkyu-bridge";

/// Whether a case's `peer` is somebody else, whom we are compared with.
pub(super) fn is_rival(peer: &str) -> bool {
    peer != OURS && peer != BRIDGED
}
