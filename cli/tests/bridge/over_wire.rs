//! Over an emulated network: loss, an outage, and what else is on the wire. ROS2-11, ROS2-13, ROS2-16, ROS2-22, ROS2-38.

use std::time::Duration;

use tokkyu_lab::wire::monotonic_now;
use tokkyu_link::sim::path::Profile;

use super::capture::{Capture, DEVICE, Frame};
use super::peer::{Cyclone, assert_ascending};
use super::yard::{LINK_PORT, Operator, Vehicle, Yard, until_joined};

fn named(name: &str) -> Profile {
    Profile::named(name).expect("a known network")
}

#[test]
fn with_five_percent_loss_everything_reliable_arrives_in_order() {
    let flows = "  log: {class: realtime, history: keep_all}
  state: {class: realtime, depth: 200}
  camera: {class: realtime}
  cmd: {class: control, depth: 1, toward: vehicle}";
    let Some(yard) = Yard::over(&named("wan-loss5"), flows, &[Cyclone]) else { return };
    let (_vehicle, _operator) = yard.bridges();
    let streams = [
        (Vehicle, "log --type std_msgs/msg/String --history keep_all", "--count 100 --period-ms 20"),
        (Vehicle, "state --type std_msgs/msg/String --depth 200", "--count 400 --period-ms 5"),
        (Vehicle, "camera --type sensor_msgs/msg/Image --size 374000", "--count 50 --period-ms 100"),
        (Operator, "cmd --type geometry_msgs/msg/Twist", "--count 250 --period-ms 20"),
    ];
    let mut pairs = streams.map(|(from, topic, pace)| {
        let writer = yard.peer(Cyclone, from, &format!("publish --topic {topic} {pace} --wait-line --stay"));
        (writer, yard.peer(Cyclone, from.peer(), &format!("subscribe --topic {topic}")))
    });
    pairs.iter().for_each(|(writer, reader)| until_joined(writer, &[reader]));
    pairs.iter_mut().for_each(|(writer, _)| writer.go());
    let [(_, log), (_, state), (_, camera), (_, cmd)] = &pairs;
    log.until_received(100);
    state.until_number(399);
    camera.until_number(49);
    cmd.until_number(249);
    assert_eq!(log.numbers(), (0..100).collect::<Vec<u64>>());
    // One that was repaired too late is dropped: by the newest of control at once, by the others after 250 ms.
    for (reader, most) in [(state, 380), (camera, 45), (cmd, 200)] {
        assert_ascending(&reader.numbers());
        assert!(reader.numbers().len() > most, "{}: {:?}", reader.name(), reader.numbers());
    }
}

/// As `ros2 topic pub --once` does. What is repaired comes a round trip and more after the writer has gone.
#[test]
fn a_writer_that_publishes_and_goes_at_once_is_heard_to_its_last_sample() {
    let flows = "  once: {class: realtime, history: keep_all}";
    let Some(yard) = Yard::over(&named("wan-loss5"), flows, &[Cyclone]) else { return };
    let (_vehicle, _operator) = yard.bridges();
    let topic = "--topic once --type std_msgs/msg/String --history keep_all";
    let reader = yard.peer(Cyclone, Operator, &format!("subscribe {topic}"));
    for round in 1..=3 {
        let words = format!("publish {topic} --count 60 --period-ms 0 --wait-line");
        let mut writer = yard.peer(Cyclone, Vehicle, &words);
        until_joined(&writer, &[&reader]);
        writer.go();
        writer.until_event("end", |_| true);
        writer.end();
        reader.until_matched(0);
        assert_eq!(reader.numbers().len(), 60 * round, "{:?}", reader.numbers());
    }
    assert_eq!(reader.numbers(), (0..60).collect::<Vec<u64>>().repeat(3));
}

const LIFESPAN: Duration = Duration::from_millis(500);
const OUTAGE: Duration = Duration::from_secs(5);

#[test]
fn after_an_outage_samples_flow_again_none_older_than_its_lifespan_and_the_far_writer_never_went() {
    // On a machine so busy that all is not there in time, the outage comes later.
    for begin_s in [10, 30, 90] {
        let begin = Duration::from_secs(begin_s);
        let mut profile = named("wan");
        profile.up = profile.up.with_outage(begin, begin + OUTAGE);
        profile.down = profile.down.with_outage(begin, begin + OUTAGE);
        // So deep that everything of the outage would come, were it not for the lifespan.
        let flows = "  state: {class: realtime, depth: 1000, lifespan: 500 ms}";
        let Some(yard) = Yard::over(&profile, flows, &[Cyclone]) else { return };
        if outlives_the_outage(&yard, begin) {
            return;
        }
    }
    panic!("nothing ever came before the outage");
}

/// False if the outage came before anything was there.
fn outlives_the_outage(yard: &Yard, begin: Duration) -> bool {
    let (vehicle, operator) = yard.bridges();
    let topic = "--topic state --type std_msgs/msg/String";
    let writer = yard.peer(Cyclone, Vehicle, &format!("publish {topic} --count 100000 --period-ms 20"));
    let reader = yard.peer(Cyclone, Operator, &format!("subscribe {topic}"));
    let before = reader.until_received(20);
    if monotonic_now() >= yard.wire().start() + begin {
        return false;
    }
    vehicle.until_told(&["nothing is heard from the other bridge"]);
    operator.until_told(&["nothing is heard from the other bridge"]);
    let during = reader.received().len();
    assert!(during >= before.len());
    let all = reader.until_received(during + 100);
    assert_ascending(&reader.numbers());
    let pause = all.windows(2).map(|two| two[1].received_ns - two[0].received_ns).max();
    assert!(pause > Some((OUTAGE - LIFESPAN).as_nanos() as i64), "nothing came in the outage: {pause:?}");
    // Of what was written during the outage no more than a lifespan's came afterwards; a picture of a clock on this host.
    let written = all.windows(2).map(|two| two[1].source_ns - two[0].source_ns).max();
    assert!(written > Some((OUTAGE - 2 * LIFESPAN).as_nanos() as i64), "{written:?}");
    writer.until_matched(1);
    assert_eq!(reader.matches(), [1], "the far writer was never taken down");
    true
}

#[test]
fn nothing_of_dds_goes_over_the_wire_the_link_crosses() {
    let flows = "  state: {class: realtime}\n  go: {class: realtime, toward: vehicle}";
    let Some(yard) = Yard::over(&named("lan"), flows, &[Cyclone]) else { return };
    yard.allow_multicast();
    let captures = [Vehicle, Operator].map(|end| (end, Capture::start(yard.wire(), end)));
    let bridges = yard.bridges();
    bridges.0.until_told(&["DDS domain", DEVICE, "this host only"]);
    for (from, topic) in [(Vehicle, "state"), (Operator, "go")] {
        let topic = format!("--topic {topic} --type std_msgs/msg/String");
        let mut writer = yard.peer(
            Cyclone,
            from,
            &format!("publish {topic} --count 50 --period-ms 20 --wait-line --stay"),
        );
        let reader = yard.peer(Cyclone, from.peer(), &format!("subscribe {topic}"));
        until_joined(&writer, &[&reader]);
        writer.go();
        reader.until_received(50);
    }
    for (end, capture) in captures {
        let frames = capture.end();
        let of_link = frames.iter().filter(|frame| frame.is_of_port(LINK_PORT)).count();
        assert!(of_link > 100, "{end:?} saw {of_link} packets of the link");
        // That a group was joined the kernel itself tells the network, which no program can keep it from.
        let is_other = |frame: &&Frame| !frame.is_of_port(LINK_PORT) && !frame.is_membership_report();
        let others: Vec<&Frame> = frames.iter().filter(is_other).collect();
        assert!(others.is_empty(), "{end:?}: {} others: {others:?}", others.len());
    }
}
