//! The ledger of one direction: what was offered to a [`Path`](super::Path) and what became of it.

/// Outcomes of the packets offered to one direction. All are counts of packets unless named `_bytes`.
///
/// `offered + duplicated = delivered + lost_random + lost_burst + lost_outage + tail_dropped + policed + in flight`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets handed to the path.
    pub offered: u64,
    /// Their frame bytes (without [`WIRE_OVERHEAD_BYTES`](super::WIRE_OVERHEAD_BYTES)).
    pub offered_bytes: u64,
    /// Lost one by one: uniform loss, or the good state of a Gilbert-Elliott model.
    pub lost_random: u64,
    /// Lost in a burst, or in the bad state of a Gilbert-Elliott model.
    pub lost_burst: u64,
    /// Lost because the link was down.
    pub lost_outage: u64,
    /// Found the queue full.
    pub tail_dropped: u64,
    /// Found the policer's bucket empty.
    pub policed: u64,
    /// Extra copies put on the path.
    pub duplicated: u64,
    /// Packets marked with a bit to flip.
    pub corrupted: u64,
    /// Packets held back so that later ones could overtake them.
    pub reordered: u64,
    /// Packets taken out at the far end, copies included.
    pub delivered: u64,
    /// Their frame bytes.
    pub delivered_bytes: u64,
    /// Largest frame offered.
    pub largest_frame_bytes: u64,
    /// Most bytes that ever waited for the bottleneck at once.
    pub queue_high_water_bytes: u64,
}

impl Counters {
    /// Packets that will never arrive.
    pub const fn gone(&self) -> u64 {
        self.lost_random + self.lost_burst + self.lost_outage + self.tail_dropped + self.policed
    }

    /// Packets still under way, copies included.
    pub const fn in_flight(&self) -> u64 {
        self.offered + self.duplicated - self.gone() - self.delivered
    }
}
