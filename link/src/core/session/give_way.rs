//! Samples that the path does not carry give way to newer ones of their own flow (LNK-12).

use super::Session;
use crate::core::grant::share;
use crate::core::outbox::OutFlow;
use crate::core::path::PathId;
use crate::core::scheduler::bytes_ahead;
use tokkyu_contract::{Class, MonoTime};

impl Session {
    /// Of flows of `class` at home on `on` that publish more than their share of the path, and could not send what waits before their
    /// next sample is due, only the newest samples stay. A flow that fits keeps all: what it waits for is a neighbour.
    pub(super) fn give_way(&mut self, now: MonoTime, class: Class, on: PathId) {
        let Some(at) = self.path_at(on) else { return };
        let ahead_bits = 8.0 * bytes_ahead(&self.flows, class, on) as f64;
        let wait_s = ahead_bits / self.paths[at].rate.rate_bps();
        let waits = |flow: &OutFlow| {
            flow.class == class
                && flow.home.path() == on
                && flow.period.is_some_and(|period| wait_s > period.as_secs_f64())
        };
        if !self.flows.iter().any(waits) {
            return;
        }
        self.judge(now, class, at);
        let lacking = self.flows.iter_mut().filter(|flow| flow.lacks_rate && waits(flow));
        let mut is_hungry = false;
        for flow in lacking {
            is_hungry = true;
            if flow.qos.lifespan.is_some() {
                flow.keep_newest(now);
            }
        }
        if is_hungry && class < Class::Background {
            self.paths[at].rate.on_hungry(now);
        }
    }

    /// Finds out which flows of `class` at home on the path at `at` publish more within their lifespan than their share of
    /// it carries. Control is on every path.
    fn judge(&mut self, now: MonoTime, class: Class, at: usize) {
        let path = &self.paths[at];
        let is_here = |flow: &OutFlow| flow.home.path() == path.id;
        let is_before =
            |flow: &&OutFlow| flow.class < class && (flow.class == Class::Control || is_here(flow));
        let demand = |flow: &OutFlow| flow.load.bps(now, flow.qos.lifespan);
        let before: f64 = self.flows.iter().filter(is_before).map(demand).sum();
        let of_class = self.flows.iter().filter(|flow| flow.class == class && is_here(flow));
        let demands: Vec<f64> = of_class.map(demand).collect();
        let shares = share((path.carried_bps() - before).max(0.0), &demands);
        let flows = self.flows.iter_mut().filter(|flow| flow.class == class && is_here(flow));
        for ((flow, demand), share) in flows.zip(demands).zip(shares) {
            flow.lacks_rate = demand > share;
        }
    }
}
