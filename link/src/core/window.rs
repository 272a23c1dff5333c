//! How much may be unanswered (LNK-67): pacing alone goes on at yesterday's rate when the path stops carrying, and what
//! it sends then stands in front of everything that comes after.

use std::time::Duration;

/// Packets that may always be unanswered, or a slow path could not be measured.
const LEAST_PACKETS: u64 = 8;
/// A queue of a quarter of this is let stand on paths with a shorter round trip: hosts answer late by so much.
const SHORTEST_ROUND_TRIP: Duration = Duration::from_millis(8);

/// The times that a packet may be unanswered for good reason.
#[derive(Clone, Copy, Debug)]
pub struct Delays {
    /// The path's round trip without queues.
    pub min_rtt: Duration,
    /// What jitter, queues of others and the queue on the way back add.
    pub extra: Duration,
}

/// A queue of this length is let stand; a longer one that others keep is worth a contest (LNK-68).
pub fn queue_let_stand(min_rtt: Duration) -> Duration {
    min_rtt.max(SHORTEST_ROUND_TRIP) / 4
}

/// Bytes that may be unanswered at `rate_bps`: what the path holds, and a queue of a quarter of its round trip.
pub fn most_unanswered(rate_bps: f64, delays: Delays, packet_bytes: usize) -> u64 {
    let span = delays.min_rtt + queue_let_stand(delays.min_rtt) + delays.extra;
    (LEAST_PACKETS * packet_bytes as u64).max((rate_bps / 8.0 * span.as_secs_f64()) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_holds_what_the_path_holds_and_the_queue_allowed() {
        let ms = Duration::from_millis;
        assert_eq!(most_unanswered(80e6, Delays { min_rtt: ms(40), extra: ms(7) }, 1_500), 570_000);
        assert_eq!(most_unanswered(80e6, Delays { min_rtt: ms(1), extra: ms(0) }, 1_500), 30_000);
        assert_eq!(most_unanswered(64e3, Delays { min_rtt: ms(40), extra: ms(0) }, 9_000), 72_000);
    }
}
