//! The ideal every run is compared with: serialisation, propagation, and repair by a sender that knows each loss one
//! round trip after sending, resends at once and needs no time itself. Without parity or with as much as makes a
//! shortfall a matter of 10⁻⁶, whichever has the better mean.
//!
//! One picture after the other from the tick on; packets and headers as the link's own. It does not adapt, so it exists
//! only where the path has one rate, and the pictures fit.

use super::drive::Workload;
use super::network::FRAME_OVERHEAD;
use super::path::{Capacity, Direction, Fate, Path, Profile};
use crate::core::SessionConfig;
use crate::core::parity::Loss;
use crate::wire::{Frame, HEADER_LEN};
use std::collections::VecDeque;
use std::time::Duration;
use tokkyu_contract::MonoTime;

/// Preamble, checksum and gap of an Ethernet frame.
const ETHERNET_GAP: usize = 24;

/// Latency nothing can beat by much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ideal {
    /// Mean over all pictures.
    pub mean: Duration,
    /// Worst picture.
    pub worst: Duration,
    /// Parity packets of a picture that gave it; 0 is repair alone.
    pub parity: usize,
}

struct Shape {
    k: usize,
    frame_bytes: usize,
    packet_time: Duration,
    round_trip: Duration,
}

/// One picture on its way.
#[derive(Clone, Default)]
struct Picture {
    unsent: usize,
    /// Sent and not known to be lost.
    hoped_for: usize,
    arrived: usize,
    done: Option<MonoTime>,
}

/// The ideal of `workload` on `profile`, with the losses of `seed`; the first `warm_up` pictures of a camera left out
/// as in a run. None where the path has no single rate or the pictures do not fit it.
pub fn ideal(profile: &Profile, seed: u64, workload: &Workload, warm_up: u32) -> Option<Ideal> {
    let Capacity::Rate { bps, ref changes } = profile.up.capacity else { return None };
    if !changes.is_empty() || bps == 0 {
        return None;
    }
    let shape = Shape::new(profile, bps, workload);
    let fits = shape.packet_time * (shape.k * workload.images) as u32 <= workload.image_period;
    if !fits {
        return None;
    }
    let loss = Loss { share: offered_loss(profile, seed), dispersion: 1.0 };
    let with_parity = loss.spare_for(shape.k, 1e-6, 128);
    [0, with_parity]
        .into_iter()
        .map(|parity| run(profile, seed, workload, &shape, parity, warm_up))
        .min_by_key(|ideal| ideal.mean)
}

impl Shape {
    fn new(profile: &Profile, bps: u64, workload: &Workload) -> Self {
        let datagram = SessionConfig::default().max_datagram;
        let shard = (datagram - HEADER_LEN - Frame::FRAGMENT_OVERHEAD) & !1;
        let frame_bytes = datagram + FRAME_OVERHEAD;
        let bits = 8 * (frame_bytes + ETHERNET_GAP) as u64;
        Shape {
            k: (workload.image_bytes + 4).div_ceil(shard),
            frame_bytes,
            packet_time: Duration::from_nanos(bits * 1_000_000_000 / bps),
            round_trip: profile.up.delay + profile.down.delay,
        }
    }
}

/// Share of packets the path loses by itself.
fn offered_loss(profile: &Profile, seed: u64) -> f64 {
    const TRIALS: u32 = 20_000;
    let mut path: Path<()> = profile.path(Direction::Up, seed, MonoTime::ZERO);
    let gone = (0..TRIALS)
        .filter(|n| path.offer(MonoTime::from_millis(u64::from(*n)), 1000, ()) == Fate::Gone)
        .count();
    gone as f64 / f64::from(TRIALS)
}

fn run(
    profile: &Profile,
    seed: u64,
    workload: &Workload,
    shape: &Shape,
    parity: usize,
    warm_up: u32,
) -> Ideal {
    let mut path: Path<()> = profile.path(Direction::Up, seed, MonoTime::ZERO);
    let (mut sum, mut worst, mut count) = (Duration::ZERO, Duration::ZERO, 0u32);
    for tick in 0..workload.samples {
        let start = MonoTime::ZERO + workload.image_period * tick;
        for done in send_round(&mut path, start, workload.images, shape, parity) {
            if tick >= warm_up {
                let latency = done.since(start);
                (sum, worst, count) = (sum + latency, worst.max(latency), count + 1);
            }
        }
    }
    Ideal { mean: sum / count.max(1), worst, parity }
}

/// Sends the pictures of one tick; gives when each is complete.
fn send_round(
    path: &mut Path<()>,
    start: MonoTime,
    images: usize,
    shape: &Shape,
    parity: usize,
) -> Vec<MonoTime> {
    let fresh = Picture { unsent: shape.k + parity, ..Picture::default() };
    let mut pictures = vec![fresh; images];
    let mut losses: VecDeque<(MonoTime, usize)> = VecDeque::new(); // when known, of which picture
    let mut repairs: VecDeque<usize> = VecDeque::new();
    let mut now = start;
    loop {
        while losses.front().is_some_and(|(known, _)| *known <= now) {
            let (_, of) = losses.pop_front().expect("just seen");
            pictures[of].hoped_for -= 1;
            if pictures[of].is_short(shape.k) {
                repairs.push_back(of);
            }
        }
        let Some(of) = repairs.pop_front().or_else(|| take_fresh(&mut pictures)) else {
            // Everything is out: wait until the next loss is known.
            let Some((known, _)) = losses.front() else { break };
            now = *known;
            continue;
        };
        now += shape.packet_time;
        pictures[of].hoped_for += 1;
        match path.offer(now, shape.frame_bytes, ()) {
            Fate::Gone => losses.push_back((now + shape.round_trip, of)),
            Fate::Carried { .. } => pictures[of].arrive(now + shape.round_trip / 2, shape.k),
        }
    }
    pictures.into_iter().filter_map(|picture| picture.done).collect()
}

/// The first picture with packets not sent yet.
fn take_fresh(pictures: &mut [Picture]) -> Option<usize> {
    let of = pictures.iter().position(|picture| picture.unsent > 0)?;
    pictures[of].unsent -= 1;
    Some(of)
}

impl Picture {
    fn arrive(&mut self, at: MonoTime, k: usize) {
        self.arrived += 1;
        if self.arrived == k {
            self.done = Some(at);
        }
    }

    /// What may still arrive and what is still to be sent do not make it whole.
    fn is_short(&self, k: usize) -> bool {
        self.hoped_for + self.unsent < k
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::Qos;

    fn of(network: &str) -> Ideal {
        let workload = Workload::paper(4, 120, Qos::default());
        ideal(&Profile::named(network).unwrap(), 1, &workload, 20).expect("fits")
    }

    fn ms(span: Duration) -> f64 {
        span.as_secs_f64() * 1e3
    }

    #[test]
    fn without_loss_it_is_serialisation_and_propagation() {
        let ideal = of("lan");
        let image_ms = 266.0 * (1434.0 + 73.0 + 24.0) * 8.0 / 1e6;
        assert!((ms(ideal.mean) - (2.5 * image_ms + 0.1)).abs() < 0.01, "{ideal:?}");
        assert!((ms(ideal.worst) - (4.0 * image_ms + 0.1)).abs() < 0.01, "{ideal:?}");
        assert_eq!(ideal.parity, 0);
    }

    #[test]
    fn with_a_long_round_trip_parity_beats_repair_and_on_a_lan_it_does_not() {
        assert_eq!(of("lan-loss5").parity, 0);
        let wan = of("wan-loss5");
        assert!(wan.parity > 20, "{wan:?}");
        assert!((66.0..72.0).contains(&ms(wan.mean)) && (92.0..99.0).contains(&ms(wan.worst)), "{wan:?}");
    }

    #[test]
    fn pictures_that_do_not_fit_have_no_ideal() {
        let workload = Workload::paper(4, 10, Qos::default());
        assert_eq!(ideal(&Profile::named("narrow").unwrap(), 1, &workload, 0), None);
    }
}
