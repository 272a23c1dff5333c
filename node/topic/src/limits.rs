//! What a channel may hold, settled when it is made (NODE-11, NODE-20).

use core::fmt;

/// Slots of a channel: a cell has 14 bits for one.
pub const MAX_SLOTS: u32 = (1 << 14) - 1;
/// Samples that may wait in one link.
pub const MAX_DEPTH: u32 = 1024;

/// The size of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Loans that the publisher may have at once, at least 1.
    pub loans: u32,
    /// Links at once.
    pub links: u32,
    /// The deepest link, 1 to [`MAX_DEPTH`].
    pub depth: u32,
    /// Samples that one link's reader may hold, at least 1.
    pub held: u32,
    /// Whether the last sample is kept for who joins later (NODE-19).
    pub latch: bool,
    /// Slots in all, at most [`MAX_SLOTS`]. A link that would need more is refused when it joins.
    pub slots: u32,
}

/// What one link asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The longest queue.
    pub depth: u32,
    /// Never overwritten: the publisher is told (NODE-17).
    pub reliable: bool,
}

impl Terms {
    /// The newest `depth` samples.
    pub const fn keep_last(depth: u32) -> Terms {
        Terms { depth, reliable: false }
    }

    /// All samples, at most `depth` of them waiting.
    pub const fn reliable(depth: u32) -> Terms {
        Terms { depth, reliable: true }
    }
}

impl Limits {
    /// One loan, one sample held by each of `links` links that are `depth` deep, nothing latched: slots for all of them.
    pub const fn for_links(links: u32, depth: u32) -> Limits {
        Limits { loans: 1, links, depth, held: 1, latch: false, slots: 0 }.with_all_slots()
    }

    /// With as many slots as all links need at their deepest, or as many as there may be.
    pub const fn with_all_slots(mut self) -> Limits {
        let all = self.own_share() as u64 + self.links as u64 * self.share(self.depth) as u64;
        self.slots = if all < MAX_SLOTS as u64 { all as u32 } else { MAX_SLOTS };
        self
    }

    /// Slots that the publisher needs, whoever reads.
    pub const fn own_share(&self) -> u32 {
        self.loans + self.latch as u32
    }

    /// Slots that one link of this depth needs beyond those: what waits, what is held, a latched one at its start, and of a deeper link the one
    /// that an overtaken reader has in its hand while it drops it.
    pub const fn share(&self, depth: u32) -> u32 {
        depth + self.held + self.latch as u32 + (depth > 1) as u32
    }

    /// Which limit is not within what is possible.
    /// Whether a channel can have them.
    ///
    /// # Errors
    ///
    /// [`Exceeded`]: the first that is not possible.
    pub fn check(&self) -> Result<(), Exceeded> {
        let within = |name, value, least, most| {
            if (least..=most).contains(&value) { Ok(()) } else { Err(Exceeded { name, value, least, most }) }
        };
        within("loans", self.loans, 1, MAX_SLOTS)?;
        within("links", self.links, 0, MAX_SLOTS)?;
        within("depth", self.depth, 1, MAX_DEPTH)?;
        within("held", self.held, 1, MAX_SLOTS)?;
        within("slots", self.slots, self.own_share(), MAX_SLOTS)
    }
}

/// A limit is outside of what is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exceeded {
    /// Which one.
    pub name: &'static str,
    /// What was asked for.
    pub value: u32,
    /// The least that is possible.
    pub least: u32,
    /// The most.
    pub most: u32,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exceeded { name, value, least, most } = self;
        write!(f, "{name} of a channel is {value}; it must be {least} to {most}")
    }
}

impl core::error::Error for Exceeded {}
