//! A topic is there while it has a writer, is read while somebody wants it, and comes back: ROS2-15, ROS2-20 to ROS2-23.

use super::peer::{Cyclone, Fast, Peer, assert_ascending, assert_none_missing};
use super::yard::{Operator, Vehicle, Yard, figure, until_joined};

const TOPIC: &str = "--topic state --type std_msgs/msg/String";
const FLOW: &str = "  state: {class: realtime}";
/// Ten samples are written, the topic keeps three.
const KEPT_FLOW: &str = "  state: {class: realtime, depth: 3}";
const KEPT: [u64; 3] = [7, 8, 9];

fn write_for_long(yard: &Yard) -> Peer {
    yard.peer(Cyclone, Vehicle, &format!("publish {TOPIC} --count 100000 --period-ms 20"))
}

fn write_ten_and_keep_three(yard: &Yard) -> Peer {
    let words = "--durability transient_local --depth 3 --count 10 --period-ms 20 --stay";
    let writer = yard.peer(Cyclone, Vehicle, &format!("publish {TOPIC} {words}"));
    writer.until_sent(10);
    writer
}

fn read(yard: &Yard) -> Peer {
    yard.peer(Cyclone, Operator, &format!("subscribe {TOPIC}"))
}

fn read_what_is_kept(yard: &Yard) -> Peer {
    yard.peer(Cyclone, Operator, &format!("subscribe {TOPIC} --durability transient_local"))
}

#[test]
fn a_late_reader_of_a_transient_local_topic_gets_the_last_depth_samples() {
    let Some(yard) = Yard::open(KEPT_FLOW, &[Cyclone]) else { return };
    let (_vehicle, operator) = yard.bridges();
    let _writer = write_ten_and_keep_three(&yard);
    operator.until_figures("written", |all| (figure(all, "targets", "state", "written") >= 3).then_some(()));
    for _ in 0..2 {
        let late = read_what_is_kept(&yard);
        late.until_number(9);
        assert_eq!(late.numbers(), KEPT);
    }
}

#[test]
fn what_was_written_before_the_operators_bridge_began_is_there_for_a_late_reader() {
    let Some(yard) = Yard::open(KEPT_FLOW, &[Cyclone]) else { return };
    let _writer = write_ten_and_keep_three(&yard);
    let (_vehicle, _operator) = yard.bridges();
    let late = read_what_is_kept(&yard);
    late.until_number(9);
    assert_eq!(late.numbers(), KEPT);
}

#[test]
fn a_topic_goes_with_its_last_writer_and_comes_back_with_the_next() {
    let Some(yard) = Yard::open(FLOW, &[Cyclone]) else { return };
    let (_vehicle, operator) = yard.bridges();
    let reader = read(&yard);
    for round in 1..=2 {
        let before = reader.received().len();
        let (one, other) = (write_for_long(&yard), write_for_long(&yard));
        reader.until_matched(1);
        reader.until_received(before + 20);
        one.end();
        let now = reader.received().len();
        reader.until_received(now + 20);
        other.end();
        reader.until_matched(0);
        operator.until_told_times("topic /state is gone: it has no writer at the other end", round);
    }
}

/// The bridge's participant stays, so no lease ends: the good-bye of each endpoint is all there is.
#[test]
fn a_fast_dds_node_learns_that_the_far_end_went() {
    let Some(yard) = Yard::open(FLOW, &[Fast]) else { return };
    let (_vehicle, _operator) = yard.bridges();
    let writer = yard.peer(Fast, Vehicle, &format!("publish {TOPIC} --count 100000 --period-ms 20"));
    let read = || yard.peer(Fast, Operator, &format!("subscribe {TOPIC}"));
    let reader = read();
    until_joined(&writer, &[&reader]);
    reader.end();
    writer.until_matched(0);
    let reader = read();
    until_joined(&writer, &[&reader]);
    writer.end();
    reader.until_matched(0);
}

#[test]
fn a_topic_nobody_reads_is_not_read_at_its_source_either() {
    let Some(yard) = Yard::open(FLOW, &[Cyclone]) else { return };
    let (vehicle, _operator) = yard.bridges();
    let writer = write_for_long(&yard);
    writer.until_sent(10);
    let offered = || figure(&vehicle.next_figures(), "sources", "state", "offered");
    assert_eq!(offered(), 0, "there was no reader yet");
    for round in 1..=2 {
        let reader = read(&yard);
        reader.until_received(20);
        writer.until_matched(1);
        assert_none_missing(&reader.received());
        reader.end();
        writer.until_matched(0);
        vehicle.until_told_times("topic /state does not go any more", round);
        let before = offered();
        let sent = writer.sent();
        writer.until_sent(sent + 20);
        assert_eq!(offered(), before);
    }
}

#[test]
fn a_vehicles_bridge_that_is_killed_and_started_again_goes_on() {
    let Some(yard) = Yard::open(FLOW, &[Cyclone]) else { return };
    let (vehicle, _operator) = yard.bridges();
    let _writer = write_for_long(&yard);
    let reader = read(&yard);
    reader.until_received(20);
    vehicle.kill();
    let _vehicle = yard.bridge(Vehicle, "");
    goes_on(&reader);
}

#[test]
fn an_operators_bridge_that_is_killed_and_started_again_goes_on() {
    let Some(yard) = Yard::open(FLOW, &[Cyclone]) else { return };
    let (_vehicle, operator) = yard.bridges();
    let _writer = write_for_long(&yard);
    let reader = read(&yard);
    reader.until_received(20);
    operator.kill();
    let _operator = yard.bridge(Operator, "");
    goes_on(&reader);
}

/// It does not take the linger time: the new run says what it has, and the former one's word is dropped.
#[test]
fn what_a_killed_bridge_had_and_the_next_run_has_not_is_gone() {
    let Some(yard) = Yard::open(FLOW, &[Cyclone]) else { return };
    let _operator = yard.bridge(Operator, "--linger 600s");
    let vehicle = yard.bridge(Vehicle, "");
    let writer = write_for_long(&yard);
    let reader = read(&yard);
    reader.until_received(5);
    vehicle.kill();
    writer.end();
    let _vehicle = yard.bridge(Vehicle, "");
    reader.until_matched(0);
}

/// Samples come again after a pause, and none of them a second time.
fn goes_on(reader: &Peer) {
    let before = reader.received().len();
    let all = reader.until_received(before + 50);
    let numbers: Vec<u64> = all.iter().map(|sample| sample.n).collect();
    assert_ascending(&numbers);
    assert_none_missing(&all[all.len() - 20..]);
}

#[test]
fn two_topics_with_different_writers_restart_apart() {
    let flows = "  one: {class: realtime}\n  two: {class: realtime}";
    let Some(yard) = Yard::open(flows, &[Cyclone]) else { return };
    let (_vehicle, _operator) = yard.bridges();
    let of = |topic: &str| format!("--topic {topic} --type std_msgs/msg/String");
    let write = |topic: &str| {
        yard.peer(
            Cyclone,
            Vehicle,
            &format!("publish {} --count 100000 --period-ms 20 --wait-line", of(topic)),
        )
    };
    let read = |topic: &str| yard.peer(Cyclone, Operator, &format!("subscribe {}", of(topic)));
    let (mut one, mut two) = (write("one"), write("two"));
    let (of_one, of_two) = (read("one"), read("two"));
    until_joined(&one, &[&of_one]);
    until_joined(&two, &[&of_two]);
    one.go();
    two.go();
    of_one.until_received(10);
    of_two.until_received(10);
    one.end();
    of_one.until_matched(0);
    let before = of_two.received().len();
    let all = of_two.until_received(before + 20);
    assert_eq!(all[0].n, 0);
    assert_none_missing(&all);
}

#[test]
fn what_is_kept_comes_again_after_either_bridge_was_killed() {
    let Some(yard) = Yard::open(KEPT_FLOW, &[Cyclone]) else { return };
    let (mut vehicle, mut operator) = yard.bridges();
    let _writer = write_ten_and_keep_three(&yard);
    let reader = read_what_is_kept(&yard);
    reader.until_received(3);
    vehicle.kill();
    vehicle = yard.bridge(Vehicle, "");
    // The far writer is another one, which gives its readers what it has.
    assert_eq!(
        reader.until_received(6).iter().map(|sample| sample.n).collect::<Vec<_>>(),
        [KEPT, KEPT].concat()
    );
    operator.kill();
    operator = yard.bridge(Operator, "");
    reader.until_received(9);
    let late = read_what_is_kept(&yard);
    late.until_received(3);
    assert_eq!((reader.numbers(), late.numbers()), ([KEPT; 3].concat(), KEPT.to_vec()));
    drop((vehicle, operator));
}

/// A node that is started again publishes its map anew, once.
#[test]
fn what_a_writer_keeps_comes_each_time_it_comes_back() {
    let Some(yard) = Yard::open(KEPT_FLOW, &[Cyclone]) else { return };
    let (_vehicle, _operator) = yard.bridges();
    let reader = read_what_is_kept(&yard);
    for round in 1..=5 {
        let words = "--durability transient_local --depth 3 --count 3 --period-ms 0 --stay";
        let writer = yard.peer(Cyclone, Vehicle, &format!("publish {TOPIC} {words}"));
        reader.until_received(3 * round);
        writer.end();
        reader.until_matched(0);
    }
    assert_eq!(reader.numbers(), [[0, 1, 2]; 5].concat());
}

/// What a writer that is gone had kept is not given to those that read another one's.
#[test]
fn an_operators_bridge_that_begins_anew_gets_nothing_of_a_writer_that_is_gone() {
    let Some(yard) = Yard::open(KEPT_FLOW, &[Cyclone]) else { return };
    let (_vehicle, operator) = yard.bridges();
    let one = write_ten_and_keep_three(&yard);
    operator.until_figures("written", |all| (figure(all, "targets", "state", "written") >= 3).then_some(()));
    one.end();
    operator.until_told(&["topic /state is gone"]);
    operator.kill();
    let _operator = yard.bridge(Operator, "");
    let reader = read_what_is_kept(&yard);
    let words = "--durability transient_local --depth 3 --count 2 --period-ms 0 --stay";
    let _other = yard.peer(Cyclone, Vehicle, &format!("publish {TOPIC} {words}"));
    reader.until_number(1);
    assert_eq!(reader.numbers(), [0, 1]);
}
