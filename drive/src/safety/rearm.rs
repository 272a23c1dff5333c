//! What the driver has to do before a vehicle that stood may move: SPEC.md DRV-87.
//!
//! Pure, constant time; a part of the gate. Fed with fresh commands alone, and told of gaps between them.
//!
//! ```text
//!             throttle 0 for NEUTRAL_FOR, not enabled at its end
//!       ┌────────────────────────────────────────────────────────┐
//!       │                                                        ▼
//!    Neutral ───────────────────────────▶ Release ───────────▶ Press ──────▶ may drive
//!     ▲  ▲    the same, enabled at its end   │   not enabled      │  enabled
//!     │  └───────────────────────────────────┘                    │
//!     │         throttle, or a gap                                │
//!     └───────────────────────────────────────────────────────────┘
//!                             a gap
//! ```
//! Invariant: between a stop and the command that ends it lie [`NEUTRAL_FOR`] of commands without throttle and without a
//! gap, then a command that is not enabled, then one that is. Who holds throttle or dead-man through an outage has done
//! none of these.

use std::time::Duration;

use tokkyu_contract::MonoTime;

use super::Need;
use crate::control::Controls;

/// Throttle has to be 0 for so long.
pub const NEUTRAL_FOR: Duration = Duration::from_millis(500);

/// How far the driver is; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rearm {
    /// Throttle was 0 since then, if it is now.
    Neutral {
        since: Option<MonoTime>,
    },
    Release,
    Press,
}

impl Rearm {
    pub(super) const ANEW: Rearm = Rearm::Neutral { since: None };

    /// A fresh command says `controls` at `now`. True when it may drive.
    pub(super) fn on_fresh(&mut self, now: MonoTime, controls: &Controls) -> bool {
        *self = match *self {
            // The press itself may come with throttle: the drive key of a keyboard is both.
            Rearm::Press if controls.enabled() => return true,
            _ if controls.throttle() > 0.0 => Rearm::ANEW,
            Rearm::Neutral { since } => neutral(since.unwrap_or(now), now, controls),
            Rearm::Release if !controls.enabled() => Rearm::Press,
            Rearm::Release => Rearm::Release,
            Rearm::Press => Rearm::Press,
        };
        false
    }

    /// What it waits for.
    pub(super) fn need(self) -> Need {
        match self {
            Rearm::Neutral { .. } => Need::Neutral,
            Rearm::Release => Need::Release,
            Rearm::Press => Need::Press,
        }
    }
}

fn neutral(since: MonoTime, now: MonoTime, controls: &Controls) -> Rearm {
    match now.since(since) >= NEUTRAL_FOR {
        false => Rearm::Neutral { since: Some(since) },
        true if controls.enabled() => Rearm::Release,
        true => Rearm::Press,
    }
}
