//! Who the peers are: their names in results, and what each is for. One table, in the order of tables.

/// What a peer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What no middleware can be below.
    Floor,
    /// Whom we are compared with.
    Rival,
    /// Us.
    Ours,
    /// Us, with a subscriber that is too slow: how long publishing takes.
    Overload,
}

const PEERS: [(&str, Kind); 15] = [
    ("floor-futex", Kind::Floor),
    ("floor-eventfd", Kind::Floor),
    ("floor-futex-process", Kind::Floor),
    ("tokkyu-thread", Kind::Ours),
    ("tokkyu-process", Kind::Ours),
    ("roscpp-intra-ptr", Kind::Rival),
    ("nodelet-ptr", Kind::Rival),
    ("iceoryx", Kind::Rival),
    ("iceoryx2", Kind::Rival),
    ("fastdds", Kind::Rival),
    ("cyclonedds", Kind::Rival),
    ("roscpp-tcp", Kind::Rival),
    ("tokkyu-tcpros", Kind::Ours),
    ("tokkyu-tcpros-subscriber", Kind::Ours),
    ("tokkyu-overload", Kind::Overload),
];

/// All names, in the order of tables.
pub fn names() -> impl Iterator<Item = &'static str> {
    PEERS.iter().map(|(name, _)| *name)
}

/// What a peer is for; nothing where nobody knows it.
pub fn kind_of(name: &str) -> Option<Kind> {
    PEERS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// Its place in tables; who is not known comes last.
pub fn place_of(name: &str) -> usize {
    names().position(|known| known == name).unwrap_or(PEERS.len())
}
