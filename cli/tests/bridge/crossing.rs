//! What crosses: every type, of every library, both ways, with its type and QoS. ROS2-1 to ROS2-3, ROS2-6, ROS2-10, ROS2-11.

use serde_json::{Value, json};
use tokkyu_lab::wire::End;

use super::peer::{Cyclone, Fast, Library, Python};
use super::yard::{Operator, Vehicle, Yard, until_joined};

const ALL: [Library; 3] = [Cyclone, Fast, Python];
/// 61 bytes: no multiple of 4, to which DDS pads.
const STRING: &str = "std_msgs/msg/String --size 61";
const IMAGE: &str = "sensor_msgs/msg/Image --size 374000";
/// Shorter than a socket's usual buffer: behind that a volatile Fast DDS reader misses samples, of any writer.
const SMALL_IMAGE: &str = "sensor_msgs/msg/Image --size 60000";
const TWIST: &str = "geometry_msgs/msg/Twist";

/// A writer of each library and, for each of them, a reader of each library on the other side. Transient local, so that
/// every sample is owed: of two libraries one may know a match 3 s before the other, and a volatile reader misses what is
/// written meanwhile. Nor has a Fast DDS reader room for a burst as long as a picture.
fn every_library_to_every(from: End, type_words: &str) {
    let toward = if from == Vehicle { "operator" } else { "vehicle" };
    let flows = format!("  by/*: {{class: realtime, depth: 20, toward: {toward}}}");
    let Some(yard) = Yard::open(&flows, &ALL) else { return };
    let _bridges = yard.bridges();
    let words = |library: Library| {
        let kept = "--durability transient_local --depth 20";
        format!("--topic by/{} --type {type_words} {kept}", library.name())
    };
    let group = |library: Library| {
        let publish = format!("publish {} --count 20 --period-ms 100 --stay", words(library));
        let subscribe = format!("subscribe {}", words(library));
        (yard.peer(library, from, &publish), ALL.map(|reader| yard.peer(reader, from.peer(), &subscribe)))
    };
    let groups = ALL.map(group);
    for reader in groups.iter().flat_map(|(_, readers)| readers) {
        reader.until_number(19);
        assert_eq!(reader.numbers(), (0..20).collect::<Vec<u64>>(), "{}", reader.name());
    }
}

#[test]
fn strings_of_every_library_are_read_by_every_library_at_the_operator() {
    every_library_to_every(Vehicle, STRING);
}

#[test]
fn images_of_every_library_are_read_by_every_library_at_the_operator() {
    every_library_to_every(Vehicle, IMAGE);
}

#[test]
fn twists_of_every_library_are_read_by_every_library_at_the_operator() {
    every_library_to_every(Vehicle, TWIST);
}

/// Volatile, as ROS 2 has it unless told otherwise.
#[test]
fn every_type_of_every_library_is_read_by_another_library_at_the_vehicle() {
    let Some(yard) = Yard::open("  down/*: {class: realtime, toward: vehicle}", &ALL) else { return };
    let _bridges = yard.bridges();
    let mut pairs = Vec::new();
    for (kind, words) in [STRING, SMALL_IMAGE, TWIST].into_iter().enumerate() {
        for (by, writer) in ALL.into_iter().enumerate() {
            let topic = format!("--topic down/{}{kind} --type {words}", writer.name());
            let reader = yard.peer(ALL[(by + kind) % 3], Vehicle, &format!("subscribe {topic}"));
            let words = format!("publish {topic} --count 1000 --period-ms 100");
            pairs.push((yard.peer(writer, Operator, &words), reader));
        }
    }
    pairs.iter().for_each(|(_, reader)| reader.until_in_row(15));
}

/// Offered by a writer, as a reader's discovery tells of it.
const OFFER: &str = "--durability transient_local --deadline-ms 2000 --lifespan-ms 60000 --liveliness manual_by_topic \
                     --lease-ms 3000 --user-data typehash=RIHS01_abc;";

fn offered() -> Value {
    json!({
        "event": "writer", "type": "std_msgs::msg::dds_::String_", "reliability": "reliable",
        "durability": "transient_local", "deadline_ms": 2000, "lifespan_ms": 60000, "liveliness": "manual_by_topic",
        "lease_ms": 3000, "user_data": "typehash=RIHS01_abc;tokkyubridge=1;",
    })
}

#[test]
fn the_far_writer_offers_what_the_writer_of_any_library_offers_type_hash_included() {
    let Some(yard) = Yard::open("  by/*: {class: realtime}", &ALL) else { return };
    let _bridges = yard.bridges();
    let topic = |library: Library| format!("--topic by/{} --type {STRING}", library.name());
    let write = |library: Library| {
        let words = format!("publish {} {OFFER} --count 1 --period-ms 0 --stay", topic(library));
        yard.peer(library, Vehicle, &words)
    };
    let _writers = ALL.map(write);
    for (by, writer) in ALL.into_iter().enumerate() {
        // Each library's writer is looked at by another one.
        let reader = yard.peer(ALL[(by + 1) % 3], Operator, &format!("subscribe {}", topic(writer)));
        assert_eq!(reader.until_event("writer", |_| true), offered(), "{}", writer.name());
    }
}

#[test]
fn a_best_effort_writer_stays_one_and_what_it_does_not_offer_is_endless() {
    let Some(yard) = Yard::open("  scan: {class: realtime}", &[Cyclone]) else { return };
    let _bridges = yard.bridges();
    let topic = "--topic scan --type std_msgs/msg/String --reliability best_effort";
    let _writer = yard.peer(Cyclone, Vehicle, &format!("publish {topic} --count 1 --period-ms 0 --stay"));
    let reader = yard.peer(Cyclone, Operator, &format!("subscribe {topic}"));
    let seen = reader.until_event("writer", |_| true);
    let endless = json!({
        "event": "writer", "type": "std_msgs::msg::dds_::String_", "reliability": "best_effort",
        "durability": "volatile", "deadline_ms": null, "lifespan_ms": null, "liveliness": "automatic",
        "lease_ms": null, "user_data": "tokkyubridge=1;",
    });
    assert_eq!(seen, endless);
}

#[test]
fn what_the_flow_declares_is_offered_in_place_of_what_the_writer_offers() {
    let flows = "  scan: {class: realtime, reliability: best_effort, lifespan: 700 ms, deadline: 300 ms}";
    let Some(yard) = Yard::open(flows, &[Cyclone]) else { return };
    let _bridges = yard.bridges();
    let topic = "--topic scan --type std_msgs/msg/String";
    let offer = "--deadline-ms 200 --lifespan-ms 60000";
    let _writer =
        yard.peer(Cyclone, Vehicle, &format!("publish {topic} {offer} --count 1 --period-ms 0 --stay"));
    let reader = yard.peer(Cyclone, Operator, &format!("subscribe {topic} --reliability best_effort"));
    let seen = reader.until_event("writer", |_| true);
    let shown = ["reliability", "deadline_ms", "lifespan_ms"].map(|field| seen[field].clone());
    assert_eq!(shown, [json!("best_effort"), json!(300), json!(700)]);
}

#[test]
fn a_pattern_takes_its_topics_and_a_namespace_stands_before_them_at_its_end() {
    let flows = "  camera/*: {class: realtime}\n  status/**: {class: realtime}\n  go: {class: realtime, toward: vehicle}";
    let Some(yard) = Yard::open(flows, &[Cyclone]) else { return };
    let operator = yard.bridge(Operator, "--namespace rover7");
    let vehicle = yard.bridge(Vehicle, "");
    let of = "--type std_msgs/msg/String";
    let write = |end: End, topic: &str| {
        yard.peer(
            Cyclone,
            end,
            &format!("publish --topic {topic} {of} --count 20 --period-ms 50 --wait-line --stay"),
        )
    };
    let read = |end: End, topic: &str| yard.peer(Cyclone, end, &format!("subscribe --topic {topic} {of}"));
    let _unnamed = write(Vehicle, "lidar");
    let pairs = [
        (write(Vehicle, "camera/front"), read(Operator, "rover7/camera/front")),
        (write(Vehicle, "status/wheel/left"), read(Operator, "rover7/status/wheel/left")),
        (write(Operator, "rover7/go"), read(Vehicle, "go")),
    ];
    for (mut writer, reader) in pairs {
        until_joined(&writer, &[&reader]);
        writer.go();
        reader.until_number(19);
        assert_eq!(reader.numbers(), (0..20).collect::<Vec<u64>>());
    }
    assert_eq!((vehicle.told("lidar"), operator.told("lidar")), (vec![], vec![]), "no flow names it");
}
