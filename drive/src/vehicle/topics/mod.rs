//! Motors that are topics of the robot's own ROS nodes: the gate's output, its state, and diagnostics, whichever ROS
//! carries them. SPEC.md DRV-112 to DRV-121.
//!
//! ```text
//!   commands' thread ─ set ─▶ wanted ─▶ command topic      nobody reads it: not taken, so nothing enables
//!                                                          others read it while the vehicle drives: it stops
//!   main thread ─ on_gate ─▶ state, diagnosis ─▶ their topics
//! ```

mod diagnosis;
mod readers;
mod speed;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokkyu_bridge::motors::{Subscribers, Topics, Untold};
use tokkyu_contract::yaml::Robot;
use tokkyu_contract::yaml::output::{Output, Part};
use tokkyu_contract::yaml::vehicle::Vehicle;
use tokkyu_contract::{MonoTime, WallTime};
use tokkyu_link::carrier::clock;

use super::motors::{Motors, Untaken};
use super::onlooker::{MotorsStatus, MotorsTopic, Onlooker};
use super::wanted::wanted;
use crate::control::Controls;
use crate::safety::report::{GateReport, REPORT_EVERY};
use crate::safety::{Cause, State};
use readers::Readers;
pub use speed::ToldSpeed;

/// Between two diagnoses.
const DIAGNOSIS_EVERY: Duration = Duration::from_secs(1);

/// What is to be opened, and where.
pub struct TopicsOpened {
    /// The topics.
    pub topics: Box<dyn Topics>,
    /// The speed that the base tells.
    pub speed: Arc<ToldSpeed>,
    /// By which way, such as `ROS 2 domain 0`.
    pub way: String,
}

/// See the module. Clones are of the same topics: one drive after the other.
#[derive(Clone)]
pub struct TopicMotors {
    shared: Arc<Shared>,
    once: speed::Once,
    readers: Readers,
    /// The vehicle may go at most so fast, m/s.
    most_mps: Option<f32>,
}

struct Shared {
    opened: TopicsOpened,
    robot: String,
    vehicle: Vehicle,
    output: Output,
    books: Books,
}

/// Stands for a number of subscribers that is not known.
const UNKNOWN: u64 = u64::MAX;

/// What became of the commands.
struct Books {
    /// At the last look, or [`UNKNOWN`]. Who shows it does not ask the middleware: that would hold a lock of it for which the
    /// commands' thread then waits, at the priority of the one that asks.
    subscribers: AtomicU64,
    given: AtomicU64,
    untaken: AtomicU64,
    /// How often others came or went while the vehicle drove.
    changes: AtomicU64,
    trouble: Mutex<Option<String>>,
}

impl Default for Books {
    fn default() -> Books {
        let [given, untaken, changes] = Default::default();
        Books { subscribers: AtomicU64::new(UNKNOWN), given, untaken, changes, trouble: Mutex::default() }
    }
}

impl Books {
    fn on_look(&self, seen: Option<Subscribers>) {
        self.subscribers.store(seen.map_or(UNKNOWN, |seen| seen.now), Ordering::Relaxed);
    }

    /// How many there were at the last look.
    fn subscribers(&self) -> Option<u64> {
        Some(self.subscribers.load(Ordering::Relaxed)).filter(|count| *count != UNKNOWN)
    }

    /// Counts it. Waits for nobody: a trouble that finds the place in use is told by the next one.
    fn on_command(&self, outcome: Result<(), String>) -> Result<(), Untaken> {
        let result = outcome.as_ref().map(|_| ()).map_err(|_| Untaken::Refused);
        let count = if result.is_ok() { &self.given } else { &self.untaken };
        count.fetch_add(1, Ordering::Relaxed);
        if let Ok(mut trouble) = self.trouble.try_lock()
            && *trouble != outcome.clone().err()
        {
            *trouble = outcome.err();
        }
        result
    }

    /// The main thread tells it by its count: the trouble of the next command would hide it.
    fn on_change(&self) -> Untaken {
        self.untaken.fetch_add(1, Ordering::Relaxed);
        self.changes.fetch_add(1, Ordering::Relaxed);
        Untaken::Changed
    }
}

impl TopicMotors {
    /// The motors of `robot`, whose topics were opened as it declares; `None` where it declares none.
    pub fn new(robot: &Robot, opened: TopicsOpened) -> Option<TopicMotors> {
        let output = robot.vehicle.output.clone()?;
        let (vehicle, robot) = (robot.vehicle.clone(), robot.name.clone());
        let shared = Shared { opened, robot, vehicle, output, books: Books::default() };
        Some(TopicMotors {
            shared: Arc::new(shared),
            once: speed::Once::default(),
            readers: Readers::default(),
            most_mps: None,
        })
    }
}

impl Shared {
    fn command(&self, controls: &Controls, most_mps: Option<f32>) -> Result<(), String> {
        let wanted = wanted(controls, &self.vehicle, self.output.motion, most_mps);
        self.opened.topics.command(&wanted).map_err(|Untold(why)| why)
    }

    /// Where nobody is, nobody obeys.
    fn is_read(&self, seen: Option<Subscribers>) -> Result<(), String> {
        match seen {
            Some(Subscribers { now: 0, .. }) => Err(self.nobody()),
            Some(_) => Ok(()),
            // Whoever cannot say that somebody listens cannot say that anybody obeys.
            None => {
                Err(format!("it is not known who subscribes to /{}: {}", self.output.topic, self.opened.way))
            }
        }
    }

    fn changed(&self) -> String {
        let (topic, way) = (&self.output.topic, &self.opened.way);
        format!(
            "who subscribes to /{topic} ({way}) changed while the vehicle drove: it stops, and has to be enabled anew; \
             an echo, a bag or a bridge counts as a base too"
        )
    }

    fn nobody(&self) -> String {
        let (topic, way) = (&self.output.topic, &self.opened.way);
        format!(
            "nobody subscribes to /{topic} ({way}): the vehicle cannot be enabled; start the robot's base, \
             or mend vehicle.output in robot.yaml"
        )
    }

    /// That of the commands goes first.
    fn trouble(&self) -> Option<String> {
        let of_commands = self.books.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone();
        of_commands.or_else(|| self.opened.topics.trouble())
    }

    fn status(&self, now: MonoTime) -> MotorsStatus {
        let topic = |(part, topic, type_name): (Part, String, &str)| MotorsTopic {
            what: part.as_str().to_owned(),
            topic,
            type_name: type_name.to_owned(),
        };
        MotorsStatus {
            way: self.opened.way.clone(),
            topics: self.output.topics().into_iter().map(topic).collect(),
            subscribers: self.books.subscribers(),
            given: self.books.given.load(Ordering::Relaxed),
            untaken: self.books.untaken.load(Ordering::Relaxed),
            changes: self.books.changes.load(Ordering::Relaxed),
            trouble: self.trouble(),
            speed_mps: self.opened.speed.at(now),
        }
    }
}

impl Motors for TopicMotors {
    /// A stop is published whoever is there. What moves a base is not where others are than at the last look, and who came
    /// in the moment of publishing is seen right after it: nobody obeys who was not there when the driver enabled (DRV-133).
    fn set(&mut self, _: MonoTime, controls: &Controls) -> Result<(), Untaken> {
        let (shared, most_mps) = (Arc::clone(&self.shared), self.most_mps);
        let mut is_changed = || {
            let seen = shared.opened.topics.subscribers();
            shared.books.on_look(seen);
            self.readers.look(seen) && controls.dead_man()
        };
        if is_changed() {
            return Err(shared.books.on_change());
        }
        let outcome = shared.command(controls, most_mps);
        if is_changed() {
            return Err(shared.books.on_change());
        }
        let is_read = || shared.is_read(self.readers.last());
        shared.books.on_command(outcome.and_then(|()| is_read()))
    }

    fn speed_mps(&mut self) -> Option<f32> {
        self.shared.output.speed.as_ref()?;
        self.once.take(&self.shared.opened.speed, clock::now())
    }

    fn throttle_is_speed(&self) -> bool {
        true
    }

    fn bound(&mut self, most_mps: Option<f32>) {
        self.most_mps = most_mps;
    }

    fn onlooker(&mut self) -> Option<Box<dyn Onlooker>> {
        Some(Box::new(Watcher { shared: Arc::clone(&self.shared), told: Told::default() }))
    }

    fn notice(&self) -> Option<String> {
        let (topic, way) = (&self.shared.output.topic, &self.shared.opened.way);
        Some(format!(
            "the gate's output goes to /{topic} ({way}); the base must stop by itself when it hears nothing: there is no \
             second brake"
        ))
    }
}

/// Shows the gate to the robot's other nodes.
struct Watcher {
    shared: Arc<Shared>,
    told: Told,
}

/// What it has told.
#[derive(Default)]
struct Told {
    state: Option<(MonoTime, State)>,
    diagnosis: Option<MonoTime>,
    /// Why the last state, and the last diagnosis, went to nobody.
    untold: [Option<String>; 2],
    /// So many changes of who reads.
    changes: u64,
    /// That a topic takes nothing, in words, for the user.
    trouble: Option<String>,
}

impl Watcher {
    fn tell_state(&mut self, now: MonoTime, state: State) {
        let is_told = |(at, told): (MonoTime, State)| told == state && now.since(at) < REPORT_EVERY;
        if self.told.state.is_some_and(is_told) {
            return;
        }
        self.told.state = Some((now, state));
        self.told.untold[0] = self.shared.opened.topics.state(state.as_str()).err().map(|Untold(why)| why);
    }

    fn tell_diagnosis(
        &mut self,
        now: MonoTime,
        gate: &GateReport,
        cause: Option<Cause>,
        status: &MotorsStatus,
    ) {
        if self.told.diagnosis.is_some_and(|at| now.since(at) < DIAGNOSIS_EVERY) {
            return;
        }
        self.told.diagnosis = Some(now);
        let diagnosis = diagnosis::diagnosis(&self.shared.robot, gate, cause, status);
        let told = self.shared.opened.topics.diagnosis(wall_now(), &diagnosis);
        self.told.untold[1] = told.err().map(|Untold(why)| why);
    }
}

impl Onlooker for Watcher {
    fn on_gate(&mut self, now: MonoTime, gate: &GateReport, cause: Option<Cause>) -> Option<String> {
        let status = self.shared.status(now);
        self.tell_state(now, gate.state);
        self.tell_diagnosis(now, gate, cause, &status);
        if std::mem::replace(&mut self.told.changes, status.changes) != status.changes {
            return Some(self.shared.changed());
        }
        // Of what moves nothing only the user is told.
        let trouble = status.trouble.or_else(|| self.told.untold.iter().flatten().next().cloned());
        if trouble == self.told.trouble {
            return None;
        }
        self.told.trouble.clone_from(&trouble);
        let topic = &self.shared.output.topic;
        Some(trouble.unwrap_or_else(|| format!("/{topic} is read")))
    }

    fn on_end(&mut self, now: MonoTime, gate: &GateReport, cause: Option<Cause>) {
        (self.told.state, self.told.diagnosis) = (None, None);
        // Nobody is left to be told that a topic takes nothing.
        let _ = self.on_gate(now, gate, cause);
    }

    fn status(&self) -> MotorsStatus {
        self.shared.status(clock::now())
    }
}

fn wall_now() -> WallTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    WallTime::from_nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
