//! The thread between the link and the motors: takes commands, asks the gate, sets the motors.
//!
//! Runs at control's real-time priority and waits for nothing but commands and the gate's deadline, at most
//! [`LONGEST_WAIT`]. Invariant: the motors are set after every step of the gate, so they never keep controls the gate
//! has withdrawn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokkyu_contract::{MonoTime, PeerTime};
use tokkyu_link::carrier::clock;
use tokkyu_link::core::Delivered;
use tokkyu_link::runtime::{Sample, Subscriber};

use super::Motors;
use super::given::{Given, LONGEST_WAIT};
use crate::control::{Age, Command, CommandError, Controls};
use crate::program::wiring::make_real_time;
use crate::program::{Arrived, DriveError, Mail, RealTimeGrant, Recent, Session, StopFlag, captured};
use crate::safety::report::GateReport;
use crate::safety::{Cap, Cause, Change, Counts, Gate, Need, State};

/// The gate at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct GateView {
    pub(super) state: State,
    pub(super) need: Need,
    /// Why it stopped last.
    pub(super) cause: Option<Cause>,
    pub(super) counts: Counts,
    pub(super) output: Controls,
    /// How fast it may be, where that is declared.
    pub(super) cap: Option<Cap>,
}

impl GateView {
    /// `gate` as it stands at `now`.
    pub(super) fn of(gate: &Gate, now: MonoTime) -> GateView {
        let (state, need) = (gate.state(), gate.need(now));
        let (counts, cap) = (*gate.log().counts(), gate.cap(now));
        GateView { state, need, cause: gate.cause(), counts, output: gate.output(), cap }
    }

    /// Safe stops so far, whatever the reason.
    pub(super) fn safe_stops(&self) -> u64 {
        self.counts.deadlines_missed + self.counts.blind + self.counts.motors_late
    }

    /// What the operator is told of it at `now`: the state is that in which the motors were given something last. `ages` are
    /// those of the commands.
    pub(super) fn report(&self, now: MonoTime, given: &Given, ages: &Recent) -> GateReport {
        let [p50, p99] = ages.percentiles([50, 99]);
        let safe_stops = u32::try_from(self.safe_stops()).unwrap_or(u32::MAX);
        let (at, state) = given.last();
        let (given, last) = (Some(now.since(at)), ages.last());
        let cap = self.cap.unwrap_or_default();
        GateReport { state, need: self.need, given, safe_stops, last, p50, p99, cap }
    }
}

/// Words for a change of `flow`'s gate, which is `gate` now.
pub(super) fn change_in_words(change: Change, gate: &GateView, flow: &str) -> String {
    match change.to {
        State::Stopping => format!("STOPPING: {}", cause_in_words(gate, flow)),
        State::Stopped => "STOPPED: held by the brakes until the driver enables".to_owned(),
        State::Emergency => "EMERGENCY STOP by the driver".to_owned(),
        State::Driving => format!("driving (was: {})", change.from.as_str()),
        State::Ready => "ready: the driver's controls are neutral".to_owned(),
        State::Locked if change.from == State::Emergency => {
            "locked: the emergency stop was released; held by the brakes until the driver enables".to_owned()
        }
        State::Locked => "locked: held by the brakes until the driver enables".to_owned(),
    }
}

/// Words for the speed that `gate` allows.
pub(super) fn cap_in_words(gate: &GateView) -> String {
    let Some(Cap { most_mps: Some(most), latency: Some(latency), .. }) = gate.cap else {
        return "as fast as the vehicle can again".to_owned();
    };
    let (kmh, ms) = (most * 3.6, latency.as_millis());
    format!("SLOWER: at most {kmh:.1} km/h, for it takes {ms} ms from picture to reaction")
}

fn cause_in_words(gate: &GateView, flow: &str) -> String {
    match (gate.cause, gate.need) {
        (Some(Cause::Released), _) => "the dead-man was let go".to_owned(),
        (Some(Cause::Blind), _) => "pictures do not reach the driver".to_owned(),
        (Some(Cause::Anew), _) => "the operator's program began anew".to_owned(),
        (Some(Cause::Motors), _) => "the motors did not take their controls in time".to_owned(),
        (_, Need::YoungerCommand | Need::Clock) => {
            format!("no fresh command on {flow} within its deadline; {}", gate.need.as_str())
        }
        _ => format!("no fresh command on {flow} within its deadline"),
    }
}

/// What the thread tells the main thread.
#[derive(Debug)]
pub(super) enum Report {
    /// A command arrived; with its age and what the gate made of it.
    Command { arrived: Arrived, age: Duration, bytes: usize, gate: GateView },
    /// A sample that is no command.
    Unreadable { arrived: Arrived, why: CommandError },
    /// The gate changed.
    Changed { at: MonoTime, change: Change, gate: GateView },
    /// The gate waits for something else.
    Needs { at: MonoTime, gate: GateView },
    /// The latency begins or ceases to bound the speed while the vehicle drives.
    Slowed { at: MonoTime, gate: GateView },
    /// The motors do not take what they are given, or do again.
    Motors { at: MonoTime, is_silent: bool },
    /// What the scheduler granted.
    RealTime(Vec<RealTimeGrant>),
}

/// The thread's belongings.
pub(super) struct Commands<M> {
    pub(super) subscriber: Subscriber,
    pub(super) motors: M,
    /// What they were given, for others to see.
    pub(super) given: Arc<Given>,
    /// They take what they are given within this.
    pub(super) deadline: Duration,
    pub(super) session: Session,
    /// Pictures do not reach the driver.
    pub(super) blind: Arc<AtomicBool>,
    /// For how long the machine was suspended since this was asked last, if it was.
    pub(super) suspended: Box<dyn FnMut() -> Option<Duration> + Send>,
    pub(super) same_clock: bool,
    pub(super) fifo_priority: Option<u8>,
    pub(super) mail: Mail<Report>,
    pub(super) stop: StopFlag,
}

impl<M: Motors + 'static> Commands<M> {
    /// Starts the thread; it gives the gate back at its end.
    pub(super) fn start(self, gate: Gate) -> Result<JoinHandle<Gate>, DriveError> {
        let thread = thread::Builder::new().name("commands".into());
        thread.spawn(move || self.run(gate)).map_err(DriveError::Thread)
    }

    fn run(self, gate: Gate) -> Gate {
        self.mail.post(Report::RealTime(make_real_time("commands", self.fifo_priority)));
        let mut turn = Turn { gate, session: 0, told: Told::default(), thread: self };
        while !turn.thread.stop.is_set() && !turn.thread.subscriber.is_closed() {
            turn.take();
        }
        turn.stop_if_closed();
        turn.give(Controls::released(1.0, turn.gate.output().steering()));
        turn.thread.given.leave(clock::now(), turn.gate.state());
        turn.thread.given.end();
        turn.gate
    }
}

/// The gate and what it is fed from.
struct Turn<M> {
    gate: Gate,
    session: u64,
    told: Told,
    thread: Commands<M>,
}

/// What the main thread knows of the gate.
#[derive(Default)]
struct Told {
    /// What it waits for.
    need: Need,
    /// The latency bounds its speed.
    is_slowed: bool,
}

impl<M: Motors> Turn<M> {
    /// One command, or one wait without any.
    fn take(&mut self) {
        let sample = self.thread.subscriber.receive(self.wait());
        self.step(sample.as_ref());
    }

    fn wait(&self) -> Duration {
        let now = clock::now();
        self.gate.wake_at(now).map_or(LONGEST_WAIT, |at| at.since(now).min(LONGEST_WAIT))
    }

    /// The time that passed counts on every turn: samples without end, of which none is a command, must not put the safe
    /// stop off.
    fn step(&mut self, sample: Option<&Sample>) {
        if (self.thread.suspended)().is_some() {
            let now = clock::now();
            let change = self.gate.on_suspended(now);
            self.tell(now, change);
        }
        if let Some(session) = self.thread.session.get() {
            self.on_session(session);
        }
        self.look();
        if let Some(sample) = sample {
            self.on_sample(sample);
        }
        let now = clock::now();
        if let Some(mps) = self.thread.motors.speed_mps() {
            self.gate.on_speed(now, mps);
        }
        let change = self.gate.on_tick(now);
        self.tell(now, change);
        self.set_motors();
        self.tell_need(now);
        self.tell_speed(now);
    }

    /// A link whose thread died brings no command any more: the deadline need not pass for that to be known (LNK-76).
    fn stop_if_closed(&mut self) {
        if self.thread.subscriber.is_closed() {
            let now = clock::now();
            let change = self.gate.on_link_closed(now);
            self.tell(now, change);
        }
    }

    /// Each session is told once, whoever tells of it first.
    fn on_session(&mut self, session: u64) {
        if session > self.session {
            self.session = session;
            let now = clock::now();
            let change = self.gate.on_new_session(now);
            self.tell(now, change);
        }
    }

    /// Whether the driver sees anything (DRV-89).
    fn look(&mut self) {
        if !self.thread.blind.load(Ordering::Relaxed) {
            self.gate.on_sight();
            return;
        }
        let now = clock::now();
        let change = self.gate.on_blind(now);
        self.tell(now, change);
    }

    fn on_sample(&mut self, sample: &Sample) {
        self.on_session(sample.session);
        let arrival = clock::now();
        let delivered = &sample.delivered;
        let command = Command::decode(&delivered.payload);
        let arrived = self.arrived(sample, arrival, command.as_ref().ok());
        match command {
            // A command of a session that is over would keep out those of the new one by its higher number.
            Ok(command) if sample.session == self.session => self.on_command(arrived, delivered, &command),
            Ok(_) => self.tell_command(arrived, delivered),
            Err(why) => self.thread.mail.post(Report::Unreadable { arrived, why }),
        }
    }

    fn on_command(&mut self, arrived: Arrived, delivered: &Delivered, command: &Command<PeerTime>) {
        let now = clock::now();
        // The wait between arrival and this thread is part of the age that counts for the motors.
        let estimate = delivered.age + now.since(delivered.at);
        let reaction = self.gate.on_command(now, Age { estimate, error: delivered.age_error }, command);
        self.tell(now, reaction.missed);
        self.tell(now, reaction.change);
        self.tell_command(arrived, delivered);
    }

    fn tell_command(&self, arrived: Arrived, delivered: &Delivered) {
        let (age, bytes) = (delivered.age, delivered.payload.len());
        let gate = GateView::of(&self.gate, arrived.arrival);
        self.thread.mail.post(Report::Command { arrived, age, bytes, gate });
    }

    fn arrived(&self, sample: &Sample, arrival: MonoTime, command: Option<&Command<PeerTime>>) -> Arrived {
        Arrived {
            stream: 0,
            session: sample.session,
            id: sample.delivered.id,
            number: command.map(|command| command.sequence as u32),
            capture: captured(&sample.delivered, self.thread.same_clock),
            arrival,
        }
    }

    fn tell(&self, at: MonoTime, change: Option<Change>) {
        if let Some(change) = change {
            self.thread.mail.post(Report::Changed { at, change, gate: GateView::of(&self.gate, at) });
        }
    }

    fn tell_need(&mut self, now: MonoTime) {
        let gate = GateView::of(&self.gate, now);
        if std::mem::replace(&mut self.told.need, gate.need) != gate.need {
            self.thread.mail.post(Report::Needs { at: now, gate });
        }
    }

    /// A vehicle that stands goes at no speed: what bounds it is told when it drives.
    fn tell_speed(&mut self, now: MonoTime) {
        let gate = GateView::of(&self.gate, now);
        let is_slowed = gate.cap.is_some_and(|cap| cap.most_mps.is_some());
        if gate.state == State::Driving && is_slowed != self.told.is_slowed {
            self.told.is_slowed = is_slowed;
            self.thread.mail.post(Report::Slowed { at: now, gate });
        }
    }

    /// Motors that took too long have controls from before: they get the brake before anybody takes them for good (DRV-101).
    fn set_motors(&mut self) {
        if self.give(self.gate.output()) > self.thread.deadline {
            let now = clock::now();
            let change = self.gate.on_motors_late(now);
            self.tell(now, change);
            self.give(self.gate.output());
        }
        self.thread.given.leave(clock::now(), self.gate.state());
    }

    /// How long they took.
    fn give(&mut self, controls: Controls) -> Duration {
        let now = clock::now();
        self.thread.given.enter(now);
        self.thread.motors.set(now, &controls);
        clock::now().since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Command;
    use crate::safety::Settings;
    use crate::vehicle::NoMotors;
    use bytes::Bytes;
    use tokkyu_contract::{FlowId, Qos, TraceId};
    use tokkyu_link::carrier::{SecretKey, TrustStore};
    use tokkyu_link::core::Subscription;
    use tokkyu_link::runtime::{Link, LinkConfig, Role};

    /// A thread's belongings without the thread, on a link that never has a peer.
    fn turn(link: &Link) -> Turn<NoMotors> {
        let subscription =
            Subscription { topic: "drive".into(), type_name: String::new(), qos: Qos::default() };
        let thread = Commands {
            subscriber: link.subscribe(subscription).unwrap(),
            motors: NoMotors,
            given: Arc::new(Given::new(clock::now(), State::Locked)),
            deadline: crate::safety::Limits::default().deadline,
            session: Session::default(),
            blind: Arc::default(),
            suspended: Box::new(|| None),
            same_clock: true,
            fifo_priority: None,
            mail: Mail::open().0,
            stop: StopFlag::new(),
        };
        Turn { gate: Gate::new(Settings::default()), session: 0, told: Told::default(), thread }
    }

    fn link() -> Link {
        let (key, nobody) = (SecretKey::generate().unwrap(), TrustStore::of([]));
        let bind = "127.0.0.1:0".parse().unwrap();
        Link::start(LinkConfig::new(Role::Operator, bind, key, nobody)).unwrap()
    }

    fn sample(payload: &[u8], age_error: Duration) -> Sample {
        let delivered = Delivered {
            subscription: FlowId(1),
            id: TraceId { flow: FlowId(1), sequence: 0 },
            payload: Bytes::copy_from_slice(payload),
            capture: PeerTime::ZERO,
            age: Duration::ZERO,
            age_error,
            at: clock::now(),
        };
        Sample { session: 1, delivered }
    }

    fn enabling(sequence: u64) -> [u8; 64] {
        let controls = Controls::new(0.0, 0.0, 0.0).unwrap().with_enable(true);
        Command { controls, sequence, issued: MonoTime::ZERO, pictures: None }.encode()
    }

    /// As a driver does it in half a second, but for the press. It ends a second from now: a test that is held up in
    /// between leaves no gap.
    fn get_ready(gate: &mut Gate) {
        let now = clock::now() + Duration::from_secs(1);
        for back in (0..30).rev() {
            let controls = Controls::NEUTRAL;
            let command = Command { controls, sequence: 30 - back, issued: PeerTime::ZERO, pictures: None };
            let age = Age { estimate: Duration::ZERO, error: Duration::ZERO };
            gate.on_command(now.saturating_sub(Duration::from_millis(20 * back)), age, &command);
        }
    }

    /// A session begins, and its driver enables with command 50.
    fn drive(turn: &mut Turn<NoMotors>) {
        turn.on_session(1);
        get_ready(&mut turn.gate);
        turn.step(Some(&sample(&enabling(50), Duration::ZERO)));
        assert_eq!(turn.gate.state(), State::Driving);
    }

    #[test]
    fn samples_that_are_no_commands_do_not_put_the_safe_stop_off() {
        let link = link();
        let mut turn = turn(&link);
        drive(&mut turn);
        thread::sleep(crate::safety::Limits::default().deadline + Duration::from_millis(1));
        turn.step(Some(&sample(b"no command", Duration::ZERO)));
        assert_eq!(turn.gate.state(), State::Stopping);
    }

    #[test]
    fn a_driver_whom_pictures_do_not_reach_stops_the_vehicle() {
        let link = link();
        let mut turn = turn(&link);
        drive(&mut turn);
        turn.thread.blind.store(true, Ordering::Relaxed);
        turn.step(Some(&sample(&enabling(51), Duration::ZERO)));
        assert_eq!((turn.gate.state(), turn.gate.need(clock::now())), (State::Stopping, Need::Pictures));
    }

    #[test]
    fn a_machine_that_was_suspended_stops_and_what_waited_meanwhile_moves_nothing() {
        let link = link();
        let mut turn = turn(&link);
        drive(&mut turn);
        turn.thread.suspended = Box::new(|| Some(Duration::from_secs(8)));
        turn.step(Some(&sample(&enabling(51), Duration::ZERO)));
        assert_eq!((turn.gate.state(), turn.gate.cause()), (State::Stopping, Some(Cause::Lost)));
    }

    #[test]
    fn the_links_doubt_about_the_clock_reaches_the_gate() {
        let link = link();
        let mut turn = turn(&link);
        turn.step(Some(&sample(&enabling(0), Duration::MAX)));
        assert_eq!((turn.gate.state(), turn.gate.log().counts().age_unknown), (State::Locked, 1));
    }
}
