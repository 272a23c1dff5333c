//! Two machines that trust each other, in one folder, and their programs in one process.
#![allow(dead_code, reason = "each test program uses a part")]

pub mod keys;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::robot;
use tokkyu_drive::control::Controls;
use tokkyu_drive::operator::{self, OperatorOptions, OperatorStatus, OperatorSummary};
use tokkyu_drive::program::{Display, DriveError, Driver, EndOptions, Happening, Quiet, Ready, StopFlag};
use tokkyu_drive::vehicle::{self, Motors, NoMotors, Untaken, VehicleOptions, VehicleStatus, VehicleSummary};
use tokkyu_link::carrier::SecretKey;
use tokkyu_link::runtime::site::Overrides;
use tokkyu_measure::record;

/// Two cameras that fire together, and commands.
pub const ROBOT: &str = "robot: rover
flows:
  camera/front: {rate: 20 Hz, size: 20 kB, class: realtime, depth: 1, lifespan: 400 ms, source: {dummy: 20 kB}}
  camera/rear: {rate: 20 Hz, size: 20 kB, class: realtime, depth: 1, lifespan: 400 ms, source: {test: picture}}
  drive/command: {rate: 50 Hz, class: control, depth: 1, lifespan: 150 ms, deadline: 100 ms, toward: vehicle}
";

/// Keeps what it is told.
pub struct Ear<S> {
    pub ready: Sender<SocketAddr>,
    pub heard: Arc<Mutex<Heard<S>>>,
}

pub struct Heard<S> {
    pub statuses: Vec<S>,
    pub events: Vec<String>,
}

pub type Hearing<S> = Arc<Mutex<Heard<S>>>;

pub fn ear<S>() -> (Ear<S>, Receiver<SocketAddr>, Hearing<S>) {
    let (ready, local) = channel();
    let heard = Arc::new(Mutex::new(Heard { statuses: Vec::new(), events: Vec::new() }));
    (Ear { ready, heard: Arc::clone(&heard) }, local, heard)
}

impl<S: Clone> Display<S> for Ear<S> {
    fn on_ready(&mut self, ready: &Ready) {
        let _ = self.ready.send(ready.local);
    }

    fn on_status(&mut self, _: MonoTime, status: &S) {
        self.heard.lock().unwrap().statuses.push(status.clone());
    }

    fn on_event(&mut self, _: MonoTime, event: &Happening) {
        self.heard.lock().unwrap().events.push(event.text.clone());
    }
}

/// Two machines that trust each other, in one folder.
pub struct Yard {
    pub dir: TempDir,
}

impl Yard {
    pub fn new() -> Yard {
        let dir = tempfile::tempdir().unwrap();
        for name in ["vehicle", "operator", "boss", "screen", "stranger"] {
            SecretKey::create(&dir.path().join(name), name).unwrap();
        }
        Yard { dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn link(&self, identity: &str, trust: &str) -> Overrides {
        let (identity, trust) = (Some(self.path(identity)), vec![self.path(trust)]);
        Overrides { identity, trust, priority: Some(0), ..Overrides::default() }
    }

    pub fn vehicle(&self, robot: &str, operator: SocketAddr) -> VehicleOptions {
        let end = EndOptions {
            robot: robot::parse("robot.yaml", robot).unwrap(),
            link: self.link("vehicle", "operator.pub"),
            records: Some(self.path("vehicle.csv")),
            summary: Some(self.path("vehicle.json")),
            same_clock: true,
            ..EndOptions::default()
        };
        VehicleOptions { end, operator: Some(operator), ..VehicleOptions::default() }
    }

    pub fn operator(&self, robot: &str) -> OperatorOptions {
        let end = EndOptions {
            robot: robot::parse("robot.yaml", robot).unwrap(),
            link: self.link("operator", "vehicle.pub"),
            records: Some(self.path("operator.csv")),
            summary: Some(self.path("operator.json")),
            same_clock: true,
            ..EndOptions::default()
        };
        let listen = Some("127.0.0.1:0".parse().unwrap());
        OperatorOptions { end, listen, control: Some(Driver::Pattern), ..OperatorOptions::default() }
    }
}

/// Options of either end.
pub trait Options {
    fn end(&mut self) -> &mut EndOptions;
}

impl Options for VehicleOptions {
    fn end(&mut self) -> &mut EndOptions {
        &mut self.end
    }
}

impl Options for OperatorOptions {
    fn end(&mut self) -> &mut EndOptions {
        &mut self.end
    }
}

pub fn with<O: Options>(mut options: O, change: impl FnOnce(&mut EndOptions)) -> O {
    change(options.end());
    options
}

/// A running operator.
pub struct Running {
    pub local: SocketAddr,
    pub heard: Hearing<OperatorStatus>,
    pub stop: StopFlag,
    pub thread: thread::JoinHandle<Result<OperatorSummary, DriveError>>,
}

pub fn start_operator(options: OperatorOptions) -> Running {
    let (mut ear, local, heard) = ear();
    let stop = StopFlag::new();
    let for_thread = stop.clone();
    let thread = thread::spawn(move || operator::run_with(options, &mut ear, &for_thread));
    let local = local.recv_timeout(Duration::from_secs(10)).expect("the operator listens");
    Running { local, heard, stop, thread }
}

/// A running vehicle, and what its motors got.
pub struct Driven {
    pub heard: Hearing<VehicleStatus>,
    pub motors: Arc<Mutex<Vec<Controls>>>,
    pub stop: StopFlag,
    pub thread: thread::JoinHandle<Result<VehicleSummary, DriveError>>,
}

pub fn start_vehicle(options: VehicleOptions) -> Driven {
    let (mut ear, _, heard) = ear();
    let (motors, stop) = (Arc::<Mutex<Vec<Controls>>>::default(), StopFlag::new());
    let (wheels, for_thread) = (Wheels(Arc::clone(&motors)), stop.clone());
    let thread = thread::spawn(move || vehicle::run_with(options, &mut ear, wheels, &for_thread));
    Driven { heard, motors, stop, thread }
}

impl Driven {
    /// Whether it told of something with these words.
    pub fn told(&self, words: &str) -> bool {
        self.heard.lock().unwrap().events.iter().any(|text| text.contains(words))
    }

    /// Whether its motors ever got so much throttle or more.
    pub fn moved(&self, throttle: f32) -> bool {
        self.motors.lock().unwrap().iter().any(|controls| controls.throttle() >= throttle)
    }
}

/// Drives to the end, or for twenty seconds: a run that should have ended by itself is interrupted and not waited for.
pub fn drive(options: VehicleOptions) -> Result<VehicleSummary, DriveError> {
    let (stop, (ended, end)) = (StopFlag::new(), channel::<()>());
    let for_watch = stop.clone();
    thread::spawn(move || {
        let _ = end.recv_timeout(Duration::from_secs(20));
        for_watch.set();
    });
    let result = vehicle::run_with(options, &mut Quiet, NoMotors, &stop);
    drop(ended);
    result
}

pub fn read(path: &Path) -> Vec<record::Record> {
    record::read(path).unwrap()
}

/// Remembers the last controls it got.
pub struct Wheels(pub Arc<Mutex<Vec<Controls>>>);

impl Motors for Wheels {
    fn set(&mut self, _: MonoTime, controls: &Controls) -> Result<(), Untaken> {
        self.0.lock().unwrap().push(*controls);
        Ok(())
    }
}

pub fn wait_for(mut condition: impl FnMut() -> bool) {
    // Three rounds of the built-in drive: a busy machine may spoil an enabling, and the next one comes after 20 s.
    for _ in 0..6_000 {
        if condition() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("it did not happen within a minute");
}
