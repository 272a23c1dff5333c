//! The path's loss: how much, how bursty, and whether it is our own doing (LNK-42, LNK-62).
//!
//! Fed with the fate of each packet in order of packet number. Learns only while the queue is short, so that drops
//! of a queue we filled ourselves are not taken for the path's.

/// Packets a block counts together; the spread between blocks shows bursts.
const BLOCK: u32 = 64;
/// Packets whose mean the loss share is.
const WINDOW_PACKETS: f64 = 12_000.0;
/// Weight of the assumption below, in packets.
const PRIOR_PACKETS: f64 = 300.0;
/// Share of packets lost that is assumed before anything is known.
const PRIOR_SHARE: f64 = 0.03;
/// Blocks whose spread the dispersion is.
const WINDOW_BLOCKS: f64 = 512.0;
/// Packets at the head of a burst that meet an empty queue and a full token bucket.
const HEAD: u32 = 32;

/// Loss statistics of one direction.
#[derive(Clone)]
pub struct LossMeter {
    share: f64,
    weight: f64,
    head_share: f64,
    head_weight: f64,
    block: Block,
    blocks: f64,
    mean: f64,
    variance: f64,
}

#[derive(Clone, Default)]
struct Block {
    packets: u32,
    lost: u32,
}

/// Loss that is not our doing.
#[derive(Clone, Copy, Debug)]
pub struct OwnLoss {
    /// Share of packets.
    pub share: f64,
    /// Index of dispersion.
    pub dispersion: f64,
}

impl OwnLoss {
    /// The least share of `packets` to be expected to arrive, chance included.
    pub fn least_arriving(&self, packets: u64) -> f64 {
        let chance = 2.0 * (self.share * self.dispersion / packets.max(1) as f64).sqrt();
        (1.0 - self.share - chance).max(0.1)
    }
}

impl Default for LossMeter {
    fn default() -> Self {
        let mean = PRIOR_SHARE * f64::from(BLOCK);
        LossMeter {
            share: PRIOR_SHARE,
            weight: PRIOR_PACKETS,
            head_share: PRIOR_SHARE,
            head_weight: PRIOR_PACKETS / 3.0,
            block: Block::default(),
            blocks: 16.0,
            mean,
            variance: mean * (1.0 - PRIOR_SHARE),
        }
    }
}

impl LossMeter {
    /// One packet, the `in_burst`-th of its burst, arrived or was lost.
    pub fn on_packet(&mut self, lost: bool, in_burst: u32) {
        let value = f64::from(u8::from(lost));
        self.weight = (self.weight + 1.0).min(WINDOW_PACKETS);
        self.share += (value - self.share) / self.weight;
        if in_burst < HEAD {
            self.head_weight = (self.head_weight + 1.0).min(WINDOW_PACKETS / 2.0);
            self.head_share += (value - self.head_share) / self.head_weight;
        }
        self.block.packets += 1;
        self.block.lost += u32::from(lost);
        if self.block.packets == BLOCK {
            self.close_block();
        }
    }

    /// A packet given up had arrived after all.
    pub fn on_spurious(&mut self) {
        self.share = (self.share - 1.0 / self.weight).max(0.0);
    }

    fn close_block(&mut self) {
        let lost = f64::from(std::mem::take(&mut self.block).lost);
        self.blocks = (self.blocks + 1.0).min(WINDOW_BLOCKS);
        let before = lost - self.mean;
        self.mean += before / self.blocks;
        self.variance += (before * (lost - self.mean) - self.variance) / self.blocks;
    }

    /// Share of packets lost, 0 to 1.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// The path's own loss: what is lost when nothing of ours is queued before it.
    pub fn own(&self) -> OwnLoss {
        // Three standard deviations of the head's estimate: a chance difference must not slow us down.
        let error = 3.0 * (self.head_share.max(0.002) * self.dispersion() / self.head_weight).sqrt();
        OwnLoss { share: self.share.min(self.head_share + error), dispersion: self.dispersion() }
    }

    /// Index of dispersion: variance over mean of the losses in a block; 1 when losses are independent, about the
    /// burst length when they come in bursts.
    pub fn dispersion(&self) -> f64 {
        let independent = self.mean * (1.0 - self.mean / f64::from(BLOCK));
        if independent < 1e-3 { 1.0 } else { (self.variance / independent).clamp(1.0, 64.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};

    fn feed(pattern: impl Fn(f64, &mut u32) -> bool) -> LossMeter {
        let mut rng = rand_pcg::Pcg64Mcg::seed_from_u64(1);
        let (mut meter, mut state) = (LossMeter::default(), 0);
        for n in 0..40_000u32 {
            let chance = f64::from(rng.next_u32()) / 4_294_967_296.0;
            meter.on_packet(pattern(chance, &mut state), n % 1000);
        }
        meter
    }

    #[test]
    fn independent_loss_has_dispersion_one() {
        let meter = feed(|chance, _| chance < 0.05);
        assert!((meter.share() - 0.05).abs() < 0.01, "{}", meter.share());
        assert!(meter.dispersion() < 1.3, "{}", meter.dispersion());
    }

    #[test]
    fn bursts_of_eight_show_as_a_dispersion_near_eight() {
        let meter = feed(|chance, left| {
            if *left == 0 && chance < 0.05 / 8.0 / 0.95 {
                *left = 8;
            }
            let lost = *left > 0;
            *left = left.saturating_sub(1);
            lost
        });
        assert!((meter.share() - 0.05).abs() < 0.015, "{}", meter.share());
        assert!((5.0..10.0).contains(&meter.dispersion()), "{}", meter.dispersion());
    }

    #[test]
    fn loss_that_spares_the_head_of_a_burst_is_not_the_paths_own() {
        let mut meter = LossMeter::default();
        for n in 0..40_000u32 {
            meter.on_packet(n % 1000 >= 100 && n % 3 == 0, n % 1000);
        }
        assert!(meter.share() > 0.25, "{}", meter.share());
        assert!(meter.own().share < 0.05, "{}", meter.own().share);
    }
}
