//! What a flow asks of the path: what it publishes within its lifespan, by which it is judged whether it fits (LNK-12).

use std::time::Duration;
use tokkyu_contract::MonoTime;

/// The span that a flow without a lifespan is judged by.
const NO_LIFESPAN: Duration = Duration::from_secs(1);

/// Bits published, each fading within a lifespan: a burst that the path carries within it is no overload, however short
/// the time between its samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    bits: f64,
    /// The newest sample: it counts half, as on average between two.
    newest_bits: f64,
    last: Option<MonoTime>,
}

impl Load {
    /// A sample that takes `bytes` on the wire is published. The first of a flow whose period is declared counts as if others had been
    /// before it, so that cameras that do not fit give way from the first second on.
    pub fn on_publish(
        &mut self,
        now: MonoTime,
        bytes: usize,
        lifespan: Option<Duration>,
        declared: Option<Duration>,
    ) {
        self.newest_bits = 8.0 * bytes as f64;
        self.bits = match (self.last.replace(now), declared) {
            (Some(last), _) => self.bits * faded(now.since(last), lifespan) + self.newest_bits,
            (None, Some(period)) => self.newest_bits / (1.0 - faded(period, lifespan)).max(1e-3),
            (None, None) => self.newest_bits,
        };
    }

    /// Bit/s on the wire that it asks for.
    pub fn bps(&self, now: MonoTime, lifespan: Option<Duration>) -> f64 {
        let Some(last) = self.last else { return 0.0 };
        let left = faded(now.since(last), lifespan);
        (self.bits - self.newest_bits / 2.0) * left / judged_by(lifespan).as_secs_f64()
    }
}

fn judged_by(lifespan: Option<Duration>) -> Duration {
    lifespan.unwrap_or(NO_LIFESPAN).max(Duration::from_millis(1))
}

/// What is left after `span`.
fn faded(span: Duration, lifespan: Option<Duration>) -> f64 {
    (-span.div_duration_f64(judged_by(lifespan))).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF_A_SECOND: Option<Duration> = Some(Duration::from_millis(500));

    fn at(ms: u64) -> MonoTime {
        MonoTime::from_millis(1_000 + ms)
    }

    fn mbit(load: &Load, now: MonoTime) -> f64 {
        load.bps(now, HALF_A_SECOND) / 1e6
    }

    #[test]
    fn a_camera_asks_for_what_it_publishes_and_one_whose_period_is_declared_does_at_once() {
        for declared in [None, Some(Duration::from_millis(100))] {
            let mut load = Load::default();
            for picture in 0..30 {
                load.on_publish(at(picture * 100), 375_000, HALF_A_SECOND, declared);
                if picture >= 20 || declared.is_some() {
                    assert!((29.0..31.0).contains(&mbit(&load, at(picture * 100))), "{}", mbit(&load, at(0)));
                }
            }
            assert!(mbit(&load, at(2_900 + 2_500)) < 1.0, "a flow that pauses asks for nothing");
        }
    }

    #[test]
    fn a_burst_asks_for_no_more_than_its_bits_within_the_lifespan() {
        let mut load = Load::default();
        (0..10).for_each(|sample| load.on_publish(at(sample), 6_250, HALF_A_SECOND, None));
        assert!((0.9..1.0).contains(&mbit(&load, at(10))), "500 kbit in 500 ms: {}", mbit(&load, at(10)));
    }
}
