//! What is known of a black hole for long packets, in both ways of the path (LNK-70).

use crate::core::black_hole::BlackHole;
use crate::core::loss::LossMeter;
use crate::core::path::PathState;
use tokkyu_contract::MonoTime;

/// Both ways of the path, and what was known of ours before long packets were lost.
#[derive(Default)]
pub(super) struct Hole {
    pub(super) out: BlackHole,
    pub(super) before: Option<Before>,
    pub(super) peer: Told,
}

/// What the peer told last of the way in, and in which packet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    pub(super) number: Option<u32>,
    pub(super) long_lost: bool,
    pub(super) is_cut: bool,
}

/// The path as it was known.
pub(super) struct Before {
    pub(super) rate_bps: f64,
    pub(super) loss: LossMeter,
}

impl Hole {
    pub(super) fn is_hole(&self) -> bool {
        self.out.is_hole()
    }

    /// When the next long packet is due; a path that is silent is probed instead.
    pub(super) fn deadline(&self, path: PathState) -> MonoTime {
        if path == PathState::Silent { MonoTime::MAX } else { self.out.deadline() }
    }
}
