//! Which path a flow's samples go on (LNK-92).
//!
//! ```text
//!                 another carries it, and is better for two seconds
//!               ┌───────────────────────────────────────────────────┐
//!   at a path ──┤ the path does not carry it, another does          ├──► at that path
//!               └───────────────────────────────────────────────────┘
//!                 the path does not answer or went, another answers
//! ```

use super::path::PathId;
use std::time::Duration;
use tokkyu_contract::MonoTime;

/// A path must be better for so long: flows that move at each change of it would never have what a steady path gives.
const PATIENCE: Duration = Duration::from_secs(2);
/// And by so much.
const MARGIN: f64 = 1.25;
const LEAST_MARGIN: Duration = Duration::from_millis(5);
/// A path carries a flow still where it lacks less than this of it: the rate of a path is never known to the bit.
const ENOUGH: f64 = 0.9;
/// A path that carries a flow no more than the present one does is better by this only.
const MUCH_MORE: f64 = 2.0;

/// A path as it is offered to a flow.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    /// Which.
    pub path: PathId,
    /// Packets on it are answered.
    pub answers: bool,
    /// What it carries beside the flows before, bit/s on the wire.
    pub carries_bps: f64,
    /// How long a sample takes on it, what losses take included.
    pub cost: Duration,
}

/// Where a flow is at home.
#[derive(Clone, Copy, Debug, Default)]
pub struct Home {
    path: PathId,
    /// This path is better, since then.
    better: Option<(PathId, MonoTime)>,
}

impl Home {
    /// The path.
    pub fn path(&self) -> PathId {
        self.path
    }

    /// Looks at what is offered to a flow that asks for `demand_bps`, and moves there if that is due.
    pub fn look(&mut self, now: MonoTime, demand_bps: f64, offers: &[Offer]) {
        let own = offers.iter().find(|offer| offer.path == self.path);
        let others = || offers.iter().filter(|offer| offer.path != self.path && offer.answers);
        let carrying = others().filter(|offer| offer.carries_bps >= demand_bps);
        let best = carrying.min_by_key(|offer| offer.cost);
        let most = others().max_by(|a, b| a.carries_bps.total_cmp(&b.carries_bps));
        let next = match own {
            None => best.or(most).or(offers.first()),
            Some(own) if !own.answers => best.or(most),
            Some(own) if own.carries_bps < demand_bps * ENOUGH => {
                best.or(most.filter(|most| most.carries_bps > own.carries_bps * MUCH_MORE))
            }
            Some(own) => {
                let better = best.filter(|best| best.cost.mul_f64(MARGIN) + LEAST_MARGIN < own.cost);
                return self.on_better(now, better.map(|offer| offer.path));
            }
        };
        self.better = None;
        self.path = next.map_or(self.path, |offer| offer.path);
    }

    fn on_better(&mut self, now: MonoTime, better: Option<PathId>) {
        let since = self.better.filter(|(path, _)| Some(*path) == better).map_or(now, |(_, since)| since);
        self.better = better.map(|path| (path, since));
        if let Some(path) = better.filter(|_| now.since(since) >= PATIENCE) {
            *self = Home { path, better: None };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(path: u8, carries_mbit: f64, cost_ms: u64) -> Offer {
        let cost = Duration::from_millis(cost_ms);
        Offer { path: PathId(path), answers: true, carries_bps: carries_mbit * 1e6, cost }
    }

    fn silent(path: u8) -> Offer {
        Offer { answers: false, ..offer(path, 100.0, 1) }
    }

    /// Where a flow of 10 Mbit/s that was at home on path 0 is after looking at the same for `seconds`, each tenth of one.
    fn home_after(seconds: f64, offers: &[Offer]) -> u8 {
        let mut home = Home::default();
        (0..=(seconds * 10.0) as u64).for_each(|tenth| {
            home.look(MonoTime::from_millis(1_000 + tenth * 100), 10e6, offers);
        });
        home.path().0
    }

    #[test]
    fn a_path_that_does_not_answer_or_went_is_left_at_once_for_the_best_that_does() {
        for first in [&[silent(0)][..], &[]] {
            let with = |others: &[Offer]| home_after(0.0, &[first, others].concat());
            assert_eq!(with(&[offer(1, 20.0, 40), offer(2, 20.0, 30), offer(3, 9.0, 5)]), 2);
            assert_eq!(with(&[offer(1, 2.0, 40), offer(3, 9.0, 50)]), 3, "none carries it: the most");
            assert_eq!(with(&[silent(1), offer(2, 0.0, 9)]), 2);
        }
        assert_eq!(home_after(9.0, &[silent(0), silent(1)]), 0, "none answers");
        assert_eq!(home_after(0.0, &[silent(1), silent(2)]), 1, "it is there");
    }

    #[test]
    fn a_path_that_does_not_carry_a_flow_is_left_for_one_that_does_or_carries_much_more() {
        assert_eq!(home_after(0.0, &[offer(0, 8.9, 5), offer(1, 10.1, 90)]), 1);
        assert_eq!(home_after(9.0, &[offer(0, 9.1, 90), offer(1, 9.9, 5)]), 0, "carried, nearly");
        assert_eq!(home_after(9.0, &[offer(0, 4.0, 90), offer(1, 7.9, 5)]), 0);
        assert_eq!(home_after(0.0, &[offer(0, 4.0, 5), offer(1, 8.1, 90)]), 1);
    }

    #[test]
    fn a_better_path_is_taken_after_two_seconds_and_only_if_it_stays_better_and_carries_the_flow() {
        let (own, better) = (offer(0, 20.0, 40), offer(1, 20.0, 27));
        assert_eq!((home_after(1.9, &[own, better]), home_after(2.0, &[own, better])), (0, 1));
        assert_eq!(home_after(9.0, &[own, offer(1, 20.0, 28)]), 0, "by a quarter and 5 ms");
        assert_eq!(home_after(9.0, &[own, offer(1, 9.0, 5)]), 0);
        let mut home = Home::default();
        for tenth in 0..200 {
            let offers = if tenth % 15 == 0 { vec![own] } else { vec![own, better] };
            home.look(MonoTime::from_millis(tenth * 100), 10e6, &offers);
        }
        assert_eq!(home.path(), PathId(0), "it comes and goes");
    }
}
