//! The main loop of the vehicle's program.
//!
//! Each turn takes what the link and the threads told, at most [`LOOK_EVERY`] after it happened, keeps the books and
//! tells the status.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::Duration;

use tokkyu_contract::{MonoTime, Outcome, TraceId};
use tokkyu_link::carrier::{CloseReason, clock};
use tokkyu_link::core::{Event, Way};
use tokkyu_link::runtime::{Link, LinkEvent, LinkState};
use tokkyu_measure::{Environment, Record};

use super::camera_side::CameraSide;
use super::capture::{self, Lane, Report};
use super::commands;
use super::control_side::ControlSide;
use super::ends::Ends;
use super::first_tick::FirstTick;
use super::gate_words::{cap_in_words, change_in_words};
use super::status::{CameraStatus, GateStatus, SeatStatus, VehicleStatus, elapsed_ms};
use super::{VehicleOptions, VehicleSummary};
use crate::program::wiring;
use crate::program::{
    ClockPair, Desk, DriveError, Happening, LinkMeter, LinkWatch, ReceivedBooks, Recent, Session, StopFlag,
    Ticks, endpoint_name, news_of, threads,
};
use crate::safety::report::TOPIC;
use crate::safety::{Cause, Need, SeatChange, SeatView, State};

/// Longest wait for an event of the link.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Longest wait at the end for the last samples to be settled.
const SETTLE: Duration = Duration::from_secs(2);
/// The same when the run was interrupted.
const SETTLE_INTERRUPTED: Duration = Duration::from_millis(300);

/// So many troubles of cameras are kept for the summary.
const MOST_TROUBLES: usize = 100;

/// How far the run is; see the drawing in `vehicle/mod.rs`.
pub(super) enum Phase {
    Waiting(FirstTick),
    Driving,
    Settling { until: MonoTime },
}

/// How the run went so far.
#[derive(Default)]
pub(super) struct Course {
    pub(super) sessions: u64,
    /// The session in which the peer took something of us, or we of it: it is one we can work with.
    pub(super) proved: Option<u64>,
    pub(super) first_tick: Option<MonoTime>,
    pub(super) ticks_left_out: u64,
    /// What cameras had to complain of, at most [`MOST_TROUBLES`].
    pub(super) troubles: Vec<Happening>,
    /// Safe stops before the last picture: later ones are the end of the run.
    pub(super) safe_stops: u64,
    pub(super) interrupted: bool,
    pub(super) failure: Option<DriveError>,
}

/// What the threads report.
pub(super) struct Inbox {
    pub(super) cameras: Receiver<Report>,
    pub(super) commands: Receiver<commands::Report>,
    /// Reports that found no room.
    pub(super) unread: [Arc<AtomicU64>; 2],
}

/// The running program.
pub(super) struct Vehicle<'a> {
    pub(super) options: VehicleOptions,
    pub(super) desk: Desk<'a, VehicleStatus>,
    pub(super) stop: StopFlag,
    pub(super) link: Link,
    pub(super) ends: Ends,
    pub(super) peer: String,
    pub(super) session: Session,
    pub(super) meter: LinkMeter,
    pub(super) watch: LinkWatch,
    pub(super) phase: Phase,
    pub(super) course: Course,
    pub(super) lanes: Vec<Lane>,
    pub(super) orders: capture::Orders,
    pub(super) threads: Vec<JoinHandle<()>>,
    pub(super) cameras: Vec<CameraSide>,
    pub(super) control: Option<ControlSide>,
    pub(super) received: ReceivedBooks,
    pub(super) inbox: Inbox,
    pub(super) clocks: ClockPair,
    pub(super) environment: Environment,
}

impl Vehicle<'_> {
    /// Runs to the end.
    pub(super) fn run(mut self) -> Result<VehicleSummary, DriveError> {
        self.tell_beforehand();
        while !self.is_over(clock::now()) {
            let waited = self.desk.keys(LOOK_EVERY, &mut |_| {});
            self.take_events(if waited { Duration::ZERO } else { LOOK_EVERY });
            self.take_reports();
            self.serve_ends(clock::now());
            self.tell_operator(clock::now());
            self.show_gate(clock::now());
            self.tell_status(clock::now());
        }
        self.finish()
    }

    /// What the declaration and the motors do not give.
    fn tell_beforehand(&mut self) {
        let motors = self.control.as_ref().and_then(ControlSide::beforehand);
        let stopped = self.control.as_ref().and_then(|control| control.latch.notice());
        for words in wiring::not_carried(&self.options.end.robot).into_iter().chain(motors).chain(stopped) {
            self.desk.tell(words);
        }
    }

    /// The one place where the phase moves.
    fn is_over(&mut self, now: MonoTime) -> bool {
        self.notice_stop(now);
        match &self.phase {
            Phase::Waiting(tick) => {
                if let Some(first) = tick.due(now) {
                    self.start_capture(first);
                }
            }
            Phase::Driving if self.cameras.iter().all(|camera| camera.ended) && self.is_time_over(now) => {
                self.phase = Phase::Settling { until: now + SETTLE };
            }
            Phase::Driving => {}
            Phase::Settling { until } => {
                return now >= *until || self.cameras.iter().all(|camera| camera.book.is_settled());
            }
        }
        false
    }

    /// Whether nothing but pictures is waited for; a vehicle without cameras drives until it is told to stop.
    fn is_time_over(&self, now: MonoTime) -> bool {
        !self.cameras.is_empty() || self.orders.until.is_some_and(|until| now >= until)
    }

    fn notice_stop(&mut self, now: MonoTime) {
        if self.watch.is_gone(self.link.stats().at) {
            self.course.failure.get_or_insert(DriveError::LinkGone);
        }
        self.notice_deaths();
        let told = self.stop.is_set() || self.desk.quit || self.course.failure.is_some();
        if told && !self.orders.stop.is_set() {
            let is_done = matches!(self.phase, Phase::Settling { .. });
            self.course.interrupted = self.stop.is_set() && self.course.failure.is_none() && !is_done;
            self.orders.stop.set();
            // Nothing comes of a dead link any more, and asking it does not even take time.
            let is_dead = matches!(self.course.failure, Some(DriveError::LinkDied(_)));
            let settle = if is_dead { Duration::ZERO } else { SETTLE_INTERRUPTED };
            self.phase = Phase::Settling { until: now + settle };
        }
    }

    /// A thread that died ends the run: without the commands' nobody drives, and a camera's never says that it ended.
    fn notice_deaths(&mut self) {
        let of_commands = self.control.as_mut().and_then(ControlSide::notice_death);
        let died = of_commands.or_else(|| threads::take_ended(&mut self.threads));
        if let Some(died) = died {
            self.course.failure.get_or_insert(died);
        }
    }

    fn start_capture(&mut self, first: MonoTime) {
        self.course.first_tick = Some(first);
        self.orders.until = self.options.end.duration.map(|duration| first + duration);
        let mut lanes = std::mem::take(&mut self.lanes);
        for lane in &mut lanes {
            lane.ticks = Ticks::new(first, lane.ticks.period());
        }
        self.phase = Phase::Driving;
        match capture::start(lanes, &self.orders) {
            Ok(threads) => self.threads = threads,
            Err(error) => self.course.failure = Some(error),
        }
    }

    pub(super) fn take_events(&mut self, wait: Duration) {
        let mut next = self.link.event(wait);
        while let Some(event) = next {
            // What was offered before this event happened is in the queue by now, or reported a moment later.
            self.take_reports();
            self.on_event(event);
            next = self.link.event(Duration::ZERO);
        }
    }

    fn on_event(&mut self, event: LinkEvent) {
        let sent: Vec<String> = self.cameras.iter().map(|camera| camera.book.stream().to_owned()).collect();
        let sent = [sent, self.control.iter().map(|_| TOPIC.to_owned()).collect()].concat();
        let received: Vec<String> = self.control.iter().map(|control| control.flow.clone()).collect();
        if let Some(news) = news_of(&event, |endpoint| endpoint_name(endpoint, &sent, &received)) {
            self.desk.tell(news);
        }
        match event {
            LinkEvent::State(LinkState::Up { session }) => self.on_session(session),
            LinkEvent::State(LinkState::Connecting) => self.on_session_end(),
            LinkEvent::State(LinkState::Down(reason)) => {
                self.on_session_end();
                self.on_refused(reason);
            }
            LinkEvent::State(LinkState::Died(died)) => {
                self.on_session_end();
                self.course.failure.get_or_insert(died.into());
            }
            LinkEvent::Session(event) => self.on_session_event(event),
            LinkEvent::Trouble(_) | LinkEvent::Refused { .. } | LinkEvent::Withdrawn { .. } => {}
        }
    }

    fn on_session(&mut self, session: u64) {
        self.course.sessions += 1;
        self.received.on_session(session);
        let records: Vec<Record> =
            self.cameras.iter_mut().flat_map(|camera| camera.book.on_session(session)).collect();
        self.session.set(Some(session));
        self.desk.write(records);
    }

    fn on_session_end(&mut self) {
        self.session.set(None);
        // Another session finds out for itself.
        self.on_blind(false);
        let records: Vec<Record> =
            self.cameras.iter_mut().flat_map(|camera| camera.book.on_session_end()).collect();
        self.desk.write(records);
    }

    /// The session that is up works.
    fn on_proof(&mut self) {
        let session = self.session.get();
        if let Some(number) = session.filter(|_| session != self.course.proved) {
            self.course.proved = session;
            self.desk.tell(format!("session {number} is up"));
        }
    }

    /// A refusal by a peer that never worked with us cannot get better by itself; one by a peer that did may be a
    /// mistake that is being mended there; and where there are other ends, the vehicle is theirs too.
    fn on_refused(&mut self, reason: CloseReason) {
        let is_alone = self.ends.others.is_empty();
        if is_alone && reason.never_succeeds() && self.course.proved.is_none() && !self.options.keep_trying {
            self.course.failure.get_or_insert(DriveError::Refused(reason));
        }
    }

    fn on_session_event(&mut self, event: Event) {
        match event {
            Event::Settled { id, outcome } => self.on_settled(id, outcome),
            Event::Missed { id, outcome } => {
                let Some(session) = self.session.get() else { return };
                let record = self.received.on_missed(session, id, outcome);
                self.desk.write(record);
            }
            Event::Grant { flow, bps } => {
                let camera = usize::from(flow.0).wrapping_sub(1);
                if let Some(granted) = self.ends.first_granted_bps.get_mut(camera) {
                    *granted = bps.max(1);
                }
                self.follow_grants();
            }
            Event::Matched { .. } => self.on_proof(),
            Event::LongPacketsLost { way: Way::Out } => self.on_blind(!self.cameras.is_empty()),
            Event::LongPacketsPass { way: Way::Out } => self.on_blind(false),
            _ => {}
        }
    }

    /// Tells the gate whether the driver sees nothing (DRV-89).
    fn on_blind(&mut self, is_blind: bool) {
        if let Some(control) = &self.control {
            control.blind.store(is_blind, Ordering::Relaxed);
        }
    }

    fn on_settled(&mut self, id: TraceId, outcome: Outcome) {
        if outcome == Outcome::Delivered {
            self.on_proof();
        }
        // Flows of publications count from 1, in the order in which they were announced: that of the cameras.
        let Some(camera) = self.cameras.get_mut(usize::from(id.flow.0).wrapping_sub(1)) else { return };
        let record = camera.book.on_settled(id.sequence, outcome);
        self.desk.write(record);
        if outcome != Outcome::Delivered && self.driver() == 0 {
            self.ends.precedence.on_loss(clock::now());
        }
    }

    pub(super) fn take_reports(&mut self) {
        while let Ok(report) = self.inbox.cameras.try_recv() {
            self.on_camera_report(report);
        }
        while let Ok(report) = self.inbox.commands.try_recv() {
            self.on_command_report(report);
        }
    }

    fn on_camera_report(&mut self, report: Report) {
        match report {
            Report::Offered(offered, quality) => {
                let camera = &mut self.cameras[offered.stream];
                camera.sample_bytes = offered.bytes;
                if let Some(quality) = quality {
                    camera.quality.on_picture(offered.capture, quality);
                }
                let record = camera.book.on_offered(&offered);
                self.desk.write(record);
            }
            Report::Trouble { stream, why } => {
                self.on_trouble(stream, why);
            }
            Report::LeftOut { ticks } => self.course.ticks_left_out += u64::from(ticks),
            Report::RealTime(grants) => self.desk.on_grants(grants),
            Report::Ended { stream } => self.cameras[stream].ended = true,
        }
    }

    fn on_trouble(&mut self, stream: usize, why: Option<String>) {
        let words = why.as_deref().unwrap_or("the camera is back");
        let words = format!("{}: {words}", self.cameras[stream].book.stream());
        if self.course.troubles.len() < MOST_TROUBLES {
            self.course.troubles.push(Happening::new(clock::now(), words.as_str()));
        }
        self.cameras[stream].trouble = why;
        self.desk.tell(words);
    }

    fn on_command_report(&mut self, report: commands::Report) {
        let Some(control) = &mut self.control else { return };
        match report {
            commands::Report::Command { from, arrived, age, bytes, gate } => {
                control.gate = gate;
                if from == gate.seat.driver {
                    control.ages.on_arrival(arrived.arrival.saturating_sub(age), arrived.arrival);
                }
                // The books are the first end's.
                if from == 0 {
                    control.payload_bytes += bytes as u64;
                    let records = self.received.on_arrived(&arrived);
                    self.desk.write(records);
                    self.on_proof();
                }
            }
            commands::Report::Unreadable { from, arrived, why } => {
                let words = match from {
                    0 => format!("{}: {why}", control.flow),
                    other => format!("{} of {}: {why}", control.flow, self.ends.name(other)),
                };
                if from == 0 {
                    let records = self.received.on_arrived(&arrived);
                    self.desk.write(records);
                }
                self.desk.tell(words);
            }
            commands::Report::StoppedBy { at, end } => {
                let words = format!("{} stops the vehicle", self.ends.name(end));
                self.desk.tell_always(at, words);
            }
            commands::Report::Seat { at, change, gate } => {
                control.gate = gate;
                if matches!(change, SeatChange::Moved { .. }) {
                    // The commands of another end.
                    control.ages = Recent::default();
                }
                let words = self.ends.change_in_words(change);
                self.desk.tell_always(at, words);
                self.follow_grants();
            }
            commands::Report::Changed { at, change, gate } => {
                control.gate = gate;
                let is_on_the_way = matches!(self.phase, Phase::Driving);
                let is_safe_stop = matches!(gate.cause, Some(Cause::Lost | Cause::Blind));
                self.course.safe_stops +=
                    u64::from(is_on_the_way && change.to == State::Stopping && is_safe_stop);
                let words = change_in_words(change, &control.gate, &control.flow);
                let kept = control.latch.on_change(change);
                let news = control.show(at, self.ends.view(0, control.gate.seat));
                self.desk.tell_always(at, words);
                news.into_iter().for_each(|news| self.desk.tell_always(at, news));
                if let Err(error) = kept {
                    self.desk.tell(error.to_string());
                }
            }
            commands::Report::Held { gate } => control.gate = gate,
            commands::Report::Needs { at, gate } => {
                control.gate = gate;
                if gate.need != Need::Nothing {
                    self.desk.tell_always(at, gate.need.as_str());
                }
            }
            commands::Report::Slowed { at, gate } => {
                control.gate = gate;
                self.desk.tell_always(at, cap_in_words(&gate));
            }
            commands::Report::Motors { at, is_silent } => {
                control.is_silent = is_silent;
                let words = control.motors_in_words();
                self.desk.tell_always(at, words);
            }
            commands::Report::RealTime(grants) => self.desk.on_grants(grants),
        }
    }

    /// The operator's view shows whether the vehicle obeys.
    fn tell_operator(&mut self, now: MonoTime) {
        let Some(control) = &mut self.control else { return };
        let (view, ends) = (control.view(), &mut self.ends);
        let seats: Vec<SeatView> = (0..=ends.others.len()).map(|end| ends.view(end, view.seat)).collect();
        let report = |seat| view.report(now, &control.given, &control.ages, seat);
        control.teller.tell(now, &report(seats[0]));
        for (end, seat) in ends.others.iter_mut().zip(&seats[1..]) {
            if let Some(teller) = &mut end.teller {
                teller.tell(now, &report(*seat));
            }
        }
    }

    /// Which end drives.
    fn driver(&self) -> usize {
        self.control.as_ref().map_or(0, |control| control.gate.seat.driver)
    }

    /// What the links of the others told, and who gets pictures.
    fn serve_ends(&mut self, now: MonoTime) {
        let driver = self.driver();
        for end in 0..self.ends.others.len() {
            let told = self.ends.others[end].take_events();
            told.words.into_iter().for_each(|words| self.desk.tell_always(now, words));
            if told.is_loss && driver == end + 1 {
                self.ends.precedence.on_loss(now);
            }
        }
        let first_is_here = self.session.get().is_some();
        if let Phase::Waiting(tick) = &mut self.phase {
            tick.on_look(now, self.ends.are_here(first_is_here));
        }
        let is_driver_here = self.ends.is_here(driver, first_is_here);
        self.ends.open(now, driver, is_driver_here);
        self.follow_grants();
    }

    /// Cameras that compress go by what the driver's link grants.
    fn follow_grants(&self) {
        let granted = self.ends.granted_bps(self.driver());
        for (camera, granted) in self.cameras.iter().zip(granted) {
            camera.granted_bps.store(*granted, Ordering::Relaxed);
        }
    }

    /// Shows the gate to whoever else looks on.
    pub(super) fn show_gate(&mut self, now: MonoTime) {
        let Some(control) = &mut self.control else { return };
        let news = control.show(now, self.ends.view(0, control.gate.seat));
        news.into_iter().for_each(|news| self.desk.tell_always(now, news));
    }

    /// The same for the last time (DRV-134).
    pub(super) fn show_end(&mut self, now: MonoTime) {
        let Some(control) = &mut self.control else { return };
        control.show_end(now, self.ends.view(0, control.gate.seat));
    }

    /// What the path cannot carry, whatever the link does.
    fn tell_of_path(&mut self, now: MonoTime) {
        let min_rtt = self.session.get().map_or(Duration::ZERO, |_| self.link.stats().session.min_rtt);
        for camera in &mut self.cameras {
            let granted_bps = camera.granted_bps.load(Ordering::Relaxed);
            let too_much = camera.fit.on_look(now, camera.sample_bytes, granted_bps);
            for words in too_much.into_iter().chain(camera.distance.on_look(now, min_rtt)) {
                self.desk.tell_always(now, words);
            }
        }
    }

    fn tell_status(&mut self, now: MonoTime) {
        if self.desk.is_status_due(now) {
            self.tell_of_path(now);
            let status = self.status(now);
            self.desk.display.on_status(now, &status);
        }
    }

    /// The status at `now`.
    pub(super) fn status(&mut self, now: MonoTime) -> VehicleStatus {
        let cameras: Vec<CameraStatus> = self.cameras.iter().map(CameraSide::status).collect();
        let granted_bps = cameras.iter().filter_map(|camera| camera.granted_bps).sum();
        let link = self.meter.read(&self.link.stats(), granted_bps);
        VehicleStatus {
            at_ns: now.as_nanos(),
            elapsed_ms: elapsed_ms(self.clocks.times().0, now),
            peer: self.peer.clone(),
            cameras,
            link,
            control: self.gate_status(),
            motors: self.control.as_ref().and_then(ControlSide::motors),
            seat: self.seat_status(),
        }
    }

    fn seat_status(&self) -> Option<SeatStatus> {
        let gate = self.control.as_ref()?.gate;
        (!self.ends.others.is_empty()).then(|| self.ends.status(gate.seat, self.session.get().is_some()))
    }

    pub(super) fn gate_status(&self) -> Option<GateStatus> {
        self.control.as_ref().map(|control| GateStatus::of(&control.flow, &control.view(), &control.ages))
    }
}
