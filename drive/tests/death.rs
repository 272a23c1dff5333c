//! What becomes of a drive whose link dies (DRV-90): the vehicle brakes, both programs say why, and their exit
//! code is 1.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use tokkyu_contract::MonoTime;
use tokkyu_contract::yaml::robot;
use tokkyu_drive::control::Controls;
use tokkyu_drive::operator::{self, OperatorOptions};
use tokkyu_drive::program::{Display, DriveError, Driver, EndOptions, ExitCode, Happening, Ready, StopFlag};
use tokkyu_drive::vehicle::{self, Brake, Motors, Untaken, VehicleOptions};
use tokkyu_link::carrier::SecretKey;
use tokkyu_link::runtime::Fault;
use tokkyu_link::runtime::site::Overrides;
use tokkyu_measure::record;

/// A deadline so long that what brakes within a test was not the deadline.
const PATIENT: &str = "robot: rover
flows:
  camera/front: {rate: 20 Hz, size: 20 kB, class: realtime, depth: 1, lifespan: 400 ms, source: {dummy: 20 kB}}
  drive/command: {rate: 50 Hz, class: control, depth: 1, lifespan: 150 ms, deadline: 60 min, toward: vehicle}
";
/// One of a second, that a machine with much to do keeps.
const USUAL: &str = "robot: rover
flows:
  drive/command: {rate: 50 Hz, class: control, depth: 1, lifespan: 900 ms, deadline: 1 s, toward: vehicle}
";

/// Keeps what happened; tells where the program listens.
#[derive(Clone)]
struct Ear {
    ready: Sender<SocketAddr>,
    events: Arc<Mutex<Vec<String>>>,
}

impl<S> Display<S> for Ear {
    fn on_ready(&mut self, ready: &Ready) {
        let _ = self.ready.send(ready.local);
    }

    fn on_status(&mut self, _: MonoTime, _: &S) {}

    fn on_event(&mut self, _: MonoTime, event: &Happening) {
        self.events.lock().unwrap().push(event.text.clone());
    }
}

/// Keeps what the motors got.
#[derive(Clone, Default)]
struct Wheels {
    set: Arc<Mutex<Vec<Controls>>>,
    /// They die of the next throttle.
    weak: StopFlag,
    /// They hold whoever gives them throttle, until they are let go.
    holds: StopFlag,
    lets_go: StopFlag,
    /// The second brake.
    brake: Pulled,
}

/// Whether it is pulled, and how often it was.
#[derive(Clone, Default)]
struct Pulled(Arc<Mutex<(bool, u32)>>);

impl Brake for Pulled {
    fn pull(&mut self) {
        let mut pulled = self.0.lock().unwrap();
        *pulled = (true, pulled.1 + 1);
    }

    fn release(&mut self) {
        self.0.lock().unwrap().0 = false;
    }
}

impl Motors for Wheels {
    fn set(&mut self, _: MonoTime, controls: &Controls) -> Result<(), Untaken> {
        self.set.lock().unwrap().push(*controls);
        assert!(!self.weak.is_set() || controls.throttle() <= 0.0, "the motors are weak");
        while self.holds.is_set() && !self.lets_go.is_set() {
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn second_brake(&mut self) -> Option<Box<dyn Brake>> {
        Some(Box::new(self.brake.clone()))
    }
}

impl Wheels {
    fn turn(&self) -> bool {
        self.set.lock().unwrap().iter().any(|controls| controls.throttle() > 0.0)
    }

    fn last(&self) -> Option<Controls> {
        self.set.lock().unwrap().last().copied()
    }
}

/// A running drive, and what strikes it.
struct Run {
    dir: TempDir,
    faults: [Fault; 2],
    wheels: Wheels,
    events: [Arc<Mutex<Vec<String>>>; 2],
    stop: StopFlag,
    vehicle: thread::JoinHandle<Result<(), DriveError>>,
    operator: thread::JoinHandle<Result<(), DriveError>>,
}

impl Run {
    fn start(robot: &str) -> Run {
        let dir = tempfile::tempdir().unwrap();
        for name in ["vehicle", "operator"] {
            SecretKey::create(&dir.path().join(name), name).unwrap();
        }
        let (faults, stop, wheels) = (<[Fault; 2]>::default(), StopFlag::new(), Wheels::default());
        let ((ready, local), (nobody, _)) = (channel(), channel());
        let ears = [nobody, ready].map(|ready| Ear { ready, events: Arc::default() });
        let events = ears.clone().map(|ear| ear.events);
        let [mut of_vehicle, mut of_operator] = ears;
        let end = end(robot, dir.path(), "operator", "vehicle", &faults[1]);
        let listen = Some("127.0.0.1:0".parse().unwrap());
        let options = OperatorOptions { end, listen, control: Some(Driver::Pattern), ..Default::default() };
        let to_stop = stop.clone();
        let operator =
            thread::spawn(move || operator::run_with(options, &mut of_operator, &to_stop).map(drop));
        let local = local.recv_timeout(Duration::from_secs(20)).expect("the operator listens");
        let end = self::end(robot, dir.path(), "vehicle", "operator", &faults[0]);
        let options = VehicleOptions { end, operator: Some(local), ..Default::default() };
        let (to_stop, motors) = (stop.clone(), wheels.clone());
        let vehicle =
            thread::spawn(move || vehicle::run_with(options, &mut of_vehicle, motors, &to_stop).map(drop));
        wait_for("the vehicle drives", || wheels.turn());
        Run { dir, faults, wheels, events, stop, vehicle, operator }
    }

    fn summary(&self, name: &str) -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(self.dir.path().join(name)).unwrap()).unwrap()
    }
}

fn end(robot: &str, dir: &Path, own: &str, peer: &str, fault: &Fault) -> EndOptions {
    let at = |name: String| Some(dir.join(name));
    EndOptions {
        robot: robot::parse("robot.yaml", robot).unwrap(),
        link: Overrides {
            identity: at(own.to_owned()),
            trust: Vec::<PathBuf>::from_iter(at(format!("{peer}.pub"))),
            priority: Some(0),
            fault: fault.clone(),
            ..Overrides::default()
        },
        records: at(format!("{own}.csv")),
        summary: at(format!("{own}.json")),
        same_clock: true,
        ..EndOptions::default()
    }
}

fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..2_000 {
        if condition() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("within twenty seconds never: {what}");
}

/// LNK-76, DRV-90.
#[test]
fn a_vehicle_whose_link_dies_brakes_at_once_and_ends_with_exit_code_1() {
    let run = Run::start(PATIENT);
    run.faults[0].strike();
    wait_for("it ends by itself", || run.vehicle.is_finished());
    let brake = run.wheels.last().unwrap();
    assert_eq!((brake.throttle(), brake.brake()), (0.0, 1.0));
    let summary = run.summary("vehicle.json");
    assert_eq!(
        (summary["gate"]["state"].as_str(), summary["gate"]["safe_stops"].as_u64()),
        (Some("STOPPING"), Some(1))
    );
    let why = summary["error"].as_str().unwrap();
    assert!(why.contains("the link's thread died: ") && why.contains("death.rs:"), "{why}");
    let cameras = summary["sent"].as_array().unwrap();
    assert_eq!(cameras[0]["stream"], "camera/front", "the program's own count is there");
    assert!(cameras[0]["link_ledger"].is_null() && cameras[0]["ledger"]["offered"].as_u64() > Some(0));
    assert!(run.events[0].lock().unwrap().iter().any(|text| text == why), "it was told when it happened");
    let records = record::read(&run.dir.path().join("vehicle.csv")).unwrap();
    let offered = cameras[0]["ledger"]["offered"].as_u64().unwrap();
    let of_camera = records.iter().filter(|record| record.stream == "camera/front");
    assert_eq!(of_camera.count() as u64, offered, "every picture has its record");
    run.stop.set();
    let error = run.vehicle.join().unwrap().unwrap_err();
    assert!(matches!(&error, DriveError::LinkDied(_)) && error.to_string() == why, "{error}");
    assert_eq!(error.exit_code(), ExitCode::Failed);
    run.operator.join().unwrap().unwrap();
}

/// LNK-76, DRV-90.
#[test]
fn an_operator_whose_link_dies_ends_with_exit_code_1() {
    let run = Run::start(PATIENT);
    run.faults[1].strike();
    wait_for("it ends by itself", || run.operator.is_finished());
    let summary = run.summary("operator.json");
    assert!(summary["ending"].is_null());
    let why = summary["error"].as_str().unwrap();
    assert!(why.contains("the link's thread died: "), "{why}");
    run.stop.set();
    let error = run.operator.join().unwrap().unwrap_err();
    assert_eq!((error.exit_code(), error.to_string().as_str()), (ExitCode::Failed, why));
    run.vehicle.join().unwrap().unwrap();
}

/// DRV-90: the thread between the link and the motors dies, here of the motors themselves.
#[test]
fn a_vehicle_whose_thread_of_commands_dies_brakes_and_ends_with_exit_code_1() {
    let run = Run::start(PATIENT);
    run.wheels.weak.set();
    wait_for("it ends by itself", || run.vehicle.is_finished());
    assert_eq!(*run.wheels.brake.0.lock().unwrap(), (true, 1), "the second brake, however long the deadline");
    let brake = run.wheels.last().unwrap();
    assert_eq!((brake.throttle(), brake.brake()), (0.0, 1.0));
    run.stop.set();
    let error = run.vehicle.join().unwrap().unwrap_err();
    assert!(error.to_string().contains("the thread commands died: the motors are weak"), "{error}");
    assert_eq!(error.exit_code(), ExitCode::Failed);
    run.operator.join().unwrap().unwrap();
}

/// DRV-100 to DRV-103.
#[test]
fn motors_that_hold_their_thread_are_braked_the_other_way_and_told_at_both_ends() {
    let run = Run::start(USUAL);
    run.wheels.holds.set();
    wait_for("the second brake is pulled", || run.wheels.brake.0.lock().unwrap().0);
    let told =
        |end: usize, words: &str| run.events[end].lock().unwrap().iter().any(|text| text.contains(words));
    wait_for("the vehicle says so", || told(0, "THE MOTORS DO NOT ANSWER: the second brake is pulled"));
    wait_for("and the operator", || told(1, "THE MOTORS DO NOT ANSWER, the vehicle says"));
    run.wheels.lets_go.set();
    wait_for("it is let go", || !run.wheels.brake.0.lock().unwrap().0);
    wait_for("the vehicle stops", || told(0, "STOPPING: the motors did not take their controls in time"));
    wait_for("the operator hears of it", || told(1, "the motors answer again"));
    let last = run.wheels.last().unwrap();
    assert!(last.throttle() <= 0.0 && last.brake() > 0.0, "they have the brake: {last:?}");
    run.stop.set();
    wait_for("it ends", || run.vehicle.is_finished());
    let summary = run.summary("vehicle.json");
    assert!(summary["gate"]["safe_stops"].as_u64() >= Some(1));
    run.vehicle.join().unwrap().unwrap();
    run.operator.join().unwrap().unwrap();
}

/// DRV-100: also when they never come back.
#[test]
fn motors_that_never_let_go_do_not_keep_the_program_from_ending() {
    let run = Run::start(USUAL);
    run.wheels.holds.set();
    wait_for("the second brake is pulled", || run.wheels.brake.0.lock().unwrap().0);
    run.stop.set();
    let error = run.vehicle.join().unwrap().unwrap_err();
    assert!(matches!(error, DriveError::MotorsHang), "{error}");
    assert_eq!(error.exit_code(), ExitCode::Failed);
    assert_eq!(*run.wheels.brake.0.lock().unwrap(), (true, 1), "it stays pulled");
    run.wheels.lets_go.set();
    run.operator.join().unwrap().unwrap();
}
