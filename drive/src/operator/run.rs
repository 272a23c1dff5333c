//! The main loop of the operator's program.
//!
//! Each turn takes what the link, the threads and the keyboard told, at most [`LOOK_EVERY`] after it happened, keeps the
//! books and tells the status.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::Duration;

use tokkyu_contract::MonoTime;
use tokkyu_link::carrier::{CloseReason, FailedHandshakes, clock};
use tokkyu_link::core::Event;
use tokkyu_link::runtime::{Link, LinkEvent, LinkState};
use tokkyu_measure::{Environment, Figures};

use super::driver::{self, SharedKeyboard, Wheel};
use super::estop::StopWatch;
use super::pictures;
use super::status::{
    CaptureClock, DriverControls, DriverStatus, GateHeard, OperatorStatus, PictureStatus, SavedFigures,
};
use super::wishes::SharedWishes;
use super::{OperatorOptions, OperatorSummary};
use crate::control::Controls;
use crate::program::figures::ms;
use crate::program::wiring;
use crate::program::{
    Arrived, ClockPair, Desk, Distance, DriveError, GateEar, LinkMeter, LinkWatch, ReceivedBooks, Recent,
    SentBook, Session, StopFlag, Ticks, endpoint_name, news_of, news_of_handshakes, threads,
};
use crate::safety::report::TOPIC;
use crate::save::Saver;

/// Longest wait for a key or an event of the link.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// From the first session to the first command: both ends tell each other their flows.
const GET_ACQUAINTED: Duration = Duration::from_millis(200);
/// Longest wait at the end for the vehicle to leave first: it still waits for our word on its last pictures.
const SETTLE: Duration = Duration::from_secs(2);

/// How far the run is; see the drawing in `operator/mod.rs`.
pub(super) enum Phase {
    Listening,
    Settling { until: MonoTime },
    Over,
}

/// What the main thread keeps of one camera.
pub(super) struct CameraSide {
    pub(super) flow: String,
    pub(super) period: Duration,
    pub(super) lifespan: Option<Duration>,
    pub(super) recent: Recent,
    pub(super) ages: Figures,
    pub(super) size_bytes: usize,
    pub(super) payload_bytes: u64,
    pub(super) corrupt: u64,
}

/// What the main thread keeps of the commands.
pub(super) struct DriverSide {
    pub(super) book: SentBook,
    /// Waits for its first tick.
    pub(super) wheel: Option<Wheel>,
    pub(super) controls: Option<Controls>,
    pub(super) trouble: Option<String>,
    /// Whether commands can come in time at all.
    pub(super) distance: Distance,
}

/// How the run went so far.
#[derive(Default)]
pub(super) struct Course {
    pub(super) sessions: u64,
    pub(super) first_session: Option<MonoTime>,
    pub(super) capture_clock: CaptureClock,
    pub(super) handshakes: FailedHandshakes,
    pub(super) ticks_left_out: u64,
    pub(super) overrun: u64,
    pub(super) interrupted: bool,
    pub(super) failure: Option<DriveError>,
}

/// What the threads report.
pub(super) struct Inbox {
    pub(super) pictures: Receiver<pictures::Report>,
    pub(super) driver: Receiver<driver::Report>,
    /// Reports that found no room.
    pub(super) unread: [Arc<AtomicU64>; 2],
}

/// The running program.
pub(super) struct Operator<'a> {
    pub(super) options: OperatorOptions,
    pub(super) desk: Desk<'a, OperatorStatus>,
    pub(super) stop: StopFlag,
    pub(super) link: Link,
    pub(super) session: Session,
    pub(super) meter: LinkMeter,
    pub(super) watch: LinkWatch,
    pub(super) phase: Phase,
    pub(super) course: Course,
    pub(super) cameras: Vec<CameraSide>,
    pub(super) driver: Option<DriverSide>,
    pub(super) keyboard: Option<SharedKeyboard>,
    pub(super) estop: StopWatch,
    /// `None` for a robot nobody can drive.
    pub(super) gate: Option<GateEar>,
    /// What this end wants with the seat.
    pub(super) wishes: SharedWishes,
    pub(super) received: ReceivedBooks,
    pub(super) saver: Option<Arc<Saver>>,
    pub(super) inbox: Inbox,
    pub(super) threads: Vec<JoinHandle<()>>,
    pub(super) halt: StopFlag,
    pub(super) clocks: ClockPair,
    pub(super) environment: Environment,
}

impl Operator<'_> {
    /// Runs to the end.
    pub(super) fn run(mut self) -> Result<OperatorSummary, DriveError> {
        for words in wiring::not_carried(&self.options.end.robot) {
            self.desk.tell(words);
        }
        if let Some(first) = self.options.end.start_at {
            self.start_driving(first, self.pictures_end(first));
        }
        while !self.is_over(clock::now()) {
            let waited = self.take_keys();
            self.take_events(if waited { Duration::ZERO } else { LOOK_EVERY });
            self.take_reports();
            self.listen_to_gate(clock::now());
            self.tell_status(clock::now());
        }
        self.finish()
    }

    fn listen_to_gate(&mut self, now: MonoTime) {
        // A key that was pressed counts before its command is sent.
        let wish = self.keyboard.as_ref().is_some_and(SharedKeyboard::is_stopped)
            || self.driver.as_ref().and_then(|driver| driver.controls).is_some_and(|wanted| wanted.e_stop());
        self.estop.on_wish(now, wish);
        let Some(gate) = &mut self.gate else { return };
        gate.listen();
        if let Some((at, state)) = gate.newest() {
            self.estop.on_report(at, state);
        }
        let told = self.wishes.lock().on_report(now, gate.report(now).map(|report| report.seat));
        told.into_iter().for_each(|words| self.desk.tell_always(now, words));
        match gate.motors_news() {
            Some(true) => self
                .desk
                .tell_always(now, "THE MOTORS DO NOT ANSWER, the vehicle says: it brakes as well as it can"),
            Some(false) => self.desk.tell_always(now, "the motors answer again, the vehicle says"),
            None => {}
        }
    }

    /// Nothing ends with an emergency stop under way: its commands are sent on until the vehicle tells that it stopped.
    fn is_over(&mut self, now: MonoTime) -> bool {
        // Over a dead link no emergency stop reaches anybody.
        let is_dead = matches!(self.course.failure, Some(DriveError::LinkDied(_)));
        if !self.wants_to_end(now) || self.estop.holds(now) && !is_dead {
            return false;
        }
        if self.estop.is_open() {
            self.course.failure.get_or_insert(DriveError::StopNotConfirmed);
        }
        true
    }

    /// The one place where the phase moves on time and requests; the vehicle's leaving moves it in `on_down`.
    fn wants_to_end(&mut self, now: MonoTime) -> bool {
        if self.watch.is_gone(self.link.stats().at) {
            self.course.failure.get_or_insert(DriveError::LinkGone);
        }
        if let Some(died) = threads::take_ended(&mut self.threads) {
            self.course.failure.get_or_insert(died);
        }
        let lasted = self
            .course
            .first_session
            .zip(self.options.end.duration)
            .is_some_and(|(since, d)| now >= since + d);
        match self.phase {
            Phase::Over => return true,
            Phase::Settling { until } if now >= until => return true,
            Phase::Listening if self.saw_last_pictures() => {
                self.phase = Phase::Settling { until: now + SETTLE };
            }
            Phase::Listening | Phase::Settling { .. } => {}
        }
        self.course.interrupted = self.stop.is_set() && self.course.failure.is_none();
        self.course.interrupted || self.desk.quit || lasted || self.course.failure.is_some()
    }

    /// Whether as many pictures as asked for were due of every camera since the first one seen: a vehicle that has been
    /// running does not begin at 0.
    fn saw_last_pictures(&self) -> bool {
        let Some(samples) = self.options.end.samples else { return false };
        let seen = |stream| self.received.spanned(stream) >= u64::from(samples);
        !self.cameras.is_empty() && (0..self.cameras.len()).all(seen)
    }

    fn take_keys(&mut self) -> bool {
        let keyboard = self.keyboard.as_ref();
        let mut told = Vec::new();
        let is_looked_at = self.desk.keys(LOOK_EVERY, &mut |event| {
            told.extend(self.wishes.lock().on_key(clock::now(), event));
            // Whether it asks to quit is the desk's business.
            let _ = keyboard.map(|keyboard| keyboard.on_event(clock::now(), event));
        });
        told.into_iter().for_each(|words| self.desk.tell_always(clock::now(), words));
        if let Some(keyboard) = keyboard.filter(|_| is_looked_at) {
            keyboard.on_look(clock::now());
        }
        is_looked_at
    }

    pub(super) fn take_events(&mut self, wait: Duration) {
        let mut next = self.link.event(wait);
        while let Some(event) = next {
            self.take_reports();
            self.on_event(event);
            next = self.link.event(Duration::ZERO);
        }
    }

    fn on_event(&mut self, event: LinkEvent) {
        let sent: Vec<String> = self.driver.iter().map(|driver| driver.book.stream().to_owned()).collect();
        let received: Vec<String> = self.cameras.iter().map(|camera| camera.flow.clone()).collect();
        let received = [received, self.gate.iter().map(|_| TOPIC.to_owned()).collect()].concat();
        if let Some(news) = news_of(&event, |endpoint| endpoint_name(endpoint, &sent, &received)) {
            self.desk.tell(news);
        }
        match event {
            LinkEvent::State(LinkState::Up { session }) => self.on_session(session),
            LinkEvent::State(LinkState::Connecting) => self.on_session_end(),
            LinkEvent::State(LinkState::Down(reason)) => {
                self.on_session_end();
                self.on_down(&reason);
            }
            LinkEvent::State(LinkState::Died(died)) => {
                self.on_session_end();
                self.course.failure.get_or_insert(died.into());
            }
            LinkEvent::Session(event) => self.on_session_event(&event),
            LinkEvent::Trouble(_) | LinkEvent::Refused { .. } | LinkEvent::Withdrawn { .. } => {}
        }
    }

    fn on_session(&mut self, session: u64) {
        self.course.sessions += 1;
        self.received.on_session(session);
        if let Some(driver) = &mut self.driver {
            let records = driver.book.on_session(session);
            self.desk.write(records);
        }
        self.session.set(Some(session));
        self.desk.tell(format!("session {session} is up"));
        let now = clock::now();
        self.estop.on_session(now);
        self.course.first_session.get_or_insert(now);
        self.start_driving(now + GET_ACQUAINTED, None);
    }

    fn on_session_end(&mut self) {
        self.session.set(None);
        if let Some(driver) = &mut self.driver {
            let records = driver.book.on_session_end();
            self.desk.write(records);
        }
    }

    /// A vehicle that leaves after its pictures has ended its run; its word that it leaves may be lost, its last pictures
    /// are as good.
    fn on_down(&mut self, reason: &CloseReason) {
        self.take_reports();
        let is_whole =
            |samples| (0..self.cameras.len()).all(|stream| self.received.is_whole(stream, samples));
        let left =
            matches!(reason, CloseReason::ByPeer { .. }) || self.options.end.samples.is_some_and(is_whole);
        let came = (0..self.cameras.len()).any(|stream| self.received.spanned(stream) > 0);
        if matches!(self.phase, Phase::Settling { .. }) || left && came && self.options.end.samples.is_some()
        {
            self.phase = Phase::Over;
        }
    }

    fn on_session_event(&mut self, event: &Event) {
        match event {
            Event::Settled { id, outcome } => {
                let Some(driver) = &mut self.driver else { return };
                let record = driver.book.on_settled(id.sequence, *outcome);
                self.desk.write(record);
            }
            Event::Missed { id, .. } if self.gate.as_ref().is_some_and(|gate| gate.is_flow(id.flow)) => {}
            Event::Missed { id, outcome } => {
                let Some(session) = self.session.get() else { return };
                let record = self.received.on_missed(session, *id, *outcome);
                self.desk.write(record);
            }
            _ => {}
        }
    }

    /// When the last picture asked for is over: commands beyond it would reach nobody and count as lost.
    fn pictures_end(&self, first: MonoTime) -> Option<MonoTime> {
        let longest = self.cameras.iter().map(|camera| camera.period).max()?;
        Some(first + longest.saturating_mul(self.options.end.samples?))
    }

    /// Starts the driver's thread, once. It ends by itself at `until`.
    fn start_driving(&mut self, first: MonoTime, until: Option<MonoTime>) {
        let Some(wheel) = self.driver.as_mut().and_then(|driver| driver.wheel.take()) else { return };
        let ticks = Ticks::new(first, wheel.ticks.period());
        match (Wheel { ticks, until, ..wheel }).start() {
            Ok(thread) => self.threads.push(thread),
            Err(error) => self.course.failure = Some(error),
        }
    }

    pub(super) fn take_reports(&mut self) {
        while let Ok(report) = self.inbox.driver.try_recv() {
            self.on_driver_report(report);
        }
        while let Ok(report) = self.inbox.pictures.try_recv() {
            self.on_picture_report(report);
        }
    }

    fn on_driver_report(&mut self, report: driver::Report) {
        let Some(driver) = &mut self.driver else { return };
        match report {
            driver::Report::Sent(offered, controls) => {
                driver.controls = Some(controls);
                let record = driver.book.on_offered(&offered);
                self.desk.write(record);
            }
            driver::Report::Trouble(why) => {
                driver.trouble = why.clone();
                self.desk.tell(why.unwrap_or_else(|| "the driver's controls are back".to_owned()));
            }
            driver::Report::LeftOut { ticks } => self.course.ticks_left_out += u64::from(ticks),
            driver::Report::RealTime(grants) => self.desk.on_grants(grants),
        }
    }

    fn on_picture_report(&mut self, report: pictures::Report) {
        match report {
            pictures::Report::Picture { arrived, bytes, fault, age_error } => {
                self.on_picture(&arrived, bytes, fault);
                self.course.capture_clock.on_age_error(age_error);
            }
            pictures::Report::Ended { overrun } => self.course.overrun += overrun,
            pictures::Report::RealTime(grants) => self.desk.on_grants(grants),
        }
    }

    fn on_picture(&mut self, arrived: &Arrived, bytes: usize, fault: Option<String>) {
        let camera = &mut self.cameras[arrived.stream];
        camera.recent.on_arrival(arrived.capture, arrived.arrival);
        let age = arrived.arrival.since(arrived.capture);
        camera.ages.record(u64::try_from(age.as_nanos()).unwrap_or(u64::MAX));
        camera.size_bytes = bytes;
        camera.payload_bytes += bytes as u64;
        if let Some(fault) = fault {
            camera.corrupt += 1;
            let words = format!("{}: picture {}: {fault}", camera.flow, arrived.id.sequence);
            self.desk.tell(words);
        }
        let records = self.received.on_arrived(arrived);
        self.desk.write(records);
    }

    fn tell_status(&mut self, now: MonoTime) {
        if !self.desk.is_status_due(now) {
            return;
        }
        let stats = self.link.stats();
        let min_rtt = self.session.get().map_or(Duration::ZERO, |_| stats.session.min_rtt);
        if let Some(words) = self.driver.as_mut().and_then(|driver| driver.distance.on_look(now, min_rtt)) {
            self.desk.tell_always(now, words);
        }
        let handshakes = stats.carrier.failed_handshakes;
        for news in
            news_of_handshakes(&std::mem::replace(&mut self.course.handshakes, handshakes), &handshakes)
        {
            self.desk.tell(news);
        }
        let status = self.status(now);
        self.desk.display.on_status(now, &status);
    }

    /// The status at `now`.
    pub(super) fn status(&mut self, now: MonoTime) -> OperatorStatus {
        let link = self.meter.read(&self.link.stats(), 0);
        let pictures = |(stream, camera): (usize, &CameraSide)| PictureStatus {
            ledger: self.received.ledger(stream).into(),
            ..camera.status(now)
        };
        OperatorStatus {
            at_ns: now.as_nanos(),
            elapsed_ms: ms(now.since(self.clocks.times().0)),
            total_ms: self.options.end.duration.map(ms),
            robot: self.options.end.robot.name.clone(),
            cameras: self.cameras.iter().enumerate().map(pictures).collect(),
            link,
            control: self.driver.as_ref().map(|driver| driver.status(self.keyboard.is_some())),
            gate: self.gate.as_ref().and_then(|gate| gate.report(now)).map(GateHeard::from),
            saved: self.saver.as_deref().map(SavedFigures::of),
            seat: self.wishes.lock().notice(),
        }
    }
}

impl CameraSide {
    fn status(&self, now: MonoTime) -> PictureStatus {
        let [p50, p99] = self.recent.percentiles([50, 99]);
        let age = self.recent.age(now);
        PictureStatus {
            flow: self.flow.clone(),
            age_ms: age.map(ms),
            lifespan_ms: self.lifespan.map(ms),
            is_stale: age.zip(self.lifespan).is_some_and(|(age, lifespan)| age > lifespan),
            rate_hz: self.recent.rate_hz(now),
            p50_ms: p50.map(ms),
            p99_ms: p99.map(ms),
            size_bytes: self.size_bytes as u64,
            corrupt: self.corrupt,
            ages_ms: self.recent.curve().into_iter().map(ms).collect(),
            ..PictureStatus::default()
        }
    }
}

impl DriverSide {
    fn status(&self, by_keyboard: bool) -> DriverStatus {
        DriverStatus {
            by_keyboard,
            flow: self.book.stream().to_owned(),
            ledger: self.book.ledger().into(),
            controls: self.controls.as_ref().map(DriverControls::from),
            trouble: self.trouble.clone(),
        }
    }
}
