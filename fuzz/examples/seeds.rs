//! Writes the seeds in `seeds/`: one or more good inputs for each target, made by the project's own writers.
//!
//! `cargo run -p tokkyu-fuzz --example seeds`, after a format changed. Seeds of key files are made by
//! hand, so that this makes the same files each time; the device tree is QEMU's own (-M virt,secure=on,dumpdtb=FILE), without what it leaves free.

#[path = "seeds/node.rs"]
mod node;

use bytes::Bytes;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokkyu_contract::{Class, FlowId, Ledger, MonoTime, Outcome, Qos, WallTime};
use tokkyu_drive::camera::{Camera, Dummy, JpegCamera, JpegRate, TestPicture};
use tokkyu_drive::control::{Command, Controls, SeatWish};
use tokkyu_drive::picture::{Encoding, Picture};
use tokkyu_drive::safety::report::GateReport;
use tokkyu_drive::safety::{Age, Cap, EndName, Need, SeatView, State};
use tokkyu_fleet::protocol::call::{Answer, Call, Refusal};
use tokkyu_fleet::protocol::keys::{Kind, Vehicle};
use tokkyu_fleet::protocol::state::{self, Doing, Driver, FlowLine, Last};
use tokkyu_fuzz::{push_step, session_config};
use tokkyu_link::carrier::PublicKey;
use tokkyu_link::core::{PathId, Publication, Session, Subscription};
use tokkyu_link::wire::{EndpointKind, Entry, Frame, Header, Table};
use tokkyu_measure::Experiment;
use tokkyu_measure::local::{LocalCase, LocalMore, OverloadCase};
use tokkyu_measure::report::{Bridge, Local, Rtnet};
use tokkyu_measure::rtnet::{self, RtnetCase};
use tokkyu_measure::{
    DriveCase, Environment, PeerSettings, Record, RecordWriter, ResultFile, Skipped, StreamResult, Summary,
};
use tokkyu_probe::datagram::{self, Datagram};
use tokkyu_probe::line::{Line, RoundTrips};
use tokkyu_ros1::http::{write_request_head, write_response_head};
use tokkyu_ros1::tcpros::{HeaderWriter, message_head};
use tokkyu_ros1::xmlrpc::Writer;
use tokkyu_ros2::cdr::Writer as CdrWriter;
use tokkyu_ros2::endpoint::Representation;
use tokkyu_ros2::message::{Message, Topic};

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../contract/examples");
const RECORDING: &str = "time_ms,throttle,brake,steering,dead_man,enable,gear\n0,0,0,0,0,0,1\n500,0,0,0,1,1,1\n700,0.4,0,-0.25,1,0,1\n";
const OUTPUT: &str = "robot: r\nvehicle: {output: {ros2: {topic: /cmd_vel, type: geometry_msgs/msg/Twist, turn_rate: 1.5 rad/s, domain: 7, speed: {topic: /odom, type: nav_msgs/msg/Odometry}}}}\nflows:\n  drive: {class: control, toward: vehicle, lifespan: 150 ms}\n";
const TRACE: &[u8] = b"# one packet each 1 or 2 ms\n0\n1\n3\n3\n4\n6\n10\n";

/// File `name` among the seeds of `target`.
fn seed(target: &str, name: &str) -> io::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(target);
    fs::create_dir_all(&folder)?;
    Ok(folder.join(name))
}

fn write(target: &str, name: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
    fs::write(seed(target, name)?, content)
}

/// A bridge that has a camera, then another run of it that wants commands.
/// `geometry_msgs/msg/TwistStamped` whose speed is 1.5 m/s.
fn stamped() -> CdrWriter {
    let mut writer = CdrWriter::default();
    writer.word(7);
    writer.word(8);
    writer.text("odom");
    [1.5, 0.0, 0.0, 0.0, 0.0, 0.5].into_iter().for_each(|value| writer.double(value));
    writer
}

/// Of ROS 1: both messages with a speed.
fn ros1_speeds() -> [Vec<u8>; 2] {
    use tokkyu_node_motors::messages::ros::{geometry_msgs, nav_msgs};
    use tokkyu_node_motors::messages::wire;

    let mut odometry = nav_msgs::Odometry::default();
    odometry.header.stamp = tokkyu_message::Time { sec: 7, nsec: 8 };
    odometry.header.frame_id = "odom".into();
    odometry.child_frame_id = "base_link".into();
    odometry.twist.twist.linear.x = 1.5;
    let (header, twist) = (odometry.header.clone(), odometry.twist.twist.clone());
    [wire(&odometry), wire(&geometry_msgs::TwistStamped { header, twist })]
}

/// `nav_msgs/msg/Odometry` of the same, without what stands behind the speed.
fn odometry() -> CdrWriter {
    let mut writer = CdrWriter::default();
    writer.word(7);
    writer.word(8);
    writer.text("odom");
    writer.text("base_link");
    (0..43).for_each(|_| writer.double(0.0));
    writer.double(1.5);
    writer
}

fn bridge_messages() -> Vec<u8> {
    let topic = Topic {
        name: "camera/front".into(),
        type_name: "sensor_msgs/msg/Image".into(),
        qos: Qos { lifespan: Some(Duration::from_millis(500)), ..Qos::default() },
        representation: Representation::Xcdr2,
        user_data: b"typehash=RIHS01_0a;".to_vec(),
        generation: 0,
    };
    let first = Message { instance: 1, number: 1, topics: vec![topic], wanted: BTreeSet::new() };
    let second = Message { instance: 2, wanted: ["cmd_vel".to_owned()].into(), ..first.clone() };
    [first.write(), second.write()].join(&b'\n')
}

/// One datagram, and what an end says.
fn probe() -> io::Result<()> {
    let mut datagram = vec![0; 80];
    Datagram { session: 0x5e55, sequence: 3, kind: datagram::Kind::Answer, residence_ns: 12_000 }
        .write(&mut datagram);
    write("probe", "datagram", datagram)?;
    write(
        "probe",
        "line",
        Line::RoundTrips(RoundTrips { count: 3, lost: 1, ..RoundTrips::default() }).to_json(),
    )
}

/// A session that publishes what the one of the target reads, and reads what it publishes.
fn peer() -> (Session, [FlowId; 2]) {
    let mut session = Session::new(session_config());
    let flows = [("a", Class::Realtime), ("b", Class::BestEffort)].map(|(topic, class)| {
        session
            .advertise(Publication {
                topic: topic.to_owned(),
                type_name: String::new(),
                class,
                qos: Qos::default(),
                period: Some(Duration::from_millis(20)),
                size_bytes: 0,
            })
            .expect("within the limits")
    });
    for topic in ["c", "d"] {
        let wanted = Subscription { topic: topic.to_owned(), type_name: String::new(), qos: Qos::default() };
        session.subscribe(wanted).expect("within the limits");
    }
    (session, flows)
}

/// Datagrams of a peer that publishes a large and a small sample, with what is in between.
fn conversation() -> (Vec<Vec<u8>>, Vec<u8>) {
    let (mut session, [large, small]) = peer();
    let (mut datagrams, mut input, mut packet) = (Vec::new(), Vec::new(), Vec::new());
    let mut now = MonoTime::from_millis(1);
    for round in 0..2u8 {
        let publish = |session: &mut Session, flow, bytes: &[u8]| session.publish(now, flow, now, bytes);
        publish(&mut session, large, &[round; 500]).expect("a sample within the limits");
        publish(&mut session, small, &[round; 20]).expect("a sample within the limits");
        while session.poll_transmit(now, PathId::FIRST, &mut packet).is_some() {
            push_step(&mut input, 0, 1, &packet);
            datagrams.push(packet.clone());
        }
        push_step(&mut input, 2, 1, &[round; 30]);
        push_step(&mut input, 3, 1, &vec![0; usize::from(round)]);
        now += Duration::from_millis(5);
        session.on_timer(now);
    }
    (datagrams, input)
}

/// The same datagrams by turns on two paths, which open, go and open again meanwhile.
fn over_two_paths(datagrams: &[Vec<u8>]) -> Vec<u8> {
    let mut input = Vec::new();
    push_step(&mut input, 5, 1, &[0; 1]);
    for (nth, datagram) in datagrams.iter().enumerate() {
        push_step(&mut input, if nth % 2 == 0 { 0 } else { 4 }, 1, datagram);
        push_step(&mut input, 2, 1, &vec![7; 30 + nth * 100]);
        match nth % 4 {
            1 => push_step(&mut input, 6, 20, &[0; 1]),
            2 => push_step(&mut input, 5, 20, &[0; 1]),
            3 => push_step(&mut input, 6, 199, &[]),
            _ => {}
        }
    }
    input
}

/// What no usual conversation holds: a frame of a later version, and padding.
fn feeler_behind_a_later_frame() -> Vec<u8> {
    let mut out = Vec::new();
    Header { ask: false, long_lost: false, is_cut: true, feedback_interval: 4, number: 7, sent_us: 9 }
        .write(&mut out);
    let later = Frame::Extension { kind: 200, body: b"later" };
    [later, Frame::Probe, Frame::Padding(24)].iter().for_each(|frame| frame.write(&mut out));
    out
}

fn link() -> io::Result<()> {
    let (datagrams, input) = conversation();
    write("session", "conversation", input)?;
    write("session", "two_paths", over_two_paths(&datagrams))?;
    // Datagrams of one length hold the same frames: the first of each is enough.
    let mut lengths = Vec::new();
    for datagram in datagrams {
        if !lengths.contains(&datagram.len()) {
            lengths.push(datagram.len());
            write("wire_packet", &format!("{}_bytes", datagram.len()), datagram)?;
        }
    }
    write("wire_packet", "feeler_and_later_frame", feeler_behind_a_later_frame())?;
    let entry = |kind, flow, topic: &str| Entry {
        kind,
        flow: FlowId(flow),
        class: Class::Control,
        qos: Qos { lifespan: Some(Duration::from_millis(150)), ..Qos::default() },
        rate_mhz: 50_000,
        size_bytes: 64,
        topic: topic.to_owned(),
        type_name: "ackermann_msgs/msg/AckermannDrive".to_owned(),
    };
    let entries = vec![
        entry(EndpointKind::Publication, 1, "drive/command"),
        entry(EndpointKind::Subscription, 1, "camera/front"),
    ];
    write("table", "two_flows", Table { memory_bytes: 64 << 20, next: FlowId(2), entries }.to_bytes())?;
    write("capacity_trace", "short", TRACE)
}

fn drive() -> io::Result<()> {
    write("drive_file", "short", RECORDING)?;
    let mut commands = Vec::new();
    let driven = Controls::new(0.5, 0.0, -0.25).expect("in range");
    let let_go = vec![Controls::NEUTRAL; 7];
    let enabled = Controls::clamped(0.0, 0.0, 0.0).with_enable(true);
    let driving = [enabled, driven, Controls::NEUTRAL, driven, Controls::emergency(), Controls::release()];
    for (sequence, controls) in let_go.into_iter().chain(driving).enumerate() {
        let issued = MonoTime::from_millis(90 * sequence as u64);
        let pictures = Some(Age { estimate: Duration::from_millis(45), error: Duration::from_millis(3) });
        // Milliseconds since the one before, on the way, and that this may be off; and nothing else happens.
        commands.extend([90, 5, 1, 0]);
        commands.extend(
            Command { controls, sequence: sequence as u64, issued, pictures, seat: SeatWish::default() }
                .encode(),
        );
    }
    write("command", "drive_stop_reset", commands)?;
    let age = Some(Duration::from_millis(25));
    let report = GateReport {
        state: State::Stopping,
        need: Need::Neutral,
        given: Some(Duration::from_millis(20)),
        safe_stops: 0,
        last: age,
        p50: age,
        p99: None,
        cap: Cap {
            most_mps: Some(8.5),
            latency: Some(Duration::from_millis(326)),
            pictures: age,
            commands: None,
        },
        seat: SeatView { holder: Some((1, EndName::new("screen"))), ..SeatView::of_first("operator") },
    };
    write("gate_report", "stopping", report.encode())?;
    write("bridge_message", "two", bridge_messages())?;
    write("base_speed", "odometry", odometry().into_bytes())?;
    write("base_speed", "twist_stamped", stamped().into_bytes())?;
    let [odometry, stamped] = ros1_speeds();
    write("base_speed", "ros1_odometry", odometry)?;
    write("base_speed", "ros1_twist_stamped", stamped)?;
    let mono = Picture {
        encoding: Encoding::Mono8 { width: 4, height: 2 },
        sequence: 7,
        data: Bytes::from_static(&[0, 32, 64, 96, 128, 160, 192, 224]),
    };
    write("mjpeg", "two_in_pieces", mjpeg())?;
    write("picture", "mono8", mono.encode().expect("a good picture"))?;
    let jpeg = Encoding::Jpeg { width: 4, height: 2 };
    let jpeg = Picture { encoding: jpeg, sequence: 8, data: Bytes::from_static(&[0xff, 0xd8, 0xff, 0xd9]) };
    write("picture", "jpeg", jpeg.encode().expect("a good picture"))?;
    let frame = Dummy::new(200).and_then(|mut camera| camera.next(MonoTime::ZERO)).expect("a dummy");
    let dummy = Picture { encoding: Encoding::Opaque, sequence: 0, data: frame.data };
    write("picture", "dummy", dummy.encode().expect("a good picture"))
}

/// Pieces of 101 bytes; a picture with its tables, noise, and one without.
fn mjpeg() -> Vec<u8> {
    let clocks = (MonoTime::ZERO, WallTime::ZERO);
    let camera = TestPicture::new("front", 16, 16, clocks).expect("a good size");
    let mut camera = JpegCamera::new(camera, JpegRate::new(10.0, 1_000_000));
    let picture = camera.next(MonoTime::ZERO).expect("a picture").data;
    let tables = |at: &usize| picture[*at..].starts_with(&[0xff, 0xc4]);
    let bare = match (0..picture.len()).find(tables) {
        Some(at) => {
            let length = usize::from(u16::from_be_bytes([picture[at + 2], picture[at + 3]])) + 2;
            [&picture[..at], &picture[at + length..]].concat()
        }
        None => picture.to_vec(),
    };
    [&[100], &picture[..], b"\xff\xd8\xff", &bare].concat()
}

fn measure() -> Result<(), Box<dyn std::error::Error>> {
    let file = seed("records", "two_samples")?;
    let _ = std::fs::remove_file(&file); // records are never written over
    let mut writer = RecordWriter::create(&file)?;
    let record = |sequence, arrival, outcome| Record {
        stream: "camera/1".to_owned(),
        sequence,
        capture: MonoTime::from_millis(100),
        arrival,
        outcome,
        warm_up: sequence == 0,
    };
    writer.write(&record(0, Some(MonoTime::from_millis(145)), Outcome::Delivered))?;
    writer.write(&record(1, None, Outcome::Lost))?;
    writer.finish()?;
    let case = DriveCase { network: "wan-loss5".to_owned(), images: 1, seed: 7, ..DriveCase::default() };
    let result = ResultFile::new("drive", "tokkyu lab drive", Environment::default(), vec![case]);
    result.write(&seed("result_file", "one_case.json")?)?;
    compared().write(&seed("result_file", "peers.json")?)?;
    of_other_experiments()
}

/// A case of each experiment that is no drive.
fn of_other_experiments() -> Result<(), Box<dyn std::error::Error>> {
    let environment = Environment::default;
    let local = LocalCase {
        peer: "tokkyu-thread".to_owned(),
        bytes: 64,
        n: 300,
        p50_us: Some(40.0),
        p50_rounds_us: vec![39.0, 41.0],
        round_numbers: vec![0, 1],
        ..LocalCase::default()
    };
    let floor = LocalCase { peer: "floor-futex".to_owned(), ..local.clone() };
    let overload =
        OverloadCase { bytes: 64, n: 10, published: 10, got: 4, dropped: 6, ..OverloadCase::default() };
    let more = LocalMore { overload: vec![overload], ..LocalMore::default() };
    let file =
        ResultFile::new("local", "tokkyu lab local", environment(), vec![local, floor]).with_more(more);
    Local::write(&file, &seed("result_file", "local.json")?)?;
    let rtnet = |config: &str| RtnetCase {
        kernel: "6.12".to_owned(),
        cores: 1,
        ports: 1,
        load: "send".to_owned(),
        config: config.to_owned(),
        driver: "thread".to_owned(),
        n: 100,
        runs: vec![rtnet::Run { load_mbit: 90.0, ..rtnet::Run::default() }],
        ..RtnetCase::default()
    };
    let cases = vec![rtnet("untuned-other"), rtnet("tuned")];
    Rtnet::write(
        &ResultFile::new("rtnet", "tokkyu lab rtnet", environment(), cases),
        &seed("result_file", "rtnet.json")?,
    )?;
    let case = DriveCase {
        network: "lan".to_owned(),
        peer: "tokkyu-bridge".to_owned(),
        images: 1,
        ..DriveCase::default()
    };
    Bridge::write(
        &ResultFile::new("bridge", "tokkyu lab bridge", environment(), vec![case]),
        &seed("result_file", "bridge.json")?,
    )?;
    Ok(())
}

/// A result with others in our place, one of them absent.
fn compared() -> ResultFile<DriveCase> {
    let ledger = Ledger { offered: 2, delivered: 2, ..Ledger::default() };
    let figures = Summary { n: 2, mean_ms: Some(3.5), worst_ms: Some(4.0), ..Summary::default() };
    let case = |peer: &str, variant: &str, qos: &str| DriveCase {
        network: "lan-loss5".to_owned(),
        peer: peer.to_owned(),
        variant: variant.to_owned(),
        qos: qos.to_owned(),
        condition: Some(1),
        images: 1,
        image_bytes: Some(374_000),
        load_average: Some(0.5),
        images_together: Some(StreamResult { name: "cameras".to_owned(), ledger, figures: figures.clone() }),
        peer_settings: vec![PeerSettings {
            end: "vehicle".to_owned(),
            met: Some(true),
            ..PeerSettings::default()
        }],
        ..DriveCase::default()
    };
    let ours = case("tokkyu", "default", "reliable keep_last 10 lifespan 500 ms");
    let cases = vec![ours, case("cyclonedds", "tuned", "reliable keep_last 10")];
    let skipped = Skipped {
        peer: "srt-live".to_owned(),
        because: "no program".to_owned(),
        package: "libsrt".to_owned(),
    };
    let result = ResultFile::new("drive", "tokkyu lab drive --peers all", Environment::default(), cases);
    ResultFile { skipped: vec![skipped], ..result }
}

fn fleet() -> io::Result<()> {
    let line = "tokkyu-ed25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    let (key, _) = PublicKey::from_line(line).expect("a key");
    let driver = Driver { operator: "desk-1".to_owned(), fingerprint: key.fingerprint(), for_s: 12 };
    let flow =
        FlowLine { name: "camera/front".to_owned(), class: "realtime".to_owned(), toward_vehicle: false };
    let last = Last { operator: "desk-2".to_owned(), ended: "the drive ended".to_owned(), ..Last::default() };
    let state = state::State {
        version: 1,
        robot: "rover-7".to_owned(),
        tokkyu: "0.1.0".to_owned(),
        key: line.to_owned(),
        up_since_s: 1_800_000_000,
        up_s: 60,
        doing: Doing::Driven,
        driver: Some(driver),
        flows: vec![flow],
        flows_left_out: 0,
        last: Some(last),
    };
    let vehicle = Vehicle::new("rover-7", "0a1f").expect("a name");
    let call = Call::new("desk-1", key, ([10, 1, 2, 3], 7447).into());
    let message = |kind, payload: Vec<u8>| [vehicle.key(kind).as_bytes(), b"\n", &payload].concat();
    write("fleet", "state", message(Kind::State, state.to_bytes()))?;
    write("fleet", "call", message(Kind::Call, call.to_bytes()))?;
    write("fleet", "answer", message(Kind::Call, Answer::refused(Refusal::Busy, "desk-2 drives").to_bytes()))
}

/// A call with a value of each type, and the answer to another, both with their heads.
fn ros1_control() -> (String, String) {
    let (mut call, mut request) = (String::new(), String::new());
    Writer::call(&mut call, "setParam", |params| {
        params.string("/node & <co>\r")?;
        params.structure(|members| {
            members.member("numbers", |value| {
                value.array(|items| items.int(-1).and_then(|()| items.double(0.5)))
            })?;
            members.member("blob", |value| value.base64([0, 1, 2, 3]))
        })?;
        params.long(1 << 40)?;
        params.boolean(true)?;
        params.date_time("19980717T14:08:55")?;
        params.nil()
    })
    .expect("a call");
    write_request_head(&mut request, "a:11311", "/RPC2", call.len()).expect("a head");
    let (mut answer, mut response) = (String::new(), String::new());
    Writer::triple(&mut answer, 1, "done", |value| value.array(|uris| uris.string("http://a:1/")))
        .expect("a triple");
    write_response_head(&mut response, 200, answer.len(), true).expect("a head");
    (request + &call, response + &answer)
}

/// A byte that says where it is cut, the header of a subscription, and a message.
fn ros1_data() -> Vec<u8> {
    let mut memory = [0; 200];
    let mut header = HeaderWriter::new(&mut memory).expect("room");
    for (name, value) in
        [("callerid", "/listener"), ("topic", "/chatter"), ("type", "std_msgs/String"), ("md5sum", "*")]
    {
        header.field(name, value).expect("room");
    }
    [&[9], header.finish(), &message_head(3), b"abc"].concat()
}

fn ros1() -> io::Result<()> {
    let (request, response) = ros1_control();
    write("xmlrpc", "request", &request)?;
    write("xmlrpc", "response", &response)?;
    // As others write it: bare line feeds, no types, entities, CDATA, comments.
    let body = "<?xml version='1.0'?><methodCall><methodName>a&#65;</methodName><params><param><value><!--b--><array><data><value>c<![CDATA[<]]></value><value/></data></array></value></param></params></methodCall>";
    write("xmlrpc", "spelled", format!("POST / HTTP/1.0\nContent-length: {}\n\n{body}", body.len()))?;
    write("tcpros", "subscription", ros1_data())?;
    write(
        "tcpros",
        "arguments",
        "\u{8}a:=/b\n~c:=d\n_e:=1\n__name:=f\n__ns:=g\nhttp://[::1]:11311/\nrosrpc://h.i:1",
    )
}

fn contract() -> io::Result<()> {
    write("robot_yaml", "output.yaml", OUTPUT)?;
    for (target, file) in [("robot_yaml", "robot.yaml"), ("site_yaml", "site.yaml")] {
        write(target, file, fs::read(Path::new(EXAMPLES).join(file))?)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    contract()?;
    link()?;
    measure()?;
    probe()?;
    fleet()?;
    ros1()?;
    node::messages()?;
    node::graph()?;
    node::bridge_messages()?;
    node::bridge_master()?;
    node::master()?;
    Ok(drive()?)
}
