//! What the driver has to do before a vehicle that stands may move: SPEC.md DRV-87.
//!
//! Pure, constant time; a part of the gate. Fed with fresh commands alone, and told of gaps between them.
//!
//! ```text
//!                  throttle 0 for NEUTRAL_FOR         enable not pressed        enable pressed, dead-man held
//!      Neutral ─────────────────────────────▶ Let go ────────────────────▶ Press ─────────────▶ may drive
//!         ▲                                     │  ▲                         │ │
//!         │                                     │  └─────────────────────────┘ │
//!         │                                     │       enable without dead-man│
//!         └────────── throttle, a gap ──────────┴──────────────────────────────┘
//! ```
//! Invariant: between a stop and the command that ends it lie [`NEUTRAL_FOR`] of commands without throttle and without a
//! gap, then one whose enable button is not pressed, then one whose enable button is, under a held dead-man and without
//! throttle. Who holds throttle, dead-man or button through an outage has done none of these.

use std::time::Duration;

use tokkyu_contract::MonoTime;

use super::need::Need;
use crate::control::{Controls, READ_WITHIN};

/// Throttle has to be 0 for so long.
pub const NEUTRAL_FOR: Duration = Duration::from_millis(500);
/// Whether the dead-man is held, and was read lately enough to know.
pub(super) fn is_held(controls: &Controls) -> bool {
    controls.dead_man() && controls.read_age() < READ_WITHIN
}

/// Whether the enable button is pressed, and was read lately enough to know.
fn is_enabling(controls: &Controls) -> bool {
    controls.enable() && controls.read_age() < READ_WITHIN
}

/// How far the driver is; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ready {
    /// Throttle was 0 since then, if it is now.
    Neutral {
        since: Option<MonoTime>,
    },
    LetGo,
    Press {
        is_held: bool,
    },
}

impl Ready {
    pub(super) const ANEW: Ready = Ready::Neutral { since: None };

    /// A fresh command says `controls` at `now`. True when it may drive.
    pub(super) fn on_fresh(&mut self, now: MonoTime, controls: &Controls) -> bool {
        let is_held = is_held(controls);
        *self = match *self {
            _ if controls.throttle() > 0.0 => Ready::ANEW,
            Ready::Press { .. } if is_enabling(controls) && is_held => return true,
            Ready::Neutral { since } => neutral(since.unwrap_or(now), now),
            // A press without the dead-man is void, and so is a button that hangs.
            Ready::LetGo | Ready::Press { .. } if controls.enable() => Ready::LetGo,
            Ready::LetGo | Ready::Press { .. } => Ready::Press { is_held },
        };
        // The command that completes the half second may be the one that shows the button let go.
        if *self == Ready::LetGo && !controls.enable() {
            *self = Ready::Press { is_held };
        }
        false
    }

    /// Whether the controls are neutral, so that a press may come.
    pub(super) const fn is_neutral(self) -> bool {
        !matches!(self, Ready::Neutral { .. })
    }

    /// What it waits for.
    pub(super) const fn need(self) -> Need {
        match self {
            Ready::Neutral { .. } => Need::Neutral,
            Ready::LetGo => Need::LetGo,
            Ready::Press { is_held: false } => Need::DeadMan,
            Ready::Press { is_held: true } => Need::Enable,
        }
    }
}

fn neutral(since: MonoTime, now: MonoTime) -> Ready {
    match now.since(since) >= NEUTRAL_FOR {
        false => Ready::Neutral { since: Some(since) },
        true => Ready::LetGo,
    }
}
