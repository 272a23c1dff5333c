//! What is known of a black hole for long packets, in both ways of the path (LNK-70).

use super::monitor::PathState;
use crate::core::black_hole::BlackHole;
use crate::core::loss::LossMeter;
use tokkyu_contract::MonoTime;

/// Both ways of the path, and what was known of ours before long packets were lost.
#[derive(Default)]
pub struct Hole {
    pub out: BlackHole,
    pub before: Option<Before>,
    pub peer: Told,
}

/// What the peer told last of the way in, and in which packet.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    pub number: Option<u32>,
    pub long_lost: bool,
    pub is_cut: bool,
}

/// The path as it was known.
pub struct Before {
    pub rate_bps: f64,
    pub loss: LossMeter,
}

impl Hole {
    pub fn is_hole(&self) -> bool {
        self.out.is_hole()
    }

    /// When the next long packet is due; a path that is silent is probed instead.
    pub fn deadline(&self, path: PathState) -> MonoTime {
        if path == PathState::Silent { MonoTime::MAX } else { self.out.deadline() }
    }
}
