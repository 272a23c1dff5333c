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

use super::gate_view::GateView;
use super::given::{Given, LONGEST_WAIT};
use super::{Motors, Untaken};
use crate::control::{Age, Command, CommandError, Controls};
use crate::program::wiring::make_real_time;
use crate::program::{Arrived, DriveError, Mail, RealTimeGrant, Session, StopFlag, captured};
use crate::safety::{Change, Gate, Need, Seat, SeatChange, State, Verdict};

/// Longest wait for the driver's next command where others may stop the vehicle: their stop comes so much later.
const WAIT_BESIDE_OTHERS: Duration = Duration::from_millis(5);

/// Commands of an end that does not drive, taken in one turn.
const MOST_OF_OTHERS: usize = 8;

/// What the thread tells the main thread.
#[derive(Debug)]
pub(super) enum Report {
    /// A command arrived; with its age and what the gate made of it.
    Command { from: usize, arrived: Arrived, age: Duration, bytes: usize, gate: GateView },
    /// A sample that is no command.
    Unreadable { from: usize, arrived: Arrived, why: CommandError },
    /// An end that does not drive stops the vehicle.
    StoppedBy { at: MonoTime, end: usize },
    /// The seat changed, or who asks for it.
    Seat { at: MonoTime, change: SeatChange, gate: GateView },
    /// The gate changed.
    Changed { at: MonoTime, change: Change, gate: GateView },
    /// Another end holds the emergency stop than before, or none does (DRV-140).
    Held { gate: GateView },
    /// The gate waits for something else.
    Needs { at: MonoTime, gate: GateView },
    /// The latency begins or ceases to bound the speed while the vehicle drives.
    Slowed { at: MonoTime, gate: GateView },
    /// The motors do not take what they are given, or do again.
    Motors { at: MonoTime, is_silent: bool },
    /// What the scheduler granted.
    RealTime(Vec<RealTimeGrant>),
}

/// Where one end's commands come from.
pub(super) struct Post {
    subscriber: Subscriber,
    session: Session,
    /// Pictures do not reach that end.
    blind: Arc<AtomicBool>,
    /// The newest session that was told of.
    seen: u64,
}

impl Post {
    /// Commands by `subscriber`, in sessions as `session` says; `blind`: pictures do not reach that end.
    pub(super) fn new(subscriber: Subscriber, session: Session, blind: Arc<AtomicBool>) -> Post {
        Post { subscriber, session, blind, seen: 0 }
    }
}

/// The thread's belongings.
pub(super) struct Commands<M> {
    /// The first end's, and those of the others, in the order of the seat's ends.
    pub(super) posts: Vec<Post>,
    pub(super) motors: M,
    /// What they were given, for others to see.
    pub(super) given: Arc<Given>,
    /// They take what they are given within this.
    pub(super) deadline: Duration,
    /// For how long the machine was suspended since this was asked last, if it was.
    pub(super) suspended: Box<dyn FnMut() -> Option<Duration> + Send>,
    pub(super) same_clock: bool,
    pub(super) fifo_priority: Option<u8>,
    pub(super) mail: Mail<Report>,
    pub(super) stop: StopFlag,
}

impl<M: Motors + 'static> Commands<M> {
    /// Starts the thread; it gives the gate back at its end.
    pub(super) fn start(self, gate: Gate, seat: Seat) -> Result<JoinHandle<Gate>, DriveError> {
        let thread = thread::Builder::new().name("commands".into());
        thread.spawn(move || self.run(gate, seat)).map_err(DriveError::Thread)
    }

    fn run(self, gate: Gate, seat: Seat) -> Gate {
        self.mail.post(Report::RealTime(make_real_time("commands", self.fifo_priority)));
        let mut turn = Turn { gate, seat, told: Told::default(), thread: self };
        while !turn.thread.stop.is_set() && !turn.is_closed() {
            turn.take();
        }
        turn.stop_if_closed();
        turn.end();
        // What was not taken is none: the watchdog's last look says so.
        if turn.give(Controls::released(1.0, turn.gate.output().steering())).outcome.is_ok() {
            turn.thread.given.leave(clock::now(), turn.gate.state());
            turn.thread.given.end();
        }
        turn.gate
    }
}

/// The gate and what it is fed from.
struct Turn<M> {
    gate: Gate,
    seat: Seat,
    told: Told,
    thread: Commands<M>,
}

/// What became of what the motors were given.
#[derive(Clone, Copy)]
struct Gift {
    took: Duration,
    outcome: Result<(), Untaken>,
}

/// What the main thread knows of the gate.
#[derive(Default)]
struct Told {
    /// What it waits for.
    need: Need,
    /// Which end holds the emergency stop.
    holder: Option<usize>,
    /// The latency bounds its speed.
    is_slowed: bool,
}

impl<M: Motors> Turn<M> {
    /// One command, or one wait without any.
    fn take(&mut self) {
        let (driver, wait) = (self.seat.driver(), self.wait());
        self.take_others(driver);
        let post = &self.thread.posts[driver];
        if post.subscriber.is_closed() {
            // Its link died: nothing waits there any more, and nothing will come.
            thread::sleep(wait);
            let now = clock::now();
            let change = self.gate.on_link_closed(now);
            self.tell(now, change);
        }
        let sample = self.thread.posts[driver].subscriber.receive(wait);
        self.step(sample.as_ref().map(|sample| (driver, sample)));
    }

    /// What the ends sent that do not drive: as much as one turn of the driver's brings. The motors hear of it only where it
    /// changes something, so that many who watch do not keep them from the driver's commands.
    fn take_others(&mut self, driver: usize) {
        let before = (self.gate.state(), self.seat.driver());
        for from in (0..self.thread.posts.len()).filter(|from| *from != driver) {
            for _ in 0..MOST_OF_OTHERS {
                let Some(sample) = self.thread.posts[from].subscriber.receive(Duration::ZERO) else { break };
                self.on_sample(from, &sample);
            }
        }
        if before != (self.gate.state(), self.seat.driver()) {
            self.step(None);
        }
    }

    /// The first end's link is the program's: with it the run ends.
    fn is_closed(&self) -> bool {
        self.thread.posts[0].subscriber.is_closed()
    }

    fn wait(&self) -> Duration {
        let now = clock::now();
        let longest = if self.thread.posts.len() > 1 { WAIT_BESIDE_OTHERS } else { LONGEST_WAIT };
        self.gate.wake_at(now).map_or(longest, |at| at.since(now).min(longest))
    }

    /// The time that passed counts on every turn: samples without end, of which none is a command, must not put the safe
    /// stop off.
    fn step(&mut self, sample: Option<(usize, &Sample)>) {
        if (self.thread.suspended)().is_some() {
            let now = clock::now();
            let change = self.gate.on_suspended(now);
            self.tell(now, change);
        }
        for from in 0..self.thread.posts.len() {
            if let Some(session) = self.thread.posts[from].session.get() {
                self.on_session(from, session);
            }
        }
        self.look();
        if let Some((from, sample)) = sample {
            self.on_sample(from, sample);
        }
        let now = clock::now();
        let seat = self.seat.on_tick(now, self.is_held());
        self.on_seat(now, seat);
        if let Some(mps) = self.thread.motors.speed_mps() {
            self.gate.on_speed(now, mps);
        }
        let change = self.gate.on_tick(now);
        self.tell(now, change);
        self.set_motors();
        self.tell_holder(now);
        self.tell_need(now);
        self.tell_speed(now);
    }

    /// A link whose thread died brings no command any more: the deadline need not pass for that to be known (LNK-76).
    fn stop_if_closed(&mut self) {
        if self.is_closed() {
            let now = clock::now();
            let change = self.gate.on_link_closed(now);
            self.tell(now, change);
        }
    }

    /// Whoever looks on sees a vehicle that drives no more (DRV-134).
    fn end(&mut self) {
        let now = clock::now();
        let change = self.gate.on_end(now);
        self.tell(now, change);
    }

    /// Each session is told once, whoever tells of it first.
    fn on_session(&mut self, from: usize, session: u64) {
        if session <= self.thread.posts[from].seen {
            return;
        }
        self.thread.posts[from].seen = session;
        let now = clock::now();
        self.seat.on_new_session(now, from);
        if from == self.seat.driver() {
            let change = self.gate.on_new_session(now);
            self.tell(now, change);
        }
    }

    /// Another end may drive from now on: it begins from nothing (DRV-126).
    fn on_seat(&mut self, now: MonoTime, change: Option<SeatChange>) {
        let Some(change) = change else { return };
        if matches!(change, SeatChange::Moved { .. }) {
            let change = self.gate.on_new_driver(now);
            self.tell(now, change);
        }
        let gate = self.view(now);
        self.thread.mail.post(Report::Seat { at: now, change, gate });
    }

    /// The brakes hold the vehicle.
    fn is_held(&self) -> bool {
        !matches!(self.gate.state(), State::Driving | State::Stopping)
    }

    fn view(&self, now: MonoTime) -> GateView {
        GateView::of(&self.gate, &self.seat, now)
    }

    /// Whether the driver sees anything (DRV-89).
    fn look(&mut self) {
        if !self.thread.posts[self.seat.driver()].blind.load(Ordering::Relaxed) {
            self.gate.on_sight();
            return;
        }
        let now = clock::now();
        let change = self.gate.on_blind(now);
        self.tell(now, change);
    }

    fn on_sample(&mut self, from: usize, sample: &Sample) {
        self.on_session(from, sample.session);
        let arrival = clock::now();
        let delivered = &sample.delivered;
        let command = Command::decode(&delivered.payload);
        let arrived = self.arrived(sample, arrival, command.as_ref().ok());
        match command {
            // A command of a session that is over would keep out those of the new one by its higher number.
            Ok(command) if sample.session == self.thread.posts[from].seen => {
                self.on_command(from, arrived, delivered, &command);
            }
            Ok(_) => self.tell_command(from, arrived, delivered),
            Err(why) => self.thread.mail.post(Report::Unreadable { from, arrived, why }),
        }
    }

    fn on_command(
        &mut self,
        from: usize,
        arrived: Arrived,
        delivered: &Delivered,
        command: &Command<PeerTime>,
    ) {
        let now = clock::now();
        // The wait between arrival and this thread is part of the age that counts for the motors.
        let estimate = delivered.age + now.since(delivered.at);
        let age = Age { estimate, error: delivered.age_error };
        let (verdict, seat) = self.seat.on_command(now, from, age, command, self.is_held());
        match verdict {
            Verdict::Driver => {
                let reaction = self.gate.on_command(now, age, command);
                self.tell(now, reaction.missed);
                self.tell(now, reaction.change);
            }
            Verdict::Stop => {
                let change = self.gate.on_other_stop(now);
                if change.is_some() {
                    self.thread.mail.post(Report::StoppedBy { at: now, end: from });
                }
                self.tell(now, change);
            }
            Verdict::VoidReset => self.gate.on_void_reset(now),
            Verdict::NotSeated => self.gate.on_not_seated(),
        }
        self.on_seat(now, seat);
        self.tell_command(from, arrived, delivered);
    }

    fn tell_command(&self, from: usize, arrived: Arrived, delivered: &Delivered) {
        let (age, bytes) = (delivered.age, delivered.payload.len());
        let gate = self.view(arrived.arrival);
        self.thread.mail.post(Report::Command { from, arrived, age, bytes, gate });
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
            self.thread.mail.post(Report::Changed { at, change, gate: self.view(at) });
        }
    }

    /// Time alone ends it where an end has gone, and no command may come that would tell of it.
    fn tell_holder(&mut self, now: MonoTime) {
        let gate = self.view(now);
        if std::mem::replace(&mut self.told.holder, gate.seat.holder) != gate.seat.holder {
            self.thread.mail.post(Report::Held { gate });
        }
    }

    fn tell_need(&mut self, now: MonoTime) {
        let gate = self.view(now);
        if std::mem::replace(&mut self.told.need, gate.need) != gate.need {
            self.thread.mail.post(Report::Needs { at: now, gate });
        }
    }

    /// A vehicle that stands goes at no speed: what bounds it is told when it drives.
    fn tell_speed(&mut self, now: MonoTime) {
        let gate = self.view(now);
        let is_slowed = gate.cap.is_some_and(|cap| cap.most_mps.is_some());
        if gate.state == State::Driving && is_slowed != self.told.is_slowed {
            self.told.is_slowed = is_slowed;
            self.thread.mail.post(Report::Slowed { at: now, gate });
        }
    }

    /// Motors that took too long, or took nothing for so long, have controls from before, and those that changed have been
    /// enabled by nobody: they get the brake before anybody takes them for good (DRV-101, DRV-121, DRV-133).
    fn set_motors(&mut self) {
        let mut gift = self.give(self.gate.output());
        if self.is_late(gift) {
            let now = clock::now();
            let change = self.gate.on_motors_late(now);
            self.tell(now, change);
            gift = self.give(self.gate.output());
        }
        if gift.outcome.is_ok() {
            self.thread.given.leave(clock::now(), self.gate.state());
        }
    }

    fn is_late(&self, gift: Gift) -> bool {
        let untaken_for = || clock::now().since(self.thread.given.last().0);
        let is_overdue = || self.gate.state() == State::Driving && untaken_for() > self.thread.deadline;
        let is_reason = match gift.outcome {
            Ok(()) => false,
            Err(Untaken::Refused) => is_overdue(),
            Err(Untaken::Changed) => true,
        };
        gift.took > self.thread.deadline || is_reason
    }

    fn give(&mut self, controls: Controls) -> Gift {
        let now = clock::now();
        self.thread.given.enter(now);
        self.thread.motors.bound(self.gate.cap(now).and_then(|cap| cap.most_mps));
        let outcome = self.thread.motors.set(now, &controls);
        self.gate.on_given(outcome.is_ok());
        if outcome.is_err() {
            self.thread.given.refuse();
        }
        Gift { took: clock::now().since(now), outcome }
    }
}

#[cfg(test)]
mod tests;
