//! Loss of our own doing, told from the path's by what arrives of many packets (LNK-62).

use super::loss::OwnLoss;
use std::collections::VecDeque;

/// Packets whose loss is judged together.
const JUDGED_PACKETS: u64 = 1024;
/// Of so many it is no chance that most are lost.
const FEW_PACKETS: u64 = 64;

/// What arrived of the last packets of bursts: enough of them to tell loss of our own doing from chance.
#[derive(Debug, Default)]
pub struct Arrivals {
    windows: VecDeque<[u64; 3]>,
    sums: [u64; 3],
}

impl Arrivals {
    /// Of `packets` with `sent_bytes`, `received_bytes` arrived.
    pub fn add(&mut self, packets: u64, sent_bytes: u64, received_bytes: u64) {
        let window = [packets, sent_bytes, received_bytes];
        self.windows.push_back(window);
        (0..3).for_each(|i| self.sums[i] += window[i]);
        while self.sums[0] > JUDGED_PACKETS && self.windows.len() > 1 {
            let old = self.windows.pop_front().expect("more than one");
            (0..3).for_each(|i| self.sums[i] -= old[i]);
        }
    }

    /// Most of what was sent did not arrive: that the rest came as it was sent proves nothing of the rate.
    pub fn is_mostly_lost(&self) -> bool {
        let [packets, sent, received] = self.sums;
        packets >= FEW_PACKETS && received * 2 < sent
    }

    /// Share of what we send that the path carries: 1 where no more is lost than the path loses by itself.
    pub fn carried(&self, own_loss: OwnLoss) -> f64 {
        let [packets, sent, received] = self.sums;
        let arrived = received as f64 / sent.max(1) as f64;
        if packets < JUDGED_PACKETS / 2 || arrived >= own_loss.least_arriving(packets) {
            return 1.0;
        }
        (arrived / (1.0 - own_loss.share)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAN: OwnLoss = OwnLoss { share: 0.01, dispersion: 1.0 };
    const BURSTY: OwnLoss = OwnLoss { share: 0.05, dispersion: 8.0 };

    fn carried(own: OwnLoss, arrives: u64) -> f64 {
        let mut arrivals = Arrivals::default();
        (0..32).for_each(|_| arrivals.add(64, 100, arrives));
        arrivals.carried(own)
    }

    #[test]
    fn the_paths_own_loss_is_made_up_for_and_a_policers_is_not() {
        assert_eq!(carried(CLEAN, 99), 1.0);
        assert!((carried(CLEAN, 50) - 50.0 / 99.0).abs() < 1e-9);
    }

    #[test]
    fn bursts_of_a_bursty_path_are_chance() {
        assert_eq!(carried(BURSTY, 92), 1.0);
        assert!(carried(BURSTY, 70) < 0.8);
    }

    #[test]
    fn what_mostly_does_not_arrive_is_told_and_a_few_packets_are_not_enough_for_it() {
        let mut arrivals = Arrivals::default();
        (0..3).for_each(|_| arrivals.add(16, 100, 10));
        assert!(!arrivals.is_mostly_lost());
        arrivals.add(16, 100, 10);
        assert!(arrivals.is_mostly_lost());
        (0..16).for_each(|_| arrivals.add(64, 100, 60));
        assert!(!arrivals.is_mostly_lost());
    }

    #[test]
    fn a_few_packets_prove_nothing() {
        let mut arrivals = Arrivals::default();
        arrivals.add(64, 100, 10);
        assert_eq!(arrivals.carried(CLEAN), 1.0);
    }
}
