//! Networks made up from a seed: every way to hurt a packet, mixed.

use super::{both, ms};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;
use tokkyu_link::sim::path::{Capacity, CapacityTrace, DirectionProfile, Loss, Policer, Profile, Reorder};

/// Draws for tests.
pub struct Draw(Pcg64Mcg);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Draw(Pcg64Mcg::seed_from_u64(seed))
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound.max(1)
    }

    /// Uniform in 0.0 ≤ x < `most`.
    pub fn share(&mut self, most: f64) -> f64 {
        most * self.below(1 << 30) as f64 / f64::from(1 << 30)
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.below(256) as u8).collect()
    }
}

/// Rates a made-up link has, Mbit/s.
const RATES: [u64; 9] = [1, 2, 5, 10, 25, 50, 100, 300, 1000];

/// A network and the mean rate of its image direction, bit/s.
pub fn made_up(seed: u64) -> (Profile, f64) {
    let mut draw = Draw::new(seed);
    let bps = RATES[draw.below(RATES.len() as u64) as usize] * 1_000_000;
    let up = direction(&mut draw, bps);
    let down = direction(&mut draw, bps);
    let mut profile = both("made up", up);
    profile.down = down;
    profile.check().expect("a usable profile");
    (profile, bps as f64)
}

fn direction(draw: &mut Draw, bps: u64) -> DirectionProfile {
    let delay = Duration::from_micros(100 + draw.below(100) * draw.below(1_000));
    let queue = (bps / 8_000 * (5 + draw.below(200))).max(3_000);
    let mut made = DirectionProfile::link(bps, delay, queue).with_loss(loss(draw));
    if draw.one_in(3) {
        made.jitter = delay / 2;
    }
    if draw.one_in(3) {
        made.reorder = Reorder { share: draw.share(0.05), extra_delay: ms(draw.below(20)) };
    }
    if draw.one_in(4) {
        made.duplicate_share = draw.share(0.1);
    }
    if draw.one_in(4) {
        made.corrupt_share = draw.share(0.03);
    }
    if draw.one_in(5) {
        made.policer = Some(Policer { rate_bps: bps / 2, bucket_bytes: 10_000 + draw.below(100_000) });
    }
    if draw.one_in(5) {
        made.capacity = Capacity::Trace(Arc::new(trace(draw, bps)));
    }
    for _ in 0..draw.below(3) {
        let from = ms(draw.below(4_000));
        made = made.with_outage(from, from + ms(50 + draw.below(1_500)));
    }
    made
}

fn loss(draw: &mut Draw) -> Loss {
    match draw.below(5) {
        0 => Loss::None,
        1 | 2 => Loss::Uniform { share: draw.share(0.2) },
        3 => Loss::Bursts { share: draw.share(0.1), length: 2 + draw.below(20) as u32 },
        _ => Loss::GilbertElliott {
            good_to_bad: draw.share(0.02),
            bad_to_good: 0.05 + draw.share(0.5),
            loss_good: draw.share(0.02),
            loss_bad: 0.3 + draw.share(0.7),
        },
    }
}

/// A capacity that wanders between nothing and twice `bps`, two seconds long.
pub fn trace(draw: &mut Draw, bps: u64) -> CapacityTrace {
    let mean_slots = bps as f64 / 8.0 / 1_500.0 / 1_000.0;
    let (mut text, mut share, mut owed) = (String::new(), 1.0, 0.0);
    for at_ms in 1..=2_000u32 {
        share = (share + draw.share(0.2) - 0.1_f64).clamp(0.0, 2.0);
        owed += share * mean_slots;
        while owed >= 1.0 {
            owed -= 1.0;
            writeln!(text, "{at_ms}").expect("writing to a string");
        }
    }
    text.push_str("2001\n");
    CapacityTrace::parse(text.as_bytes()).expect("a trace in order")
}
