//! Loss of our own doing, told from the path's by what arrives of many packets (LNK-62).

use super::loss::OwnLoss;
use std::collections::VecDeque;
use std::ops::{AddAssign, SubAssign};
use std::time::Duration;

/// Packets whose loss is judged together.
const JUDGED_PACKETS: u64 = 1024;
/// Of so many it is no chance that most are lost.
const FEW_PACKETS: u64 = 64;
/// On a slow path the packets of this span are judged, or the verdict would be of minutes ago.
const JUDGED_SPAN: Duration = Duration::from_secs(1);

/// What became of some packets of a burst in a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    /// Packets sent.
    pub packets: u64,
    /// Their datagram bytes.
    pub sent_bytes: u64,
    /// What arrived of them.
    pub received_bytes: u64,
    /// Between the arrival of the first and of the last.
    pub span: Duration,
}

/// What arrived of the last packets of bursts: enough of them to tell loss of our own doing from chance.
#[derive(Debug, Default)]
pub struct Arrivals {
    windows: VecDeque<Window>,
    sums: Window,
}

impl Arrivals {
    /// What arrived of some more packets.
    pub fn add(&mut self, window: Window) {
        self.windows.push_back(window);
        self.sums += window;
        while let Some(oldest) = self.windows.front().copied().filter(|oldest| self.is_spare(oldest)) {
            self.windows.pop_front();
            self.sums -= oldest;
        }
    }

    /// What is left without the oldest is enough to judge by.
    fn is_spare(&self, oldest: &Window) -> bool {
        let left = self.sums.packets - oldest.packets;
        let is_slow = left >= FEW_PACKETS && self.sums.span - oldest.span >= JUDGED_SPAN;
        self.windows.len() > 1 && (self.sums.packets > JUDGED_PACKETS || is_slow)
    }

    /// Most of what was sent did not arrive: that the rest came as it was sent proves nothing of the rate.
    pub fn is_mostly_lost(&self) -> bool {
        self.sums.packets >= FEW_PACKETS && self.sums.received_bytes * 2 < self.sums.sent_bytes
    }

    /// Share of what we send that the path carries: 1 where no more is lost than the path loses by itself.
    pub fn carried(&self, own_loss: OwnLoss) -> f64 {
        let Window { packets, sent_bytes, received_bytes, span } = self.sums;
        let arrived = received_bytes as f64 / sent_bytes.max(1) as f64;
        let is_enough = packets >= JUDGED_PACKETS / 2 || packets >= FEW_PACKETS && span >= JUDGED_SPAN / 2;
        if !is_enough || arrived >= own_loss.least_arriving(packets) {
            return 1.0;
        }
        (arrived / (1.0 - own_loss.share)).min(1.0)
    }
}

impl AddAssign for Window {
    fn add_assign(&mut self, other: Window) {
        self.packets += other.packets;
        self.sent_bytes += other.sent_bytes;
        self.received_bytes += other.received_bytes;
        self.span += other.span;
    }
}

impl SubAssign for Window {
    fn sub_assign(&mut self, other: Window) {
        self.packets -= other.packets;
        self.sent_bytes -= other.sent_bytes;
        self.received_bytes -= other.received_bytes;
        self.span -= other.span;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLEAN: OwnLoss = OwnLoss { share: 0.01, dispersion: 1.0 };
    const BURSTY: OwnLoss = OwnLoss { share: 0.05, dispersion: 8.0 };

    /// Of 100 bytes sent `arrives` arrived, within `ms`.
    fn window(packets: u64, arrives: u64, ms: u64) -> Window {
        Window { packets, sent_bytes: 100, received_bytes: arrives, span: Duration::from_millis(ms) }
    }

    fn carried(own: OwnLoss, arrives: u64) -> f64 {
        let mut arrivals = Arrivals::default();
        (0..32).for_each(|_| arrivals.add(window(64, arrives, 1)));
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
        (0..3).for_each(|_| arrivals.add(window(16, 10, 1)));
        assert!(!arrivals.is_mostly_lost());
        arrivals.add(window(16, 10, 1));
        assert!(arrivals.is_mostly_lost());
        (0..16).for_each(|_| arrivals.add(window(64, 60, 1)));
        assert!(!arrivals.is_mostly_lost());
    }

    #[test]
    fn a_few_packets_prove_nothing() {
        let mut arrivals = Arrivals::default();
        arrivals.add(window(64, 10, 1));
        assert_eq!(arrivals.carried(CLEAN), 1.0);
    }

    #[test]
    fn on_a_slow_path_few_packets_are_enough_once_they_took_a_second_and_old_ones_are_forgotten() {
        let mut arrivals = Arrivals::default();
        (0..6).for_each(|_| arrivals.add(window(16, 50, 200)));
        assert!((arrivals.carried(CLEAN) - 50.0 / 99.0).abs() < 1e-9);
        (0..12).for_each(|_| arrivals.add(window(16, 99, 200)));
        assert_eq!(arrivals.carried(CLEAN), 1.0, "the losses were more than a second ago");
    }
}
