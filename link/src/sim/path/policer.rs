//! Token-bucket policer: drops what exceeds a rate, delays nothing (RFC 2698's single-rate case without marking).
use core::time::Duration;

/// A policer at the entry of a direction. Counts frame bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policer {
    /// Rate at which the bucket fills, bit/s.
    pub rate_bps: u64,
    /// What the bucket holds, bytes. It starts full.
    pub bucket_bytes: u64,
}

/// The bucket of one path.
///
/// Tokens are counted in bit·ns/s (bits times 10⁹), the product of a rate and a span: no rounding, no drift.
pub(super) struct Bucket {
    policer: Policer,
    tokens: u128,
    filled_at: Duration,
}

const UNITS_PER_BYTE: u128 = 8 * 1_000_000_000;

impl Bucket {
    pub(super) fn new(policer: Policer) -> Self {
        Bucket { policer, tokens: full(policer), filled_at: Duration::ZERO }
    }

    /// Takes the tokens of a frame of `bytes` at time `at` since the start; false: the frame must be dropped.
    pub(super) fn admits(&mut self, at: Duration, bytes: u64) -> bool {
        let elapsed_ns = at.saturating_sub(self.filled_at).as_nanos();
        let gained = elapsed_ns.saturating_mul(u128::from(self.policer.rate_bps));
        self.tokens = self.tokens.saturating_add(gained).min(full(self.policer));
        self.filled_at = at;
        let price = u128::from(bytes) * UNITS_PER_BYTE;
        let admitted = self.tokens >= price;
        if admitted {
            self.tokens -= price;
        }
        admitted
    }
}

fn full(policer: Policer) -> u128 {
    u128::from(policer.bucket_bytes) * UNITS_PER_BYTE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_bucket_passes_at_once_and_then_only_the_rate() {
        let mut bucket = Bucket::new(Policer { rate_bps: 8_000_000, bucket_bytes: 10_000 });
        let admitted = (0..100).filter(|_| bucket.admits(Duration::ZERO, 1_000)).count();
        assert_eq!(admitted, 10, "the bucket holds ten frames");
        // 8 Mbit/s is one byte in a microsecond: a frame each millisecond, offered ten times as often.
        let admitted = (1..=10_000).filter(|n| bucket.admits(Duration::from_micros(n * 100), 1_000)).count();
        assert_eq!(admitted, 1_000);
    }

    #[test]
    fn an_idle_bucket_does_not_fill_beyond_its_size() {
        let mut bucket = Bucket::new(Policer { rate_bps: 1_000_000_000, bucket_bytes: 3_000 });
        let later = Duration::from_secs(3_600);
        let admitted = (0..10).filter(|_| bucket.admits(later, 1_000)).count();
        assert_eq!(admitted, 3);
    }
}
