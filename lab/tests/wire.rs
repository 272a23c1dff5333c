//! The wire with real sockets (SPEC.md, WIRE-1 to WIRE-12). Where namespaces are not permitted the tests say so and pass.
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tokkyu_contract::time::MonoTime;
use tokkyu_lab::wire::{
    End, Flaw, LARGEST_VALID_FRAME_BYTES, UdpWire, Wire, WireError, WireSettings, measure_own_cost,
};
use tokkyu_link::sim::path::{Direction, DirectionProfile, Loss, Path, Profile};

const SEED: u64 = 42;
const PORT: u16 = 5_000;
/// How long to wait for what must come; a test that passes does not wait so long.
const PATIENCE: Duration = Duration::from_secs(5);
const SIGKILL: i32 = 9;
/// How long silence must last to be taken for the end of a flow.
const SILENCE: Duration = Duration::from_millis(300);

/// A wire, or the reason why there is none on this machine.
fn wire(profile: &Profile) -> Option<Wire> {
    match Wire::new(profile, SEED) {
        Ok(wire) => Some(wire),
        Err(error @ WireError::NotPermitted { .. }) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn symmetric(direction: DirectionProfile) -> Profile {
    Profile { name: "test".to_owned(), up: direction.clone(), down: direction }
}

fn delayed(millis: u64) -> DirectionProfile {
    DirectionProfile { delay: Duration::from_millis(millis), ..DirectionProfile::default() }
}

fn socket(wire: &Wire, end: End, port: u16) -> UdpSocket {
    let socket = wire.run_in(end, move || UdpSocket::bind((end.address(), port))).expect("wire");
    let socket = socket.expect("a free port");
    socket.set_read_timeout(Some(PATIENCE)).expect("socket option");
    socket
}

/// Sends `count` numbered datagrams from one end and returns the numbers that arrive at the other.
fn send_numbered(wire: &Wire, from: End, count: u32) -> Vec<u32> {
    let receiver = socket(wire, from.peer(), PORT);
    let sender = socket(wire, from, 0);
    // Read while they come: what overflows the receiving socket would look like the model's loss.
    let receiving = std::thread::spawn(move || receive_numbered(&receiver));
    for number in 0..count {
        sender.send_to(&number.to_le_bytes(), (from.peer().address(), PORT)).expect("send");
        if number % 20 == 19 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    receiving.join().expect("receiver")
}

fn receive_numbered(receiver: &UdpSocket) -> Vec<u32> {
    receiver.set_read_timeout(Some(SILENCE)).expect("socket option");
    let mut buffer = [0; 4];
    std::iter::from_fn(|| receiver.recv(&mut buffer).ok().map(|_| u32::from_le_bytes(buffer))).collect()
}

/// What the model alone lets through.
fn predicted(profile: &Profile, direction: Direction, count: u32) -> Vec<u32> {
    let mut path: Path<u32> = profile.path(direction, SEED, MonoTime::ZERO);
    for number in 0..count {
        path.offer(MonoTime::from_millis(u64::from(number)), 46, number);
    }
    std::iter::from_fn(|| path.take_due(MonoTime::MAX)).map(|due| due.packet).collect()
}

/// Median round trip of single datagrams between two threads.
fn median_round_trip(wire: &Wire, pings: usize) -> Duration {
    let echo_socket = socket(wire, End::Operator, PORT);
    let pinger = socket(wire, End::Vehicle, 0);
    let echo = std::thread::spawn(move || {
        let mut buffer = [0; 8];
        for _ in 0..pings {
            let (length, sender) = echo_socket.recv_from(&mut buffer).expect("a ping");
            echo_socket.send_to(&buffer[..length], sender).expect("send");
        }
    });
    let mut trips: Vec<Duration> = (0..pings)
        .map(|_| {
            let sent = Instant::now();
            pinger.send_to(b"ping", (End::Operator.address(), PORT)).expect("send");
            pinger.recv(&mut [0; 8]).expect("an answer");
            sent.elapsed()
        })
        .collect();
    echo.join().expect("echo");
    trips.sort();
    trips[pings / 2]
}

#[test]
fn datagrams_cross_both_ways_and_the_run_is_valid() {
    let Some(wire) = wire(&Profile::named("lan").expect("known")) else { return };
    assert_eq!(send_numbered(&wire, End::Vehicle, 200), (0..200).collect::<Vec<_>>());
    assert_eq!(send_numbered(&wire, End::Operator, 100), (0..100).collect::<Vec<_>>());
    let report = wire.stop().expect("report");
    assert_eq!(
        (report.up.model.delivered, report.down.model.delivered),
        (200, 100),
        "nothing but our datagrams"
    );
    assert_eq!((report.up.ignored, report.down.ignored), (0, 0), "and the kernel says nothing by itself");
    assert_eq!(report.lateness.frames, 300);
    assert_eq!(report.flaws(), []);
}

#[test]
fn the_packets_lost_on_the_wire_are_those_the_model_loses() {
    let lossy = DirectionProfile::link(1_000_000_000, Duration::from_micros(100), 8_000_000)
        .with_loss(Loss::Bursts { share: 0.2, length: 3 });
    let profile = symmetric(lossy);
    let Some(wire) = wire(&profile) else { return };
    let up = send_numbered(&wire, End::Vehicle, 2_000);
    let down = send_numbered(&wire, End::Operator, 2_000);
    assert_eq!(up, predicted(&profile, Direction::Up, 2_000));
    assert_eq!(down, predicted(&profile, Direction::Down, 2_000));
    assert_ne!(up, down);
    assert_eq!(wire.stop().expect("report").flaws(), []);
}

#[test]
fn a_round_trip_takes_the_profiles_time_and_grows_with_it() {
    let trip = |millis| wire(&symmetric(delayed(millis))).map(|wire| median_round_trip(&wire, 9));
    let (Some(short), Some(long)) = (trip(2), trip(20)) else { return };
    assert!(short >= Duration::from_millis(4) && long >= Duration::from_millis(40), "{short:?} {long:?}");
    assert!(long > short * 2, "ten times the delay: {short:?} {long:?}");
}

#[test]
fn a_bulk_tcp_transfer_crosses_in_ethernet_frames() {
    let Some(wire) = wire(&Profile::named("lan").expect("known")) else { return };
    let address = SocketAddr::from((End::Operator.address(), PORT));
    let listener =
        wire.run_in(End::Operator, move || TcpListener::bind(address)).expect("wire").expect("port");
    let receiver = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        std::io::copy(&mut stream, &mut std::io::sink()).expect("receive")
    });
    let mut stream =
        wire.run_in(End::Vehicle, move || TcpStream::connect(address)).expect("wire").expect("connect");
    stream.write_all(&vec![7; 2_000_000]).expect("send");
    drop(stream);
    assert_eq!(receiver.join().expect("receiver"), 2_000_000);
    let report = wire.stop().expect("report");
    assert_eq!(report.up.model.largest_frame_bytes, LARGEST_VALID_FRAME_BYTES);
    assert_eq!(report.flaws(), []);
}

#[test]
fn a_send_that_the_kernel_cuts_up_crosses_in_single_frames() {
    let Some(wire) = wire(&Profile::named("lan").expect("known")) else { return };
    let receiver = socket(&wire, End::Operator, PORT);
    let sender = socket(&wire, End::Vehicle, 0);
    let segment_bytes: libc::c_int = 1_400;
    // SAFETY: the option takes one c_int, which lives through the call.
    let result = unsafe {
        let value = (&raw const segment_bytes).cast();
        libc::setsockopt(
            sender.as_raw_fd(),
            libc::SOL_UDP,
            libc::UDP_SEGMENT,
            value,
            size_of::<libc::c_int>() as u32,
        )
    };
    assert_eq!(result, 0, "UDP_SEGMENT");
    sender.send_to(&[7; 14_000], (End::Operator.address(), PORT)).expect("send");
    let lengths: Vec<usize> = (0..10).map(|_| receiver.recv(&mut [0; 2_048]).expect("a segment")).collect();
    assert_eq!(lengths, [1_400; 10]);
    let report = wire.stop().expect("report");
    assert_eq!((report.up.model.offered, report.up.model.largest_frame_bytes), (10, 1_442));
}

#[test]
fn an_outage_takes_everything_until_it_ends() {
    let outage = Duration::from_secs(1);
    let profile = symmetric(DirectionProfile::default().with_outage(Duration::ZERO, outage));
    let Some(wire) = wire(&profile) else { return };
    assert_eq!(send_numbered(&wire, End::Vehicle, 10), [0; 0]);
    let left = (wire.start() + outage).since(tokkyu_lab::wire::monotonic_now());
    std::thread::sleep(left + Duration::from_millis(1));
    assert_eq!(send_numbered(&wire, End::Vehicle, 10), (0..10).collect::<Vec<_>>());
    let report = wire.stop().expect("report");
    assert_eq!((report.up.model.lost_outage, report.up.model.delivered), (10, 10));
}

#[test]
fn a_duplicate_arrives_whole_and_a_corrupted_packet_fails_its_checksum() {
    let twice = DirectionProfile { duplicate_share: 1.0, ..DirectionProfile::default() };
    let broken = DirectionProfile { corrupt_share: 1.0, ..DirectionProfile::default() };
    let profile = Profile { name: "test".to_owned(), up: twice, down: broken };
    let Some(wire) = wire(&profile) else { return };
    assert_eq!(send_numbered(&wire, End::Vehicle, 3), [0, 0, 1, 1, 2, 2]);
    assert_eq!(send_numbered(&wire, End::Operator, 3), [0; 0], "the receiving kernel drops them");
    let report = wire.stop().expect("report");
    assert_eq!((report.down.model.corrupted, report.down.model.delivered), (3, 3));
}

#[test]
fn programs_die_with_the_wire_and_their_namespace_with_them() {
    let Some(wire) = wire(&symmetric(DirectionProfile::default())) else { return };
    let namespaces = [End::Vehicle, End::Operator].map(|end| namespace_of(&wire, end));
    assert_ne!(namespaces[0], namespaces[1]);
    let mut children = [End::Vehicle, End::Operator].map(|end| wire.spawn(end, sleeper()).expect("spawn"));
    assert!(!users_of(&namespaces[0]).is_empty(), "the program is inside");
    drop(wire);
    for child in &mut children {
        assert_eq!(child.wait().expect("a child").signal(), Some(SIGKILL));
    }
    for namespace in &namespaces {
        assert_eq!(users_of(namespace), Vec::<String>::new());
    }
    let devices = std::fs::read_to_string("/proc/thread-self/net/dev").expect("procfs");
    assert!(!devices.contains("wire0"), "{devices}");
}

#[test]
fn nothing_is_left_when_the_process_is_killed() {
    if wire(&symmetric(DirectionProfile::default())).is_none() {
        return;
    }
    let mut holder = Command::new(std::env::current_exe().expect("this test"))
        .args(["--ignored", "--exact", "--nocapture", "hold_a_wire_until_killed"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("start the holder");
    let lines = BufReader::new(holder.stdout.take().expect("piped")).lines();
    let held: Vec<String> = lines
        .map(|line| line.expect("a line"))
        .filter_map(|line| line.split_once("held: ").map(|(_, held)| held.to_owned()))
        .take(2)
        .collect();
    assert!(held.iter().all(|namespace| !users_of(namespace).is_empty()), "{held:?}");
    holder.kill().expect("kill");
    holder.wait().expect("wait");
    let until = Instant::now() + PATIENCE;
    let left = || held.iter().flat_map(|namespace| users_of(namespace)).collect::<Vec<_>>();
    while !left().is_empty() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(left(), Vec::<String>::new());
}

/// The other process of the test above.
#[test]
#[ignore = "started by nothing_is_left_when_the_process_is_killed"]
fn hold_a_wire_until_killed() {
    let wire = wire(&symmetric(DirectionProfile::default())).expect("permitted, as its caller has seen");
    let _children = [End::Vehicle, End::Operator].map(|end| wire.spawn(end, sleeper()).expect("spawn"));
    for end in [End::Vehicle, End::Operator] {
        println!("held: {}", namespace_of(&wire, end));
    }
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn the_devices_hold_many_packets_for_a_late_relay() {
    let Some(wire) = wire(&symmetric(DirectionProfile::default())) else { return };
    for end in [End::Vehicle, End::Operator] {
        let mut show = Command::new("ip");
        show.args(["link", "show", "wire0"]).stdout(Stdio::piped());
        let Ok(child) = wire.spawn(end, show) else {
            return eprintln!("skipped: no `ip` on this machine");
        };
        let output = child.wait_with_output().expect("ip");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(shown.contains("mtu 1500") && shown.contains("qlen 16384"), "{shown}");
    }
}

#[test]
fn frames_that_a_device_set_down_refuses_make_the_run_invalid() {
    let Some(wire) = wire(&symmetric(DirectionProfile::default())) else { return };
    let mut down = Command::new("ip");
    down.args(["link", "set", "wire0", "down"]);
    let Ok(mut child) = wire.spawn(End::Vehicle, down) else {
        return eprintln!("skipped: no `ip` on this machine");
    };
    assert!(child.wait().expect("ip").success());
    send_numbered(&wire, End::Operator, 3);
    let report = wire.stop().expect("report");
    assert!(report.flaws().contains(&Flaw::FailedIo { times: 3 }), "{report}");
    assert_eq!(report.down.model.gone(), 0, "the model lost nothing");
}

#[test]
fn counters_can_be_read_while_the_wire_runs() {
    let Some(wire) = wire(&symmetric(DirectionProfile::default())) else { return };
    send_numbered(&wire, End::Vehicle, 5);
    let first = wire.counters().expect("report");
    send_numbered(&wire, End::Vehicle, 7);
    let second = wire.counters().expect("report");
    assert_eq!((first.up.model.delivered, second.up.model.delivered), (5, 12));
    assert!(second.elapsed > first.elapsed && second.relay_cpu > first.relay_cpu);
}

#[test]
fn the_wires_own_cost_is_measured_with_every_ping_answered() {
    let cost = match measure_own_cost(WireSettings::default()) {
        Err(error @ WireError::NotPermitted { .. }) => return eprintln!("skipped: {error}"),
        cost => cost.expect("a wire"),
    };
    assert_eq!(cost.round_trip.frames, u64::from(tokkyu_lab::wire::PINGS));
    assert_eq!(cost.relay.frames, 2 * cost.round_trip.frames);
    assert!(cost.relay.p50_ns < cost.round_trip.p50_ns, "a part is less than the whole: {cost:?}");
}

#[test]
fn a_profile_out_of_range_is_refused_before_anything_is_put_up() {
    let profile = symmetric(DirectionProfile::default().with_loss(Loss::Uniform { share: 2.0 }));
    let message = Wire::new(&profile, SEED).err().expect("refused").to_string();
    assert!(message.contains("loss.share"), "{message}");
}

#[test]
fn the_udp_wire_needs_no_namespace_and_loses_the_same_packets() {
    let profile = symmetric(delayed(2).with_loss(Loss::Uniform { share: 0.2 }));
    let operator = UdpSocket::bind("127.0.0.1:0").expect("loopback");
    let vehicle = UdpSocket::bind("127.0.0.1:0").expect("loopback");
    let target = operator.local_addr().expect("bound");
    let wire = UdpWire::new(&profile, SEED, target, WireSettings::default()).expect("a wire");
    assert!(wire.to_string().contains("UDP relay on loopback"), "{wire}");
    for number in 0..200u32 {
        vehicle.send_to(&number.to_le_bytes(), wire.vehicle_port()).expect("send");
    }
    assert_eq!(receive_numbered(&operator), predicted(&profile, Direction::Up, 200));
    // The operator answers to where the packets came from: the relay, never the vehicle itself.
    vehicle.send_to(&200u32.to_le_bytes(), wire.vehicle_port()).expect("send");
    operator.set_read_timeout(Some(PATIENCE)).expect("socket option");
    let (_, relay) = operator.recv_from(&mut [0; 4]).expect("one of two passes");
    for number in 0..100u32 {
        operator.send_to(&number.to_le_bytes(), relay).expect("send");
    }
    assert_eq!(receive_numbered(&vehicle), predicted(&profile, Direction::Down, 100));
    let report = wire.stop().expect("report");
    assert_eq!(report.up.model.largest_frame_bytes, 46, "payload and 42 bytes of headers");
    assert_eq!(report.flaws(), Vec::<Flaw>::new());
}

fn sleeper() -> Command {
    let mut command = Command::new("sleep");
    command.arg("1000");
    command
}

fn namespace_of(wire: &Wire, end: End) -> String {
    wire.run_in(end, || link_of("/proc/thread-self/ns/net")).expect("wire").expect("procfs")
}

fn link_of(path: impl AsRef<std::path::Path>) -> Option<String> {
    std::fs::read_link(path).ok().map(|target| target.display().to_string())
}

/// Threads of this machine that live in the namespace.
fn users_of(namespace: &str) -> Vec<String> {
    let entries = |folder: String| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let tasks =
        entries("/proc".to_owned()).flat_map(|process| entries(format!("{}/task", process.path().display())));
    tasks
        .map(|task| task.path().display().to_string())
        .filter(|task| link_of(format!("{task}/ns/net")).as_deref() == Some(namespace))
        .collect()
}
