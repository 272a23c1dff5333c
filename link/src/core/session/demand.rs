//! How much a flow publishes.

use tokkyu_contract::MonoTime;

/// How much a flow publishes, bit/s, smoothed over its last samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Demand {
    pub(super) bps: f64,
    pub(super) last: Option<MonoTime>,
}

impl Demand {
    pub(super) fn on_publish(&mut self, now: MonoTime, bytes: usize) {
        if let Some(last) = self.last.replace(now) {
            let seconds = now.since(last).as_secs_f64().max(1e-4);
            let sample = bytes as f64 * 8.0 / seconds;
            self.bps = if self.bps == 0.0 { sample } else { self.bps * 0.8 + sample * 0.2 };
        }
    }
}
