//! Paths that come and go, and what moves with them (LNK-90 to LNK-94).

use super::Session;
use super::stats::PathStats;
use crate::core::event::Event;
use crate::core::grant::KEPT_BACK;
use crate::core::home::Offer;
use crate::core::outbox::OutFlow;
use crate::core::path::{Path, PathConfig, PathId};
use crate::core::sample::Cut;
use tokkyu_contract::{Class, MonoTime};

impl Session {
    /// A connection of the carrier is up that is path `id`, or is it again: then nothing of what was sent on the one
    /// before comes any more.
    pub fn open_path(&mut self, now: MonoTime, id: PathId, config: &PathConfig) {
        self.start(now);
        if config.wants_parity() {
            self.codec.warm_up();
        }
        let mut path = Path::new(id, config);
        path.monitor.begin(now);
        let at = self.paths.partition_point(|other| other.id < id);
        match self.path_at(id) {
            Some(at) => {
                self.paths[at] = path;
                self.leave_path(id);
            }
            None => self.paths.insert(at, path),
        }
        self.count_paths();
        self.look_at_homes(now);
        self.events.push_back(Event::PathUp { path: id });
    }

    /// The connection that was path `id` is gone. The last one is not given up: with it the session is over, which
    /// [`Session::close`] ends.
    pub fn close_path(&mut self, now: MonoTime, id: PathId) {
        let Some(at) = self.path_at(id).filter(|_| self.paths.len() > 1) else { return };
        self.paths.remove(at);
        self.count_paths();
        self.look_at_homes(now);
        self.leave_path(id);
        self.events.push_back(Event::PathDown { path: id });
    }

    fn count_paths(&mut self) {
        let is_alone = self.paths.len() == 1;
        self.paths.iter_mut().for_each(|path| path.monitor.set_alone(is_alone));
    }

    /// Nothing of what went on `id` comes any more.
    fn leave_path(&mut self, id: PathId) {
        for at in 0..self.flows.len() {
            let cut = self.cut(at);
            self.flows[at].leave_path(id, cut);
        }
        self.report_ended();
    }

    /// What becomes of the paths by the time: one that does not answer falls silent (LNK-65, LNK-93).
    pub(super) fn watch_paths(&mut self, now: MonoTime) {
        let has_several = self.paths.len() > 1;
        let mut falls = false;
        for path in &mut self.paths {
            if path.monitor.on_tick(now, path.rtt.smoothed()) && has_several {
                falls = true;
                self.events.push_back(Event::PathSilent { path: path.id });
            }
        }
        if falls {
            self.look_at_homes(now);
        }
    }

    /// A path that was silent answers.
    pub(super) fn on_path_answers(&mut self, now: MonoTime, at: usize) {
        if self.paths.len() > 1 {
            self.events.push_back(Event::PathAnswers { path: self.paths[at].id });
            self.look_at_homes(now);
        }
    }

    /// Moves flows to other paths where that is due (LNK-92), and what has begun on paths that do not answer (LNK-93).
    pub(super) fn look_at_homes(&mut self, now: MonoTime) {
        let first = self.paths[0].id;
        if self.paths.len() == 1 && self.flows.iter().all(|flow| flow.home.path() == first) {
            return;
        }
        let mut offers: Vec<Offer> = self.paths.iter().map(offer).collect();
        let mut order: Vec<usize> = (0..self.flows.len()).collect();
        order.sort_by_key(|at| self.flows[*at].class);
        for at in order {
            let flow = &mut self.flows[at];
            let (before, demand_bps) = (flow.home.path(), flow.load.bps(now, flow.qos.lifespan));
            flow.home.look(now, demand_bps, &offers);
            let (home, is_control) = (flow.home.path(), flow.class == Class::Control);
            let taken = offers.iter_mut().filter(|offer| is_control || offer.path == home);
            taken.for_each(|offer| offer.carries_bps = (offer.carries_bps - demand_bps).max(0.0));
            self.move_flow(at, before, &offers);
        }
        self.report_ended();
    }

    /// What of the flow at `at` is elsewhere than at its home, and may still move, or must.
    fn move_flow(&mut self, at: usize, before: PathId, offers: &[Offer]) {
        let (home, cut) = (self.flows[at].home.path(), self.cut(at));
        if before != home {
            self.flows[at].move_samples(before, cut, false);
        }
        if offers.iter().any(|offer| offer.path == home && offer.answers) {
            let silent = offers.iter().filter(|offer| !offer.answers);
            silent.for_each(|offer| self.flows[at].move_samples(offer.path, cut, true));
        }
    }

    /// How samples of the flow at `at` are cut now.
    pub(super) fn cut(&self, at: usize) -> Cut {
        self.cut_for(self.path_at(self.flows[at].home.path()).unwrap_or(0))
    }

    /// How samples are cut for the path at `at`. They may come to be cut for any other.
    pub(super) fn cut_for(&self, at: usize) -> Cut {
        let (id, in_force) = (self.paths[at].id, self.paths[at].size.in_force());
        let least = self.paths.iter().map(|path| path.size.least()).min().unwrap_or(in_force);
        Cut::of(id, in_force, least.min(in_force))
    }

    /// Path `id`, or another if that is gone.
    pub(super) fn path(&self, id: PathId) -> &Path {
        &self.paths[self.path_at(id).unwrap_or(0)]
    }

    /// The path that is the best for all that has to arrive.
    pub(super) fn best_path(&self) -> &Path {
        let cost = |path: &&Path| (!offer(path).answers, offer(path).cost);
        self.paths.iter().min_by_key(cost).unwrap_or(&self.paths[0])
    }

    /// Whether a flow that is paced has its home at `path`.
    pub(super) fn is_home(&self, path: PathId) -> bool {
        self.at_home(path).next().is_some()
    }

    /// The flows that are paced and have their home at `path`.
    fn at_home(&self, path: PathId) -> impl Iterator<Item = &OutFlow> {
        let is_paced = |flow: &&OutFlow| flow.class != Class::Control && flow.wanted;
        self.flows.iter().filter(is_paced).filter(move |flow| flow.home.path() == path)
    }

    /// Figures of each path.
    pub fn path_stats(&self) -> Vec<PathStats> {
        let of = |path: &Path| PathStats {
            path: path.id,
            is_silent: path.is_silent(),
            flows: self.at_home(path.id).count(),
            rtt: path.rtt.smoothed(),
            loss: path.loss.share(),
            rate_bps: (!path.rate.is_unseen()).then(|| path.rate.rate_bps()),
        };
        self.paths.iter().map(of).collect()
    }
}

fn offer(path: &Path) -> Offer {
    let carries_bps = if path.rate.is_unseen() { 0.0 } else { path.carried_bps() * (1.0 - KEPT_BACK) };
    let cost = path.rtt.min() / 2 + path.rtt.min().mul_f64(4.0 * path.loss.share());
    Offer { path: path.id, answers: !path.is_silent(), carries_bps, cost }
}
