//! How much parity a sample gets (LNK-42): the tail of a scaled Poisson distribution, and what a shard's place costs.

/// Risk that a sample is short when nothing waits behind it.
pub const LOWEST_RISK: f64 = 1e-5;
/// Most parity of a sample that others wait behind, and of one with nothing behind it, as multiples of the losses to be
/// expected. Bursts can ask for more than a link should carry; for samples with others behind them a repair comes in
/// time to be no later than the last of the round.
const LIMIT: [f64; 2] = [2.8, 7.0];
/// The same in packets, where few losses are expected.
const LEAST_LIMIT: [usize; 2] = [16, 48];
/// Above this risk parity is not worth sending at all.
const HIGHEST_RISK: f64 = 0.2;

/// Loss as the parity is sized for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Share of packets lost, 0 to 1.
    pub share: f64,
    /// Index of dispersion: 1 independent, burst length in bursts.
    pub dispersion: f64,
}

impl Loss {
    /// Chance that more than `spare` of `packets` are lost.
    pub fn risk(&self, packets: usize, spare: usize) -> f64 {
        let bursts = packets as f64 * self.share / self.dispersion;
        let held = (spare as f64 / self.dispersion).floor() as usize;
        poisson_above(bursts, held)
    }

    /// The fewest spare packets beside `needed` with a risk of at most `risk`, at most `limit`.
    pub fn spare_for(&self, needed: usize, risk: f64, limit: usize) -> usize {
        // The risk falls with each spare packet (each brings room for one loss, and p < 1 losses): bisection holds.
        let (mut low, mut high) = (0, limit);
        while low < high {
            let middle = (low + high) / 2;
            if self.risk(needed + middle, middle) <= risk {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

impl Loss {
    /// Most parity shards for a sample of `k` data shards with `behind` samples waiting behind it.
    pub fn parity_limit(&self, k: usize, behind: usize) -> usize {
        let last = usize::from(behind == 0);
        ((k as f64 * self.share * LIMIT[last]) as usize).max(LEAST_LIMIT[last]).min(k)
    }
}

/// Risk that the repairs of a sample do not suffice, so that it waits for a second round of them.
const REPAIR_RISK: f64 = 1e-3;

/// What is counted on to arrive of what is under way (LNK-41).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expectation {
    /// All of it: another repair comes as soon as chance could be told.
    All,
    /// Less what chance may take, by this loss.
    Less(Loss),
}

impl Expectation {
    /// How many of `n` packets sent for the first time will arrive, two standard deviations on the safe side.
    pub fn of_first(&self, n: usize) -> f64 {
        let n = n as f64;
        match self {
            Expectation::All => n,
            Expectation::Less(Loss { share: p, dispersion }) => {
                n * (1.0 - p) - 2.0 * (n * p * (1.0 - p) * dispersion).sqrt()
            }
        }
    }

    /// Repairs to send where `short` are needed, at most `limit`.
    pub fn to_send(&self, short: usize, limit: usize) -> usize {
        match self {
            Expectation::All => short,
            Expectation::Less(loss) => short + loss.spare_for(short, REPAIR_RISK, limit),
        }
    }
}

/// P(X > n) of a Poisson variable with this mean.
fn poisson_above(mean: f64, n: usize) -> f64 {
    let mut term = (-mean).exp();
    let mut below = term;
    for i in 1..=n {
        term *= mean / i as f64;
        below += term;
        if term < 1e-12 && i as f64 > mean {
            break;
        }
    }
    (1.0 - below).max(0.0)
}

/// What a repair and a shard cost, for [`risk_worth_taking`].
#[derive(Clone, Copy, Debug)]
pub struct Prices {
    /// Time until a repair arrives later than the loss, seconds.
    pub repair_s: f64,
    /// Time coding and decoding take, seconds.
    pub coding_s: f64,
    /// Time one packet occupies the link, seconds.
    pub packet_s: f64,
}

/// The risk at which one more parity shard delays the `waiting` samples behind it more than it saves; `None` when
/// repair is cheaper than coding.
pub fn risk_worth_taking(prices: Prices, waiting: usize) -> Option<f64> {
    let saved = prices.repair_s - prices.coding_s;
    if saved <= 0.0 {
        return None;
    }
    let risk = waiting as f64 * prices.packet_s / saved;
    (risk < HIGHEST_RISK).then_some(risk.max(LOWEST_RISK))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_percent_of_independent_loss_needs_about_forty_spare_packets_of_268() {
        let loss = Loss { share: 0.05, dispersion: 1.0 };
        let spare = loss.spare_for(268, 1e-6, 128);
        assert!((36..=41).contains(&spare), "{spare}");
        assert!(loss.risk(268 + spare, spare) <= 1e-6);
        assert!(loss.risk(268 + spare - 1, spare - 1) > 1e-6);
    }

    #[test]
    fn bursts_need_more_and_no_loss_needs_none() {
        let even = Loss { share: 0.05, dispersion: 1.0 };
        let bursty = Loss { share: 0.05, dispersion: 8.0 };
        assert!(bursty.spare_for(268, 1e-3, 128) > even.spare_for(268, 1e-3, 128) + 10);
        assert_eq!(Loss { share: 0.0, dispersion: 1.0 }.spare_for(268, 1e-6, 128), 0);
    }

    #[test]
    fn the_limit_bounds_what_is_given_however_bad_the_loss() {
        assert_eq!(Loss { share: 0.6, dispersion: 20.0 }.spare_for(10, 1e-6, 16), 16);
    }

    #[test]
    fn on_a_lan_repair_beats_parity_and_with_others_waiting_less_parity_is_worth_it() {
        let lan = Prices { repair_s: 0.0004, coding_s: 0.0006, packet_s: 12e-6 };
        assert_eq!(risk_worth_taking(lan, 3), None);
        let wan = Prices { repair_s: 0.054, coding_s: 0.0006, packet_s: 61e-6 };
        assert_eq!(risk_worth_taking(wan, 0), Some(LOWEST_RISK));
        let three = risk_worth_taking(wan, 3).unwrap();
        assert!((0.003..0.004).contains(&three), "{three}");
    }

    #[test]
    fn repairs_are_spared_for_one_round_where_another_would_be_long() {
        let bursty = Loss { share: 0.05, dispersion: 8.0 };
        assert_eq!(Expectation::All.to_send(10, 100), 10);
        let sent = Expectation::Less(bursty).to_send(10, 100);
        assert!((20..=50).contains(&sent), "two bursts of eight may come: {sent}");
        assert!(bursty.risk(sent, sent - 10) <= REPAIR_RISK);
        assert_eq!(Expectation::Less(bursty).to_send(10, 3), 13, "no more than was lost");
    }
}
