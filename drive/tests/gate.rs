//! The gate between real programs: vehicle and operator over a real socket of this machine, both in one process. What is
//! asserted is what the motors got, never how fast something was.

mod yard;

use std::fs;
use std::process::Command;
use std::thread;

use tokkyu_drive::control::Controls;
use tokkyu_drive::operator::{GateHeard, OperatorOptions, OperatorStatus};
use tokkyu_drive::program::{DriveError, Driver, ExitCode, Quiet, StopFlag};
use tokkyu_drive::safety::Need;
use tokkyu_drive::vehicle::{self, NoMotors, VehicleOptions};
use yard::keys::start_at_keyboard;
use yard::{Driven, ROBOT, Running, Yard, start_operator, start_vehicle, wait_for};

#[test]
fn a_vehicle_whose_operator_leaves_brakes_and_says_so() {
    let yard = Yard::new();
    let operator = start_operator(yard.operator(ROBOT));
    let vehicle = start_vehicle(yard.vehicle(ROBOT, operator.local));
    wait_for(|| vehicle.moved(0.01));
    operator.stop.set();
    operator.thread.join().unwrap().unwrap();
    wait_for(|| vehicle.told("STOPPED"));
    let brakes = |controls: &Controls| controls.brake() == 1.0 && controls.throttle() == 0.0;
    wait_for(|| vehicle.motors.lock().unwrap().last().is_some_and(brakes));
    vehicle.stop.set();
    let summary = vehicle.thread.join().unwrap().unwrap();
    assert_eq!(summary.exit_code(), ExitCode::Interrupted);
    let gate = summary.gate.unwrap();
    assert_eq!((gate.state.as_str(), gate.safe_stops), ("STOPPED", 1));
    assert!(summary.gate_log.iter().any(|entry| entry.first.text.contains("DeadlineMissed")));
}

#[test]
fn an_operator_that_quits_with_its_emergency_stop_still_brings_it_to_the_vehicle() {
    let yard = Yard::new();
    let (operator, keys) = start_at_keyboard(yard.operator(ROBOT));
    let (options, stop) = (yard.vehicle(ROBOT, operator.local), StopFlag::new());
    let for_thread = stop.clone();
    let vehicle = thread::spawn(move || vehicle::run_with(options, &mut Quiet, NoMotors, &for_thread));
    let gate_is = |is: &dyn Fn(&GateHeard) -> bool| {
        let heard = operator.heard.lock().unwrap();
        heard.statuses.last().and_then(|status| status.gate.as_ref()).is_some_and(is)
    };
    wait_for(|| {
        if gate_is(&|gate| gate.waits_for == Need::DeadMan.as_str()) {
            keys.send('e').unwrap();
        }
        gate_is(&|gate| gate.state == "driving")
    });
    ['x', 'q'].into_iter().for_each(|key| keys.send(key).unwrap());
    operator.thread.join().unwrap().expect("the vehicle told that it stopped");
    stop.set();
    let gate = vehicle.join().unwrap().unwrap().gate.unwrap();
    assert_eq!(gate.state, "EMERGENCY STOP");
}

/// DRV-98.
#[test]
fn an_emergency_stop_outlives_the_vehicles_program_and_ends_by_its_release() {
    let yard = Yard::new();
    let (operator, keys) = start_at_keyboard(yard.operator(ROBOT));
    let start = || {
        let _ = fs::remove_file(yard.path("vehicle.csv"));
        let options = yard.vehicle(ROBOT, operator.local);
        start_vehicle(VehicleOptions { state: Some(yard.path("state")), ..options })
    };
    let is = |vehicle: &Driven, state: &str| {
        let heard = vehicle.heard.lock().unwrap();
        let gate = heard.statuses.last().and_then(|status| status.control.as_ref());
        gate.is_some_and(|gate| gate.state == state)
    };
    let end = |vehicle: Driven| {
        vehicle.stop.set();
        vehicle.thread.join().unwrap().unwrap();
    };
    let file = yard.path("state").join("rover.emergency-stop");
    let stopped = start();
    wait_for(|| {
        keys.send('x').unwrap();
        is(&stopped, "EMERGENCY STOP") && file.exists()
    });
    // The operator does not ask for it any more, and the vehicle still stands by it.
    keys.send('r').unwrap();
    wait_for(|| is(&stopped, "locked") && !file.exists());
    fs::write(&file, "").unwrap();
    end(stopped);
    let again = start();
    wait_for(|| is(&again, "EMERGENCY STOP"));
    assert!(!again.moved(0.001));
    wait_for(|| {
        keys.send('r').unwrap();
        is(&again, "locked")
    });
    wait_for(|| !file.exists());
    end(again);
    operator.stop.set();
    operator.thread.join().unwrap().unwrap();
}

#[test]
fn an_emergency_stop_nobody_confirmed_is_told_at_the_end() {
    let yard = Yard::new();
    let (operator, keys) = start_at_keyboard(yard.operator(ROBOT));
    ['x', 'q'].into_iter().for_each(|key| keys.send(key).unwrap());
    let error = operator.thread.join().unwrap().unwrap_err();
    assert!(matches!(error, DriveError::StopNotConfirmed), "{error}");
    assert_eq!(error.exit_code(), ExitCode::Failed);
    assert!(fs::read_to_string(yard.path("operator.json")).unwrap().contains("did not confirm"));
}

/// A drive file of full throttle in a bend, held from the beginning on, or enabled anew every three seconds.
fn full_throttle(yard: &Yard, enabled: bool) -> Driver {
    let path = yard.path(if enabled { "enabled.csv" } else { "held.csv" });
    let round = |n: u32| {
        let at = |ms: u32| 3_000 * n + ms;
        format!("{},0,0,0,1,0,1\n{},0,0,0.3,1,1,1\n{},1.0,0,0.3,1,0,1\n", at(0), at(1_500), at(1_700))
    };
    let lines = if enabled { (0..30).map(round).collect() } else { "0,1.0,0,0.3,1,1,1\n".to_owned() };
    let header = tokkyu_drive::control::recording::HEADER;
    fs::write(&path, format!("{header}\n{lines}600000,0,0,0,0,0,1\n")).unwrap();
    Driver::File(path)
}

#[test]
fn full_throttle_held_over_a_new_session_does_not_move_the_vehicle() {
    let yard = Yard::new();
    let drives =
        |enabled| OperatorOptions { control: Some(full_throttle(&yard, enabled)), ..yard.operator(ROBOT) };
    let first = start_operator(drives(true));
    let vehicle = start_vehicle(yard.vehicle(ROBOT, first.local));
    wait_for(|| vehicle.moved(1.0));
    first.stop.set();
    first.thread.join().unwrap().unwrap();
    wait_for(|| vehicle.told("STOPPED"));
    let before = vehicle.motors.lock().unwrap().len();
    fs::remove_file(yard.path("operator.csv")).unwrap();
    let again = OperatorOptions { listen: Some(first.local), ..drives(false) };
    let second = start_operator(again);
    let refused = || {
        let heard = vehicle.heard.lock().unwrap();
        let gate = heard.statuses.last().and_then(|status| status.control.clone());
        gate.filter(|gate| gate.waits_for == Need::Neutral.as_str())
            .map_or(0, |gate| gate.commands.not_enabled)
    };
    wait_for(|| refused() > 100);
    let told = |status: &OperatorStatus| {
        status.gate.as_ref().is_some_and(|gate| gate.waits_for == Need::Neutral.as_str())
    };
    wait_for(|| second.heard.lock().unwrap().statuses.last().is_some_and(told));
    let since = vehicle.motors.lock().unwrap()[before..].to_vec();
    assert!(since.iter().all(|controls| *controls == Controls::released(1.0, 0.3)), "{since:?}");
    [&vehicle.stop, &second.stop].into_iter().for_each(StopFlag::set);
    second.thread.join().unwrap().unwrap();
    vehicle.thread.join().unwrap().unwrap();
}

/// [`ROBOT`] as a vehicle that takes 400 ms itself: 25 km/h are left of its 50, and less over any link.
fn slow_robot() -> String {
    let rule = "vehicle: {degraded: {speed: 50 km/h, at: 200 ms, reaction: 400 ms, cameras: [camera/front]}}\nflows:";
    ROBOT.replace("flows:", rule)
}

#[test]
fn a_vehicle_drives_no_faster_than_the_latency_allows_and_both_ends_say_so() {
    let yard = Yard::new();
    let operator = start_operator(yard.operator(&slow_robot()));
    let vehicle = start_vehicle(yard.vehicle(&slow_robot(), operator.local));
    wait_for(|| vehicle.moved(0.05));
    wait_for(|| vehicle.told("SLOWER: at most"));
    let wants_all = |status: &OperatorStatus| {
        let control = status.control.as_ref().and_then(|control| control.controls);
        status.gate.as_ref().is_some_and(|gate| gate.state == "driving")
            && control.is_some_and(|c| c.throttle > 0.34)
    };
    wait_for(|| operator.heard.lock().unwrap().statuses.last().is_some_and(wants_all));
    let slower = |most_kmh: Option<f64>| most_kmh.is_some_and(|kmh| kmh > 1.0 && kmh <= 25.0);
    wait_for(|| {
        let heard = operator.heard.lock().unwrap();
        let gate = heard.statuses.last().and_then(|status| status.gate.as_ref());
        gate.and_then(|gate| gate.cap).is_some_and(|cap| slower(cap.most_kmh) && cap.pictures_ms.is_some())
    });
    [&vehicle.stop, &operator.stop].into_iter().for_each(StopFlag::set);
    operator.thread.join().unwrap().unwrap();
    let cap = vehicle.thread.join().unwrap().unwrap().gate.unwrap().cap.unwrap();
    assert!(cap.latency_ms.is_none_or(|ms| ms > 400.0), "{cap:?}");
    // The built-in drive wants 0.35 at most; half of it is what 25 of 50 km/h leave.
    assert!(!vehicle.motors.lock().unwrap().iter().any(|controls| controls.throttle() > 0.35 / 2.0));
}

#[test]
fn who_lacks_the_pictures_of_one_camera_that_counts_enables_nothing() {
    let yard = Yard::new();
    let camera = "  camera/gone: {class: realtime, lifespan: 400 ms, source: {test: picture}}\n";
    let sees_more =
        format!("{}{camera}", slow_robot().replace("[camera/front]", "[camera/front, camera/gone]"));
    let operator = start_operator(yard.operator(&sees_more));
    let vehicle = start_vehicle(yard.vehicle(&slow_robot(), operator.local));
    let waits = |status: &OperatorStatus| {
        status.gate.as_ref().is_some_and(|gate| gate.waits_for == Need::Pictures.as_str())
    };
    wait_for(|| operator.heard.lock().unwrap().statuses.last().is_some_and(waits));
    let refused = || {
        let heard = vehicle.heard.lock().unwrap();
        let gate = heard.statuses.last().and_then(|status| status.control.clone());
        gate.map_or(0, |gate| gate.commands.not_enabled)
    };
    // Beyond the enabling of the built-in drive, which is over after a second.
    wait_for(|| refused() > 100);
    assert!(!vehicle.moved(0.001));
    [&vehicle.stop, &operator.stop].into_iter().for_each(StopFlag::set);
    operator.thread.join().unwrap().unwrap();
    vehicle.thread.join().unwrap().unwrap();
}

/// Runs `test` on a thread whose network is its own loopback; says why where that cannot be.
fn in_own_network(test: impl FnOnce() + Send + 'static) {
    let thread = thread::spawn(move || {
        // SAFETY: it concerns this thread alone, and those that it starts.
        if unsafe { libc::unshare(libc::CLONE_NEWNET) } != 0 || !ip("link set lo up") {
            eprintln!("skipped: no network namespace or no ip; run as root, apt-get install iproute2");
            return;
        }
        test();
    });
    thread.join().unwrap();
}

fn ip(words: &str) -> bool {
    Command::new("ip").args(words.split(' ')).status().is_ok_and(|status| status.success())
}

/// What happens from the moment at which the device takes IP packets of `mtu` bytes alone, to a vehicle that drives, and
/// what is told at both ends when it takes longer ones again.
fn on_a_device_that_shrinks(
    mtu: usize,
    then: impl FnOnce(&Driven, &Running) + Send + 'static,
    over: [&'static str; 2],
) {
    in_own_network(move || {
        let yard = Yard::new();
        let operator = start_operator(yard.operator(ROBOT));
        let vehicle = start_vehicle(yard.vehicle(ROBOT, operator.local));
        wait_for(|| vehicle.moved(0.01));
        assert!(ip(&format!("link set lo mtu {mtu}")));
        then(&vehicle, &operator);
        assert!(ip("link set lo mtu 65536"));
        wait_for(|| vehicle.told(over[0]));
        wait_for(|| operator_told(&operator, over[1]));
        [&vehicle.stop, &operator.stop].into_iter().for_each(StopFlag::set);
        operator.thread.join().unwrap().unwrap();
        vehicle.thread.join().unwrap().unwrap();
    });
}

fn operator_told(operator: &Running, words: &str) -> bool {
    operator.heard.lock().unwrap().events.iter().any(|text| text.contains(words))
}

#[test]
fn a_device_that_takes_shorter_packets_than_agreed_gets_them_and_the_vehicle_drives_on() {
    let then = |vehicle: &Driven, operator: &Running| {
        // The search ends when 16 bytes are not worth a further packet.
        wait_for(|| (1404..=1420).any(|bytes| vehicle.told(&format!("ours have at most {bytes} bytes now"))));
        wait_for(|| operator_told(operator, "the other end's are shorter now"));
        assert!(!vehicle.told("only short packets reach the other end"));
        assert!(!vehicle.told("STOPPING: pictures do not reach the driver"));
    };
    let over =
        ["our packets are as long as agreed again", "the other end's packets are as long as agreed again"];
    on_a_device_that_shrinks(1420, then, over);
}

#[test]
fn a_device_that_takes_only_short_packets_stops_the_vehicle_and_is_told_at_both_ends() {
    let then = |vehicle: &Driven, operator: &Running| {
        wait_for(|| vehicle.told("STOPPING: pictures do not reach the driver"));
        assert!(vehicle.told("only short packets reach the other end"));
        wait_for(|| operator_told(operator, "only short packets of the other end reach us"));
        let waits = |status: &OperatorStatus| {
            status.gate.as_ref().is_some_and(|gate| gate.waits_for == Need::Pictures.as_str())
        };
        wait_for(|| operator.heard.lock().unwrap().statuses.last().is_some_and(waits));
        wait_for(|| vehicle.motors.lock().unwrap().last().is_some_and(|c| c.brake() == 1.0));
    };
    let over = ["long packets reach the other end again", "long packets of the other end reach us again"];
    on_a_device_that_shrinks(600, then, over);
}

/// LNK-89: from the start.
#[test]
fn a_device_that_takes_short_packets_from_the_start_gets_them_and_both_ends_say_what_to_set() {
    in_own_network(|| {
        assert!(ip("link set lo mtu 1420"));
        let yard = Yard::new();
        let operator = start_operator(yard.operator(ROBOT));
        let vehicle = start_vehicle(yard.vehicle(ROBOT, operator.local));
        wait_for(|| vehicle.moved(0.01));
        assert!(vehicle.told("ours have at most 1260 bytes now"));
        wait_for(|| operator_told(&operator, "ours have at most 1260 bytes now"));
        [&vehicle.stop, &operator.stop].into_iter().for_each(StopFlag::set);
        operator.thread.join().unwrap().unwrap();
        vehicle.thread.join().unwrap().unwrap();
    });
}
