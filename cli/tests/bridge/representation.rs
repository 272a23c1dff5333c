//! A reader gets what it can decode and nothing else: ROS2-7.
//!
//! The text of a String in XCDR2 stands behind four bytes that a reader of XCDR1 takes for its length: what it reads is
//! another text, which the peer tells.

use serde_json::Value;

use super::peer::{Cyclone, Peer, Python};
use super::yard::{Bridge, Operator, Vehicle, Yard, figure};

const TOPIC: &str =
    "--topic text --type std_msgs/msg/String --size 61 --durability transient_local --depth 20";
const FLOW: &str = "  text: {class: realtime, depth: 20}";

fn write(yard: &Yard, representation: &str) -> Peer {
    let words = format!("publish {TOPIC} --representation {representation} --count 20 --period-ms 20 --stay");
    yard.peer(Python, Vehicle, &words)
}

fn read(yard: &Yard, representation: &str) -> Peer {
    yard.peer(Python, Operator, &format!("subscribe {TOPIC} --representation {representation}"))
}

fn assert_whole(reader: &Peer) {
    reader.until_number(19);
    assert_eq!(reader.numbers(), (0..20).collect::<Vec<u64>>(), "{}", reader.name());
}

/// It does not match at all: what is written later, it does not get either.
fn assert_refused(reader: &Peer) {
    let refused = reader.until_event("incompatible_qos", |_| true);
    assert_eq!(refused["policy"], "DATA_REPRESENTATION", "{}", reader.name());
    assert!(!reader.has_event("received") && reader.matches().is_empty(), "{}", reader.name());
}

fn assert_told(bridge: &Bridge, reader_takes: &str, samples_are: &str) {
    let told = bridge.until_told(&["topic /text", "a reader takes"]);
    for words in [
        format!("a reader takes {reader_takes}, the topic's samples are {samples_are}: it gets nothing"),
        format!("let the reader take {samples_are} too, or the writer write what it takes"),
    ] {
        assert!(told.contains(&words), "{words:?} in {told}");
    }
}

#[test]
fn what_is_written_in_xcdr2_is_kept_from_readers_of_xcdr1_and_told_and_read_whole_by_those_of_xcdr2() {
    let Some(yard) = Yard::open(FLOW, &[Cyclone, Python]) else { return };
    let (_vehicle, operator) = yard.bridges();
    let plain = [Cyclone, Python].map(|library| {
        let words = format!("subscribe {TOPIC}");
        yard.peer(library, Operator, &words)
    });
    let readers = ["xcdr2", "both"].map(|takes| read(&yard, takes));
    let _writer = write(&yard, "xcdr2");
    readers.iter().for_each(assert_whole);
    plain.iter().for_each(assert_refused);
    assert_told(&operator, "XCDR1", "XCDR2");
}

#[test]
fn what_is_written_in_xcdr1_is_read_whole_by_those_of_xcdr1_and_kept_from_readers_of_xcdr2_alone() {
    let Some(yard) = Yard::open(FLOW, &[Python]) else { return };
    let (_vehicle, operator) = yard.bridges();
    let other = read(&yard, "xcdr2");
    let readers = ["xcdr1", "both"].map(|takes| read(&yard, takes));
    let _writer = write(&yard, "xcdr1");
    readers.iter().for_each(assert_whole);
    assert_refused(&other);
    assert_told(&operator, "XCDR2", "XCDR1");
}

/// What a writer says of itself is one thing, its bytes another: nobody here could know before they came.
#[test]
fn samples_that_are_laid_out_otherwise_than_their_writer_says_are_refused_one_by_one_and_told() {
    let Some(yard) = Yard::open(FLOW, &[Cyclone, Python]) else { return };
    let (_vehicle, operator) = yard.bridges();
    let readers =
        [Cyclone, Python].map(|library| yard.peer(library, Operator, &format!("subscribe {TOPIC}")));
    let _writer = write(&yard, "untold");
    let counted =
        |all: &Value| ["received", "refused", "written"].map(|name| figure(all, "targets", "text", name));
    operator.until_figures("all are refused", |all| (counted(all) == [20, 20, 0]).then_some(()));
    let told = operator.until_told(&["topic /text", "a sample is XCDR2, while its writer offers XCDR1"]);
    assert!(told.contains("let the writer write what it offers"), "{told}");
    for reader in &readers {
        reader.until_matched(1);
        assert!(!reader.has_event("received"), "{}", reader.name());
    }
}
