//! Spikes, and whether they come back at a period (LAB-92): work that is put off and done for every so many samples shows so, as in the paper on mROS.

/// A spike takes more than so many times the mean of its round; the paper's word.
const TIMES_MEAN: u64 = 2;
/// A period is one that comes round at least so often.
const OCCURRENCES: usize = 5;

/// The spikes of one round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spikes {
    /// How many there are.
    pub count: u64,
    /// Of the period that they keep best: the share of its occurrences that are spikes, from 0 to 1. `None`: the round is too short for any.
    pub periodic: Option<f64>,
}

impl Spikes {
    /// Of samples in the order in which they were sent; `None`: one that did not arrive, which is no spike.
    pub fn of(times_ns: &[Option<u64>]) -> Spikes {
        let arrived = times_ns.iter().flatten();
        let (sum, n) = (arrived.clone().map(|&time| u128::from(time)).sum::<u128>(), arrived.count());
        // More than so many times the mean, without dividing.
        let is_spike = |time: u64| u128::from(time) * n as u128 > u128::from(TIMES_MEAN) * sum;
        let spikes: Vec<bool> = times_ns.iter().map(|time| time.is_some_and(is_spike)).collect();
        let count = spikes.iter().filter(|&&is_spike| is_spike).count() as u64;
        let periods = 2..=spikes.len() / OCCURRENCES;
        Spikes { count, periodic: periods.map(|period| kept(&spikes, period)).reduce(f64::max) }
    }
}

/// How well the spikes keep a period, wherever in it they begin.
fn kept(spikes: &[bool], period: usize) -> f64 {
    let shares = (0..period).map(|first| {
        let occurrences = spikes[first..].iter().step_by(period);
        let (all, hits) =
            occurrences.fold((0, 0), |(all, hits), &is_spike| (all + 1, hits + u32::from(is_spike)));
        f64::from(hits) / f64::from(all)
    });
    shares.reduce(f64::max).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 80 samples of 10 µs, those that are told of 25 µs.
    fn with_spikes(at: impl Fn(usize) -> bool) -> Spikes {
        let times: Vec<_> = (0..80).map(|number| Some(if at(number) { 25_000 } else { 10_000 })).collect();
        Spikes::of(&times)
    }

    #[test]
    fn what_comes_back_at_a_period_is_found_wherever_it_begins() {
        for (period, first) in [(10, 3), (16, 15), (7, 0)] {
            let spikes = with_spikes(|number| number % period == first);
            assert_eq!(spikes.periodic, Some(1.0), "every {period}th from {first}");
        }
        // One of eight is left out.
        let most = with_spikes(|number| number % 10 == 3 && number != 43);
        assert_eq!(most, Spikes { count: 7, periodic: Some(0.875) });
    }

    #[test]
    fn what_comes_now_and_then_is_not_periodic() {
        let spikes = with_spikes(|number| [4, 17, 61].contains(&number));
        assert_eq!(spikes.count, 3);
        assert!(spikes.periodic.unwrap() <= 0.4, "{spikes:?}");
        assert_eq!(with_spikes(|_| false), Spikes { count: 0, periodic: Some(0.0) });
    }

    #[test]
    fn a_sample_that_is_lost_is_no_spike_and_a_short_round_has_no_period() {
        let mut times = vec![Some(10); 9];
        times[4] = None;
        assert_eq!(Spikes::of(&times), Spikes { count: 0, periodic: None });
        times.push(Some(24));
        assert_eq!(Spikes::of(&times).count, 1);
        assert_eq!(Spikes::of(&[]), Spikes::default());
    }
}
