//! Which packets are lost: counted in packets, not in time, so that a seed gives one pattern at any speed.
use super::chance::Stream;

/// How a direction loses packets. Shares and probabilities are 0.0 to 1.0.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Loss {
    /// Nothing is lost.
    #[default]
    None,
    /// Every packet on its own.
    Uniform {
        /// Share of the packets lost.
        share: f64,
    },
    /// Bursts of exactly `length` packets in a row, at random places, at least one packet apart.
    Bursts {
        /// Share of the packets lost on average; at most `length / (length + 1)`.
        share: f64,
        /// Packets lost in each burst.
        length: u32,
    },
    /// The four-parameter model of Gilbert (1960) and Elliott (1963): a two-state chain that moves before each packet.
    GilbertElliott {
        /// Probability to fall from the good state into the bad one, for each packet.
        good_to_bad: f64,
        /// Probability to recover, for each packet: mean stay in the bad state is its reciprocal.
        bad_to_good: f64,
        /// Share lost in the good state.
        loss_good: f64,
        /// Share lost in the bad state.
        loss_bad: f64,
    },
}

impl Loss {
    /// The share of packets lost in the long run.
    pub fn average(&self) -> f64 {
        match *self {
            Loss::None => 0.0,
            Loss::Uniform { share } | Loss::Bursts { share, .. } => share,
            Loss::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => {
                let moves = good_to_bad + bad_to_good;
                let bad = if moves > 0.0 { good_to_bad / moves } else { 0.0 };
                bad * loss_bad + (1.0 - bad) * loss_good
            }
        }
    }
}

/// Why the loss process took a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Random,
    Burst,
}

/// A loss process: asked once for each packet, in order.
pub(super) struct LossProcess {
    stream: Stream,
    state: State,
}

enum State {
    None,
    Uniform {
        share: f64,
    },
    Bursts {
        /// Probability that a packet outside a burst begins one.
        start: f64,
        length: u32,
        left: u32,
        /// The packet after a burst always passes: two bursts that touch would be one of twice the length.
        must_pass: bool,
    },
    GilbertElliott {
        good_to_bad: f64,
        bad_to_good: f64,
        loss_good: f64,
        loss_bad: f64,
        bad: bool,
    },
}

impl LossProcess {
    pub(super) fn new(loss: &Loss, stream: Stream) -> Self {
        let state = match *loss {
            Loss::None => State::None,
            Loss::Uniform { share } => State::Uniform { share },
            Loss::Bursts { share, length } => {
                State::Bursts { start: burst_start(share, length), length, left: 0, must_pass: false }
            }
            Loss::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => {
                State::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad, bad: false }
            }
        };
        LossProcess { stream, state }
    }

    /// The next packet's verdict. Draws the same number of values for every packet of one process.
    pub(super) fn next(&mut self) -> Option<Taken> {
        match &mut self.state {
            State::None => None,
            State::Uniform { share } => self.stream.hits(*share).then_some(Taken::Random),
            State::Bursts { start, length, left, must_pass } => {
                let starts = self.stream.hits(*start);
                next_of_bursts(starts, *length, left, must_pass).then_some(Taken::Burst)
            }
            State::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad, bad } => {
                let moves = self.stream.hits(if *bad { *bad_to_good } else { *good_to_bad });
                *bad ^= moves;
                let lost = self.stream.hits(if *bad { *loss_bad } else { *loss_good });
                lost.then_some(if *bad { Taken::Burst } else { Taken::Random })
            }
        }
    }
}

/// The start probability that makes bursts of `length` take `share` of the packets.
///
/// A gap has one packet that must pass and then a geometric number of others: mean 1/q. The share is
/// length / (length + 1/q), hence q = share / (length · (1 − share)).
fn burst_start(share: f64, length: u32) -> f64 {
    share / (f64::from(length) * (1.0 - share))
}

fn next_of_bursts(starts: bool, length: u32, left: &mut u32, must_pass: &mut bool) -> bool {
    if *left == 0 && starts && !*must_pass {
        *left = length;
    }
    *must_pass = *left == 1;
    let lost = *left > 0;
    *left = left.saturating_sub(1);
    lost
}

#[cfg(test)]
mod tests {
    use super::super::chance::{Stream, StreamId};
    use super::*;

    const PACKETS: usize = 100_000;

    fn pattern(loss: &Loss, seed: u64) -> Vec<bool> {
        let mut process = LossProcess::new(loss, Stream::new(seed, StreamId::Loss));
        (0..PACKETS).map(|_| process.next().is_some()).collect()
    }

    fn share(pattern: &[bool]) -> f64 {
        pattern.iter().filter(|lost| **lost).count() as f64 / pattern.len() as f64
    }

    fn runs(pattern: &[bool]) -> Vec<usize> {
        pattern.split(|lost| !lost).map(<[bool]>::len).filter(|len| *len > 0).collect()
    }

    #[test]
    fn uniform_loss_takes_its_share_and_no_longer_runs_than_chance_gives() {
        let pattern = pattern(&Loss::Uniform { share: 0.05 }, 1);
        assert!((share(&pattern) - 0.05).abs() < 0.003, "{}", share(&pattern));
        let runs = runs(&pattern);
        let mean_run = runs.iter().sum::<usize>() as f64 / runs.len() as f64;
        assert!((mean_run - 1.0 / 0.95).abs() < 0.02, "independent losses: mean run {mean_run}");
    }

    #[test]
    fn every_burst_has_exactly_its_length_and_the_average_holds() {
        for (share_wanted, length) in [(0.05, 8), (0.01, 8), (0.3, 3), (0.05, 1)] {
            let mut pattern = pattern(&Loss::Bursts { share: share_wanted, length }, 2);
            // The last burst may be cut by the end of the sample.
            pattern.truncate(pattern.len() - pattern.iter().rev().take_while(|lost| **lost).count());
            assert!(runs(&pattern).iter().all(|run| *run == length as usize), "{share_wanted} {length}");
            let tolerance = 0.1 * share_wanted;
            assert!(
                (share(&pattern) - share_wanted).abs() < tolerance,
                "{share_wanted}: {}",
                share(&pattern)
            );
        }
    }

    #[test]
    fn gilbert_elliott_has_its_long_run_average_and_burst_length() {
        let loss =
            Loss::GilbertElliott { good_to_bad: 0.01, bad_to_good: 0.2, loss_good: 0.0, loss_bad: 1.0 };
        let pattern = pattern(&loss, 3);
        assert!((share(&pattern) - loss.average()).abs() < 0.005, "{} {}", share(&pattern), loss.average());
        let runs = runs(&pattern);
        let mean_run = runs.iter().sum::<usize>() as f64 / runs.len() as f64;
        assert!((mean_run - 5.0).abs() < 0.5, "mean stay in the bad state is 1/0.2: {mean_run}");
    }
}
