//! What a network path is like, as data: one [`DirectionProfile`] for each way, both in a [`Profile`].
use core::fmt;
use core::time::Duration;
use std::sync::Arc;

use tokkyu_contract::time::MonoTime;

use super::capacity_trace::{CapacityTrace, TraceError};
use super::loss::Loss;
use super::model::Path;
use super::policer::Policer;
use super::profiles::UnknownProfile;

/// Which way a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Vehicle to operator: the way of the images.
    Up,
    /// Operator to vehicle: the way of the commands.
    Down,
}

impl Direction {
    /// The seed of this direction's model, given the network's: the two ways must not lose the same packets.
    pub const fn seed(self, network_seed: u64) -> u64 {
        match self {
            Direction::Up => network_seed,
            Direction::Down => network_seed ^ 0x6b8b_4567_327b_23c6,
        }
    }
}

/// What one packet at a time has to pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Capacity {
    /// No serialisation and so no queue.
    #[default]
    Unlimited,
    /// A rate in bit/s, counted on the wire: frame plus [`WIRE_OVERHEAD_BYTES`](super::WIRE_OVERHEAD_BYTES).
    Rate {
        /// Rate at the start, bit/s; 0 stands still.
        bps: u64,
        /// Later rates, in any order.
        changes: Vec<RateChange>,
    },
    /// A recorded capacity.
    Trace(Arc<CapacityTrace>),
}

/// From `at` on (since the path's start) the rate is `bps`, also for the rest of a packet half sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateChange {
    /// Time since the start.
    pub at: Duration,
    /// Rate from then on, bit/s; 0 stands still.
    pub bps: u64,
}

/// A time in which everything is lost: what is offered in it, and what leaves the bottleneck in it.
/// Packets past the bottleneck arrive. `from` counts, `to` does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Begin, since the path's start.
    pub from: Duration,
    /// End, since the path's start.
    pub to: Duration,
    /// Frames of more bytes are lost, others pass: 0 for all, more for an MTU that became smaller.
    pub longer_than: usize,
}

impl Outage {
    pub(super) fn covers(&self, at: Duration, frame_bytes: u64) -> bool {
        self.from <= at && at < self.to && frame_bytes > self.longer_than as u64
    }
}

/// Packets picked at random travel longer than the others and are overtaken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reorder {
    /// Share of the packets, 0.0 to 1.0.
    pub share: f64,
    /// What they travel longer.
    pub extra_delay: Duration,
}

/// One direction of a network path. The default is a perfect wire: no delay, no limit, no loss.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectionProfile {
    /// The bottleneck.
    pub capacity: Capacity,
    /// Frame bytes that may wait for it (tail drop). A packet that need not wait always passes.
    pub queue_bytes: u64,
    /// Drops what exceeds a rate, before the queue.
    pub policer: Option<Policer>,
    /// One-way delay after the last bit has left the bottleneck.
    pub delay: Duration,
    /// Added to it, uniform between −jitter and +jitter, for each packet; order is kept. At most `delay`.
    pub jitter: Duration,
    /// Loss.
    pub loss: Loss,
    /// Times in which everything is lost.
    pub outages: Vec<Outage>,
    /// Packets that others overtake.
    pub reorder: Reorder,
    /// Share of the packets that arrive twice; the copy follows at once.
    pub duplicate_share: f64,
    /// Share of the packets that arrive with one bit flipped, beyond [`HEADER_BYTES`](super::HEADER_BYTES).
    pub corrupt_share: f64,
}

impl Default for DirectionProfile {
    fn default() -> Self {
        DirectionProfile {
            capacity: Capacity::Unlimited,
            queue_bytes: u64::MAX,
            policer: None,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            loss: Loss::None,
            outages: Vec::new(),
            reorder: Reorder::default(),
            duplicate_share: 0.0,
            corrupt_share: 0.0,
        }
    }
}

impl DirectionProfile {
    /// A link of `bps` bit/s, `delay` one way, with `queue_bytes` of queue.
    pub fn link(bps: u64, delay: Duration, queue_bytes: u64) -> Self {
        let capacity = Capacity::Rate { bps, changes: Vec::new() };
        DirectionProfile { capacity, queue_bytes, delay, ..DirectionProfile::default() }
    }

    /// The same with another loss.
    pub fn with_loss(self, loss: Loss) -> Self {
        DirectionProfile { loss, ..self }
    }

    /// The same with one more outage.
    pub fn with_outage(self, from: Duration, to: Duration) -> Self {
        self.with_frames_lost(from, to, 0)
    }

    /// The same with frames of more than `longer_than` bytes lost between `from` and `to`.
    pub fn with_frames_lost(mut self, from: Duration, to: Duration, longer_than: usize) -> Self {
        self.outages.push(Outage { from, to, longer_than });
        self
    }

    /// The same with `bps` between `from` and `to` and the present first rate afterwards. Only for a link with a
    /// rate; any other is returned unchanged.
    pub fn with_rate_between(mut self, from: Duration, to: Duration, bps: u64) -> Self {
        if let Capacity::Rate { bps: usual, changes } = &mut self.capacity {
            changes.extend([RateChange { at: from, bps }, RateChange { at: to, bps: *usual }]);
        }
        self
    }

    /// Checks ranges that the types do not.
    ///
    /// # Errors
    /// Names the first field out of range.
    pub fn check(&self) -> Result<(), ProfileError> {
        for (field, share) in self.shares() {
            if !(0.0..=1.0).contains(&share) {
                return Err(ProfileError::Share { field, share });
            }
        }
        if let Loss::Bursts { share, length } = self.loss {
            let most = f64::from(length) / (f64::from(length) + 1.0);
            if length == 0 || share > most {
                return Err(ProfileError::Bursts { share, length, most });
            }
        }
        if self.jitter > self.delay {
            return Err(ProfileError::Jitter { jitter: self.jitter, delay: self.delay });
        }
        match self.outages.iter().find(|outage| outage.from >= outage.to) {
            Some(outage) => Err(ProfileError::Outage { from: outage.from, to: outage.to }),
            None => Ok(()),
        }
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        let mut shares = vec![
            ("reorder.share", self.reorder.share),
            ("duplicate_share", self.duplicate_share),
            ("corrupt_share", self.corrupt_share),
        ];
        match self.loss {
            Loss::None => {}
            Loss::Uniform { share } | Loss::Bursts { share, .. } => shares.push(("loss.share", share)),
            Loss::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => shares.extend([
                ("loss.good_to_bad", good_to_bad),
                ("loss.bad_to_good", bad_to_good),
                ("loss.loss_good", loss_good),
                ("loss.loss_bad", loss_bad),
            ]),
        }
        shares
    }
}

/// A network between vehicle and operator: both directions under one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The name it was asked for by, for records.
    pub name: String,
    /// Vehicle to operator.
    pub up: DirectionProfile,
    /// Operator to vehicle.
    pub down: DirectionProfile,
}

impl Profile {
    /// One direction's half.
    pub fn direction(&self, direction: Direction) -> &DirectionProfile {
        match direction {
            Direction::Up => &self.up,
            Direction::Down => &self.down,
        }
    }

    /// The model of one direction for the network's `seed`; schedules and traces count from `start`.
    pub fn path<P>(&self, direction: Direction, seed: u64, start: MonoTime) -> Path<P> {
        Path::starting_at(self.direction(direction), direction.seed(seed), start)
    }

    /// Checks both directions.
    ///
    /// # Errors
    /// The first field out of range.
    pub fn check(&self) -> Result<(), ProfileError> {
        self.up.check()?;
        self.down.check()
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: up {}; down {}", self.name, self.up, self.down)
    }
}

impl fmt::Display for DirectionProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.capacity {
            Capacity::Unlimited => write!(f, "unlimited")?,
            Capacity::Rate { bps, .. } => write!(f, "{} Mbit/s", *bps as f64 / 1e6)?,
            Capacity::Trace(trace) => write!(f, "trace, mean {:.1} Mbit/s", trace.mean_bps() / 1e6)?,
        }
        write!(f, ", {} ms", self.delay.as_secs_f64() * 1e3)?;
        if !self.jitter.is_zero() {
            write!(f, " ± {} ms", self.jitter.as_secs_f64() * 1e3)?;
        }
        if self.queue_bytes != u64::MAX {
            write!(f, ", queue {} kB", self.queue_bytes as f64 / 1e3)?;
        }
        write!(f, ", loss {:.1} %", self.loss.average() * 1e2)
    }
}

/// A profile that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// No profile has that name.
    #[error(transparent)]
    Unknown(#[from] UnknownProfile),
    /// A trace file cannot be read.
    #[error("capacity trace {file}: {source}; give a readable file after `trace:`")]
    Unreadable {
        /// The file asked for.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A trace file's content is not a trace.
    #[error("capacity trace {file}: {source}")]
    Trace {
        /// The file asked for.
        file: String,
        /// What is wrong with it.
        source: TraceError,
    },
    /// A share or probability out of range.
    #[error("{field} is {share}; a share lies between 0.0 and 1.0")]
    Share {
        /// The field.
        field: &'static str,
        /// Its value.
        share: f64,
    },
    /// Bursts that cannot have that average.
    #[error(
        "loss.share is {share} in bursts of {length}; a burst has at least one packet, and at most {most} can be lost"
    )]
    Bursts {
        /// Average asked for.
        share: f64,
        /// Packets in a burst.
        length: u32,
        /// The most that bursts of this length can take.
        most: f64,
    },
    /// Jitter that would let packets arrive before they are sent.
    #[error("jitter is {jitter:?} with a delay of {delay:?}; it may not exceed the delay")]
    Jitter {
        /// The jitter.
        jitter: Duration,
        /// The delay.
        delay: Duration,
    },
    /// An outage that ends before it begins.
    #[error("outage from {from:?} to {to:?} has no length; `to` must be later than `from`")]
    Outage {
        /// Begin.
        from: Duration,
        /// End.
        to: Duration,
    },
}
