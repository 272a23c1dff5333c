//! What the kernel's trace of a board shows of frames that wait for the driver (SPEC.md MEA-108).

use std::fmt;

use serde::{Deserialize, Serialize};

/// Frames of the real-time sender, from the queueing discipline to the driver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Traced {
    /// How many.
    pub frames: u64,
    /// How long they wait, mean.
    pub wait_mean_ms: f64,
    /// The longest.
    pub wait_max_ms: f64,
    /// Frames of others that the driver gets meanwhile, mean.
    pub before_mean: f64,
    /// The most.
    pub before_max: u64,
    /// Segments in one packet of others, mean.
    pub train_mean: f64,
    /// The most.
    pub train_max: u64,
    /// Whose the board's processor is while a frame waits.
    pub who: Vec<Share>,
    /// What happens while the frame waits that waits longest.
    pub longest: Vec<Turn>,
}

/// A part of the processor's time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// `sender`, `bulk` (the program of the bulk traffic), `idle`, or the name of a thread of the kernel; with ` for the sender` while the sender waits for
    /// a lock that this one has, and has lent it its priority.
    pub who: String,
    /// Of the time.
    pub share: f64,
}

/// Somebody has the processor.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// As in [`Share`].
    pub who: String,
    /// Since the frame began to wait.
    pub at_ms: f64,
    /// How long.
    pub for_ms: f64,
    /// Frames that the driver gets in this time.
    pub frames: u64,
}

/// Less of the time is not told.
const SHARE_TOLD: f64 = 0.005;

impl Traced {
    /// Of the time that frames wait, the part in which the processor has nothing to do.
    pub fn idle(&self) -> f64 {
        self.who.iter().find(|share| share.who == "idle").map_or(0.0, |share| share.share)
    }
}

impl fmt::Display for Traced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} frames wait {:.3} ms for the driver (worst {:.3}), which gets {:.1} others meanwhile (most {}), of packets of {:.1} \
             segments (most {}); the processor meanwhile:",
            self.frames,
            self.wait_mean_ms,
            self.wait_max_ms,
            self.before_mean,
            self.before_max,
            self.train_mean,
            self.train_max
        )?;
        let told = self.who.iter().filter(|share| share.share >= SHARE_TOLD);
        let shares = told.map(|Share { who, share }| format!(" {who} {:.0} %", share * 100.0));
        f.write_str(&shares.collect::<Vec<_>>().join(","))
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Turn { who, at_ms, for_ms, frames } = self;
        write!(f, "{at_ms:.3} ms: {who} for {for_ms:.3} ms, {frames} frames to the driver")
    }
}
