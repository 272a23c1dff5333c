//! Samples that the path does not carry give way to newer ones of their own flow (LNK-12).

use super::Session;
use crate::core::grant::share;
use crate::core::outbox::OutFlow;
use crate::core::scheduler::bytes_ahead;
use tokkyu_contract::{Class, MonoTime};

impl Session {
    /// Of flows of `class` that publish more than their share of the path, and could not send what waits before their
    /// next sample is due, only the newest samples stay. A flow that fits keeps all: what it waits for is a neighbour.
    pub(super) fn give_way(&mut self, now: MonoTime, class: Class) {
        let ahead_bits = 8.0 * bytes_ahead(&self.flows, class) as f64;
        let wait_s = ahead_bits / self.rate.rate_bps();
        let waits = |flow: &OutFlow| {
            flow.class == class && flow.period.is_some_and(|period| wait_s > period.as_secs_f64())
        };
        if !self.flows.iter().any(waits) {
            return;
        }
        self.judge(now, class);
        let lacking = self.flows.iter_mut().filter(|flow| flow.lacks_rate && waits(flow));
        let mut is_hungry = false;
        for flow in lacking {
            is_hungry = true;
            if flow.qos.lifespan.is_some() {
                flow.keep_newest(now);
            }
        }
        if is_hungry && class < Class::Background {
            self.rate.on_hungry(now);
        }
    }

    /// Finds out which flows of `class` publish more within their lifespan than their share of the path carries in it.
    fn judge(&mut self, now: MonoTime, class: Class) {
        let demand = |flow: &OutFlow| flow.load.bps(now, flow.qos.lifespan);
        let before: f64 = self.flows.iter().filter(|flow| flow.class < class).map(demand).sum();
        let demands: Vec<f64> = self.flows.iter().filter(|flow| flow.class == class).map(demand).collect();
        let shares = share((self.carried_bps() - before).max(0.0), &demands);
        let flows = self.flows.iter_mut().filter(|flow| flow.class == class);
        for ((flow, demand), share) in flows.zip(demands).zip(shares) {
            flow.lacks_rate = demand > share;
        }
    }

    /// What of the path's rate is left for first transmissions: parity and repairs take about the loss, its chance
    /// included, once more.
    fn carried_bps(&self) -> f64 {
        self.rate.known_bps() * (1.0 - 2.0 * self.loss.share()).max(0.2)
    }

    /// The same in bytes of payload that fill their packets.
    pub(super) fn payload_bps(&self) -> f64 {
        let datagram = self.packets.in_force() as f64;
        self.carried_bps() * datagram / (datagram + self.config.overhead_bytes as f64)
    }
}
