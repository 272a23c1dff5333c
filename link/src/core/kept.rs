//! Samples of a `transient_local` publication that a late joiner gets (LNK-14): the newest `depth`, alive, within a bound.

use bytes::Bytes;
use std::collections::VecDeque;
use std::time::Duration;
use tokkyu_contract::{MonoTime, Qos};

/// Most samples kept of a flow that keeps all: a receiver tells no more apart (LNK-9).
const MOST_SAMPLES: usize = 8_192;
/// What an entry takes beside its payload.
const ENTRY_BYTES: usize = 64;

/// Capture and payload of each, oldest first.
#[derive(Debug, Default)]
pub struct Kept {
    samples: VecDeque<(MonoTime, Bytes)>,
    bytes: usize,
}

impl Kept {
    /// Keeps one more; older ones go as `qos` and `limit_bytes` demand.
    pub fn push(&mut self, now: MonoTime, capture: MonoTime, payload: Bytes, qos: &Qos, limit_bytes: usize) {
        self.bytes += cost(&payload);
        self.samples.push_back((capture, payload));
        let depth = qos.depth().map_or(MOST_SAMPLES, |depth| depth as usize);
        let lifespan = qos.lifespan.unwrap_or(Duration::MAX);
        while let Some((oldest, _)) = self.samples.front() {
            if self.samples.len() <= depth && *oldest + lifespan > now && self.bytes <= limit_bytes {
                break;
            }
            self.bytes -= self.samples.pop_front().map_or(0, |(_, payload)| cost(&payload));
        }
    }

    /// Our clock stood for `span`: what is kept is older by as much.
    pub fn on_suspended(&mut self, span: Duration) {
        self.samples.iter_mut().for_each(|(capture, _)| *capture = capture.saturating_sub(span));
    }

    /// Those still alive, oldest first.
    pub fn alive(&self, now: MonoTime, qos: &Qos) -> Vec<(MonoTime, Bytes)> {
        let alive = |capture: &MonoTime| qos.lifespan.is_none_or(|span| *capture + span > now);
        self.samples.iter().filter(|(capture, _)| alive(capture)).cloned().collect()
    }

    /// Number of samples.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// None is kept.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Bytes they take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

fn cost(payload: &Bytes) -> usize {
    payload.len() + ENTRY_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokkyu_contract::History;

    fn kept(qos: &Qos, sizes: &[usize], limit_bytes: usize) -> Vec<usize> {
        let mut kept = Kept::default();
        for (at, bytes) in sizes.iter().enumerate() {
            let now = MonoTime::from_millis(at as u64);
            kept.push(now, now, vec![0; *bytes].into(), qos, limit_bytes);
        }
        let now = MonoTime::from_millis(sizes.len() as u64);
        kept.alive(now, qos).iter().map(|(_, payload)| payload.len()).collect()
    }

    #[test]
    fn the_newest_stay_within_depth_bytes_and_lifespan() {
        let last = |depth| Qos { history: History::KeepLast { depth }, ..Qos::default() };
        assert_eq!(kept(&last(2), &[1, 2, 3], 1_000), [2, 3]);
        assert_eq!(kept(&last(9), &[100, 200, 300], 700), [200, 300]);
        let short = Qos { lifespan: Some(Duration::from_millis(2)), ..last(9) };
        assert_eq!(kept(&short, &[1, 2, 3], 1_000), [3]);
    }
}
