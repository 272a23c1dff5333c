//! Vehicle and operator over a real socket of this machine, both in one process. Each test takes a second or two of
//! real time; what is asserted are outcomes and books, never how fast something was.

mod yard;

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tokkyu_contract::{BitRate, Ledger, Outcome};
use tokkyu_drive::operator::{self, OperatorOptions, OperatorStatus};
use tokkyu_drive::program::display::Shown;
use tokkyu_drive::program::{DriveError, Ending, ExitCode, Quiet, StopFlag};
use tokkyu_drive::vehicle::{self, NoMotors, VehicleOptions, VehicleStatus};
use tokkyu_link::carrier::CloseReason;
use tokkyu_measure::{join, record, tally};
use yard::{Hearing, ROBOT, Running, Yard, drive, ear, read, start_operator, start_vehicle, wait_for, with};

#[test]
fn a_camera_that_does_not_fit_the_link_is_told_with_what_would_help() {
    let yard = Yard::new();
    let operator = start_operator(yard.operator(ROBOT));
    let narrow = with(yard.vehicle(ROBOT, operator.local), |end| {
        end.site.link.max_rate = Some(BitRate(1_000_000));
    });
    let vehicle = start_vehicle(narrow);
    wait_for(|| vehicle.told("camera/front DOES NOT FIT: pictures of 20.0 kB each 50 ms need 3.20 Mbit/s"));
    assert!(vehicle.told("encoding: mjpeg"));
    [&vehicle.stop, &operator.stop].into_iter().for_each(StopFlag::set);
    operator.thread.join().unwrap().unwrap();
    vehicle.thread.join().unwrap().unwrap();
}

#[test]
fn every_sample_of_a_drive_is_in_the_records_of_both_ends_and_the_ledgers_close() {
    let yard = Yard::new();
    let operator = start_operator(with(yard.operator(ROBOT), |end| end.samples = Some(40)));
    let vehicle = drive(with(yard.vehicle(ROBOT, operator.local), |end| end.samples = Some(40))).unwrap();
    let operator = operator.thread.join().unwrap().unwrap();
    assert_eq!((vehicle.ending, operator.ending), (Some(Ending::Completed), Some(Ending::Completed)));
    assert_eq!(vehicle.exit_code(), ExitCode::Ok);

    let joined = join(&read(&yard.path("vehicle.csv")), &read(&yard.path("operator.csv")));
    let cameras: Vec<_> = joined.records.iter().filter(|r| r.stream.starts_with("camera/")).collect();
    assert_eq!(cameras.len(), 80, "two cameras, 40 pictures each");
    assert!(cameras.iter().all(|r| r.outcome == Outcome::Delivered), "{cameras:?}");
    assert_eq!(cameras.iter().filter(|r| r.warm_up).count(), 40);
    let of_cameras = joined.anomalies.iter().filter(|a| a.stream.starts_with("camera/"));
    assert_eq!(of_cameras.map(ToString::to_string).collect::<Vec<_>>(), Vec::<String>::new());
    for (sent, received) in vehicle.sent.iter().zip(&operator.received) {
        let expected = Ledger { offered: 40, delivered: 40, ..Ledger::default() };
        assert_eq!(Ledger::from(sent.ledger), expected, "{}", sent.stream);
        assert_eq!(Ledger::from(received.ledger), expected, "{}", received.stream);
        assert_eq!(sent.link_ledger.map(Ledger::from), Some(expected), "{}", sent.stream);
    }
    assert_eq!(vehicle.sent[0].payload_bytes, 40 * 20_000);
    assert_eq!((operator.corrupt, operator.unrecorded, vehicle.unrecorded), (0, 0, 0));
}

#[test]
fn the_commands_of_a_drive_are_recorded_by_both_ends_too() {
    let yard = Yard::new();
    let operator = start_operator(yard.operator(ROBOT));
    let vehicle = drive(with(yard.vehicle(ROBOT, operator.local), |end| end.samples = Some(20))).unwrap();
    operator.stop.set();
    let operator = operator.thread.join().unwrap().unwrap();
    let only_commands = |path| -> Vec<record::Record> {
        read(&yard.path(path)).into_iter().filter(|r| r.stream == "drive/command").collect()
    };
    let joined = join(&only_commands("operator.csv"), &only_commands("vehicle.csv"));
    let tallies = tally(&joined.records);
    let all = tallies[0].measured.ledger.offered + tallies[0].warm_up.ledger.offered;
    assert_eq!(all, operator.sent[0].ledger.offered, "each command has one record");
    assert!(Ledger::from(operator.sent[0].ledger).closes());
    let gate = vehicle.gate.unwrap();
    assert!(gate.commands.accepted + gate.commands.not_enabled > 20, "{gate:?}");
    assert!(joined.records.iter().filter(|r| r.outcome == Outcome::Delivered).all(|r| r.arrival.is_some()));
}

#[test]
fn cameras_that_fire_together_carry_the_same_tick_and_not_their_moment_of_sending() {
    let yard = Yard::new();
    let operator = start_operator(yard.operator(ROBOT));
    let start_at = tokkyu_link::carrier::clock::now() + Duration::from_millis(700);
    let options = with(yard.vehicle(ROBOT, operator.local), |end| {
        (end.samples, end.start_at) = (Some(10), Some(start_at));
    });
    let vehicle = drive(options).unwrap();
    operator.stop.set();
    operator.thread.join().unwrap().unwrap();
    assert_eq!(vehicle.first_tick_ns, Some(start_at.as_nanos()));
    let due = |sequence: u32| start_at + Duration::from_millis(50) * sequence;
    let sent = read(&yard.path("vehicle.csv"));
    let cameras = sent.iter().filter(|r| r.stream.starts_with("camera/"));
    assert!(cameras.clone().count() == 20 && cameras.clone().all(|r| r.capture == due(r.sequence)));
    // The receiver's stamps are the same clock's, to the microsecond that travels.
    let received = read(&yard.path("operator.csv"));
    let mut cameras =
        received.iter().filter(|r| r.stream.starts_with("camera/") && r.arrival.is_some()).peekable();
    assert!(cameras.peek().is_some());
    assert!(cameras.all(|r| r.capture.as_micros() == due(r.sequence).as_micros()));
}

#[test]
fn an_interrupted_drive_keeps_the_records_of_what_it_did() {
    let yard = Yard::new();
    let operator = start_operator(yard.operator(ROBOT));
    let (options, stop) = (yard.vehicle(ROBOT, operator.local), StopFlag::new());
    let for_thread = stop.clone();
    let vehicle = thread::spawn(move || vehicle::run_with(options, &mut Quiet, NoMotors, &for_thread));
    let delivered = |heard: &Hearing<OperatorStatus>| {
        let heard = heard.lock().unwrap();
        heard.statuses.last().map_or(0, |status| status.cameras[0].ledger.delivered)
    };
    wait_for(|| delivered(&operator.heard) >= 5);
    stop.set();
    operator.stop.set();
    let vehicle = vehicle.join().unwrap().unwrap();
    let operator = operator.thread.join().unwrap().unwrap();
    assert_eq!((vehicle.exit_code(), operator.exit_code()), (ExitCode::Interrupted, ExitCode::Interrupted));
    let joined = join(&read(&yard.path("vehicle.csv")), &read(&yard.path("operator.csv")));
    assert!(joined.records.len() >= 10, "two cameras, five pictures at least");
    for file in ["vehicle.json", "operator.json"] {
        let text = fs::read_to_string(yard.path(file)).unwrap();
        assert!(text.contains("\"ending\": \"interrupted\""), "{file}");
    }
    assert!(vehicle.sent.iter().all(|stream| Ledger::from(stream.ledger).closes()), "{:?}", vehicle.sent);
}

#[test]
fn pictures_nobody_confirmed_are_lost_in_the_records_and_the_ledger_closes() {
    let yard = Yard::new();
    let patient = ROBOT.replace("400 ms", "30 s").replace("depth: 1", "depth: 100");
    let operator = start_operator(yard.operator(&patient));
    let network = Bottleneck::towards(operator.local, 100_000_000);
    let (options, stop) = (yard.vehicle(&patient, network.local), StopFlag::new());
    let (mut ear, _, heard) = ear::<VehicleStatus>();
    let for_thread = stop.clone();
    let vehicle = thread::spawn(move || vehicle::run_with(options, &mut ear, NoMotors, &for_thread));
    let ledger = || heard.lock().unwrap().statuses.last().map(|status| status.cameras[0].ledger);
    wait_for(|| ledger().is_some_and(|ledger| ledger.delivered >= 3));
    network.stop.set();
    wait_for(|| ledger().is_some_and(|ledger| ledger.offered > ledger.delivered + 5));
    stop.set();
    let vehicle = vehicle.join().unwrap().unwrap();
    operator.stop.set();
    operator.thread.join().unwrap().unwrap();
    for stream in &vehicle.sent {
        assert!(stream.ledger.lost > 0 && Ledger::from(stream.ledger).closes(), "{stream:?}");
    }
    let records = read(&yard.path("vehicle.csv"));
    let lost = records.iter().filter(|r| r.outcome == Outcome::Lost && r.stream == "camera/front").count();
    assert_eq!(lost as u64, vehicle.sent[0].ledger.lost);
}

#[test]
fn a_wrong_key_is_said_clearly_and_ends_the_vehicle_with_its_own_exit_code() {
    let yard = Yard::new();
    let operator = start_operator(yard.operator(ROBOT));
    let stranger =
        with(yard.vehicle(ROBOT, operator.local), |end| end.link.identity = Some(yard.path("stranger")));
    let error = drive(stranger).unwrap_err();
    assert!(matches!(error, DriveError::Refused(CloseReason::OurKeyRefused { .. })), "{error}");
    assert!(error.to_string().contains("the peer does not trust our key SHA256:"), "{error}");
    assert_eq!(error.exit_code().number(), 4);
    let summary = fs::read_to_string(yard.path("vehicle.json")).unwrap();
    assert!(summary.contains("does not trust our key"), "the summary tells why");

    let distrusts = with(yard.vehicle(ROBOT, operator.local), |end| {
        (end.link.trust, end.records) = (vec![yard.path("stranger.pub")], None);
    });
    let error = drive(distrusts).unwrap_err();
    assert!(matches!(error, DriveError::Refused(CloseReason::PeerKeyUntrusted { .. })), "{error}");

    wait_for(|| {
        operator.heard.lock().unwrap().events.iter().any(|text| text.contains("key is not trusted here"))
    });
    operator.stop.set();
    let operator = operator.thread.join().unwrap().unwrap();
    assert_eq!(operator.ending, Some(Ending::Interrupted), "a stranger does not end the operator");
}

#[test]
fn a_vehicle_told_to_keep_trying_waits_for_the_key_to_be_trusted() {
    let yard = Yard::new();
    let operator = start_operator(yard.operator(ROBOT));
    let (mut ear, _, heard) = ear::<VehicleStatus>();
    let stop = StopFlag::new();
    let for_thread = stop.clone();
    let stranger =
        with(yard.vehicle(ROBOT, operator.local), |end| end.link.identity = Some(yard.path("stranger")));
    let options = VehicleOptions { keep_trying: true, ..stranger };
    let vehicle = thread::spawn(move || vehicle::run_with(options, &mut ear, NoMotors, &for_thread));
    let refusals = || {
        let heard = operator.heard.lock().unwrap();
        heard.statuses.last().map_or(0, |status| status.link.figures.failed_handshakes)
    };
    wait_for(|| refusals() >= 3);
    let is_refusal = |text: &&String| text.contains("does not trust our key");
    let told = heard.lock().unwrap().events.iter().filter(is_refusal).count() as u64;
    assert!((1..refusals()).contains(&told), "said, and not at every attempt");
    stop.set();
    assert_eq!(vehicle.join().unwrap().unwrap().exit_code(), ExitCode::Interrupted);
    operator.stop.set();
    operator.thread.join().unwrap().unwrap();
}

#[test]
fn a_port_that_is_in_use_is_named_with_what_to_do() {
    let yard = Yard::new();
    let first = start_operator(yard.operator(ROBOT));
    let records = yard.path("second.csv");
    let taken = OperatorOptions { listen: Some(first.local), ..yard.operator(ROBOT) };
    let taken = with(taken, |end| end.records = Some(records.clone()));
    let error = operator::run_with(taken, &mut Quiet, &StopFlag::new()).unwrap_err();
    assert!(error.to_string().contains("is in use"), "{error}");
    assert_eq!(error.exit_code(), ExitCode::NotPossible);
    assert!(!records.exists(), "a start that failed leaves no file in the way of the next one");
    first.stop.set();
    first.thread.join().unwrap().unwrap();
}

#[test]
fn what_the_link_grants_reaches_the_camera_that_compresses() {
    let yard = Yard::new();
    // Pictures of more packets than the link needs to see how fast the network is.
    let robot = "robot: rover
flows:
  camera/front: {rate: 10 Hz, class: realtime, depth: 1, lifespan: 900 ms, encoding: mjpeg, width: 1600, height: 1200, source: {test: picture}}
";
    let operator = start_operator(yard.operator(robot));
    let network = Bottleneck::towards(operator.local, 4_000_000);
    let (mut ear, _, heard) = ear::<VehicleStatus>();
    let (options, stop) = (yard.vehicle(robot, network.local), StopFlag::new());
    let for_thread = stop.clone();
    let vehicle = thread::spawn(move || vehicle::run_with(options, &mut ear, NoMotors, &for_thread));
    let newest = || heard.lock().unwrap().statuses.last().map(|status| status.cameras[0].clone());
    wait_for(|| newest().is_some_and(|camera| camera.granted_bps.is_some()));
    // At the lowest quality these pictures are as large as the network carries: it is where every grant leads.
    wait_for(|| newest().is_some_and(|camera| camera.quality.is_some_and(|quality| quality < 40)));
    stop.set();
    vehicle.join().unwrap().unwrap();
    operator.stop.set();
    operator.thread.join().unwrap().unwrap();
}

/// A network that carries so many bits in a second and no more, between two sockets of this machine. Its thread ends
/// with the test.
struct Bottleneck {
    local: SocketAddr,
    stop: StopFlag,
}

impl Bottleneck {
    fn towards(operator: SocketAddr, bps: u32) -> Bottleneck {
        let (near, far) = (UdpSocket::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        far.connect(operator).unwrap();
        let (local, stop) = (near.local_addr().unwrap(), StopFlag::new());
        for socket in [&near, &far] {
            socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        }
        let (near_back, far_back, stop_there, stop_back) =
            (near.try_clone().unwrap(), far.try_clone().unwrap(), stop.clone(), stop.clone());
        let vehicle = Arc::new(Mutex::new(None));
        let for_way_back = Arc::clone(&vehicle);
        thread::spawn(move || {
            let (mut packet, mut free_at) = ([0; 2_000], Instant::now());
            while !stop_there.is_set() {
                let Ok((bytes, from)) = near.recv_from(&mut packet) else { continue };
                *vehicle.lock().unwrap() = Some(from);
                free_at = free_at.max(Instant::now()) + Duration::from_secs(bytes as u64 * 8) / bps;
                thread::sleep(free_at.saturating_duration_since(Instant::now()));
                let _ = far.send(&packet[..bytes]);
            }
        });
        thread::spawn(move || {
            let mut packet = [0; 2_000];
            while !stop_back.is_set() {
                let Ok(bytes) = far_back.recv(&mut packet) else { continue };
                if let Some(vehicle) = *for_way_back.lock().unwrap() {
                    let _ = near_back.send_to(&packet[..bytes], vehicle);
                }
            }
        });
        Bottleneck { local, stop }
    }
}

impl Drop for Bottleneck {
    fn drop(&mut self) {
        self.stop.set();
    }
}

#[test]
fn pictures_are_saved_as_they_arrive() {
    let yard = Yard::new();
    let options = OperatorOptions {
        save: Some(yard.path("pictures")),
        ..with(yard.operator(ROBOT), |end| end.samples = Some(5))
    };
    let operator = start_operator(options);
    drive(with(yard.vehicle(ROBOT, operator.local), |end| end.samples = Some(5))).unwrap();
    let summary = operator.thread.join().unwrap().unwrap();
    // On a busy machine one may be lost: only what arrived is there to be saved.
    let arrived = |name: &str| {
        let of = summary.received.iter().filter(|stream| stream.stream.starts_with(name));
        of.map(|stream| stream.ledger.delivered + stream.ledger.late).sum::<u64>()
    };
    let (all, rear) = (arrived("camera/"), arrived("camera/rear"));
    assert!(all >= 5 && rear >= 2, "{:?}", summary.received);
    let saved = summary.saved.unwrap();
    assert_eq!((saved.offered, saved.written, saved.trouble), (all, all, None));
    assert_eq!(fs::read_dir(yard.path("pictures/camera_rear")).unwrap().count() as u64, rear);
}

#[test]
fn results_that_cannot_be_written_are_an_exit_code_of_their_own() {
    let yard = Yard::new();
    let nowhere = with(yard.vehicle(ROBOT, "127.0.0.1:9".parse().unwrap()), |end| {
        end.records = Some("/no/such/folder/records.csv".into());
    });
    let error = drive(nowhere).unwrap_err();
    assert!(matches!(error, DriveError::Records(_)), "{error}");
    assert_eq!(error.exit_code().number(), 5);
}

#[test]
fn the_operator_sees_the_vehicles_gate_while_it_is_told_and_not_longer() {
    let yard = Yard::new();
    let operator = start_operator(yard.operator(ROBOT));
    let (options, stop) = (yard.vehicle(ROBOT, operator.local), StopFlag::new());
    let for_thread = stop.clone();
    let vehicle = thread::spawn(move || vehicle::run_with(options, &mut Quiet, NoMotors, &for_thread));
    let gate = || operator.heard.lock().unwrap().statuses.last().and_then(|status| status.gate.clone());
    wait_for(|| gate().is_some_and(|gate| gate.state == "driving" && gate.p50_ms.is_some()));
    let row = operator.heard.lock().unwrap().statuses.last().unwrap().snapshot().control;
    assert!(row.gate.is_some() && row.controls.is_some(), "what the vehicle does, and what the driver wants");
    stop.set();
    vehicle.join().unwrap().unwrap();
    wait_for(|| gate().is_none());
    operator.stop.set();
    let operator = operator.thread.join().unwrap().unwrap();
    assert_eq!(operator.received.len(), 2, "reports are in nobody's books");
}

#[test]
fn records_of_another_run_are_kept_and_another_file_is_asked_for() {
    let yard = Yard::new();
    for file in ["vehicle.csv", "operator.csv"] {
        fs::write(yard.path(file), "measured yesterday").unwrap();
    }
    let vehicle = drive(yard.vehicle(ROBOT, "127.0.0.1:9".parse().unwrap())).unwrap_err();
    let operator = operator::run_with(yard.operator(ROBOT), &mut Quiet, &StopFlag::new()).unwrap_err();
    for (error, file) in [(vehicle, "vehicle.csv"), (operator, "operator.csv")] {
        assert!(
            error.to_string().contains(file) && error.to_string().contains("give another file"),
            "{error}"
        );
        assert_eq!(error.exit_code(), ExitCode::NotWritten);
        assert_eq!(fs::read_to_string(yard.path(file)).unwrap(), "measured yesterday");
    }
}

#[test]
fn an_operator_that_joins_a_running_vehicle_sees_as_many_pictures_as_it_asked_for() {
    let yard = Yard::new();
    let first = start_operator(yard.operator(ROBOT));
    let (options, stop) = (yard.vehicle(ROBOT, first.local), StopFlag::new());
    let for_thread = stop.clone();
    let vehicle = thread::spawn(move || vehicle::run_with(options, &mut Quiet, NoMotors, &for_thread));
    let delivered = |running: &Running| {
        let heard = running.heard.lock().unwrap();
        heard.statuses.last().map_or(0, |status| status.cameras[0].ledger.delivered)
    };
    wait_for(|| delivered(&first) >= 10);
    let local = first.local;
    first.stop.set();
    first.thread.join().unwrap().unwrap();
    let second = OperatorOptions { listen: Some(local), ..yard.operator(ROBOT) };
    let second = start_operator(with(second, |end| (end.samples, end.records) = (Some(60), None)));
    wait_for(|| second.thread.is_finished());
    stop.set();
    vehicle.join().unwrap().unwrap();
    let summary = second.thread.join().unwrap().unwrap();
    assert_eq!(summary.ending, Some(Ending::Completed));
    assert!(summary.received.iter().all(|stream| stream.ledger.offered >= 60), "{:?}", summary.received);
}

#[test]
fn what_is_declared_and_not_carried_is_told_by_both_programs_and_so_are_missing_motors() {
    let yard = Yard::new();
    let robot = format!("{ROBOT}  camera/roof: {{class: realtime}}\n");
    let operator = start_operator(yard.operator(&robot));
    let (mut ear, _, heard) = ear::<VehicleStatus>();
    let options = with(yard.vehicle(&robot, operator.local), |end| end.samples = Some(1));
    vehicle::run_with(options, &mut ear, NoMotors, &StopFlag::new()).unwrap();
    operator.stop.set();
    operator.thread.join().unwrap().unwrap();
    let tells = |events: &[String], what: &str| events.iter().any(|text| text.contains(what));
    assert!(tells(
        &operator.heard.lock().unwrap().events,
        "flow camera/roof is not carried: it has no source"
    ));
    let events = &heard.lock().unwrap().events;
    assert!(tells(events, "flow camera/roof is not carried: it has no source"), "{events:?}");
    assert!(tells(events, "no motors attached"), "{events:?}");
}
