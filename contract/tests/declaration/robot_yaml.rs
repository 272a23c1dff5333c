//! `robot.yaml`: what a good file becomes, and the exact words about a bad one (SPEC.md, CON-1 to CON-16).

use core::time::Duration;
use std::path::{Path, PathBuf};

use tokkyu_contract::class::Class;
use tokkyu_contract::qos::{Durability, History, Liveliness, Qos, Reliability};
use tokkyu_contract::trace::FlowId;
use tokkyu_contract::units::{Bytes, Rate};
use tokkyu_contract::yaml::robot::{self, Encoding, Flow, GivenQos, Matching, Robot, Source, Toward};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/robot.yaml");

fn good(text: &str) -> Robot {
    robot::parse("robot.yaml", text).unwrap_or_else(|errors| panic!("{text}\n{errors}"))
}

/// A robot with one flow, `a`, that has `fields` in braces.
fn flow(fields: &str) -> Flow {
    good(&format!("robot: r\nflows:\n  a: {{{fields}}}\n")).flows.remove(0)
}

/// The errors of `text`, one line each.
fn bad(text: &str) -> Vec<String> {
    match robot::parse("robot.yaml", text) {
        Ok(robot) => panic!("{text}\nwas read as {robot:?}"),
        Err(errors) => errors.list().iter().map(ToString::to_string).collect(),
    }
}

/// The one error of a flow that has `fields` beside its class. The flow is on line 3 and `fields` begin at column 28.
fn bad_field(fields: &str) -> String {
    let mut errors = bad(&format!("robot: r\nflows:\n  a: {{class: best_effort,  {fields}}}\n"));
    assert_eq!(errors.len(), 1, "{errors:#?}");
    errors.remove(0)
}

#[test]
fn the_example_is_read_in_full() {
    let robot = robot::load(Path::new(EXAMPLE)).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(robot.name, "rover-7");
    let names: Vec<_> = robot.flows.iter().map(|flow| (flow.id.0, flow.name.as_str())).collect();
    let expected =
        ["camera/front", "camera/back", "camera/left", "camera/right", "drive/command", "log/upload"];
    assert_eq!(names, (1..).zip(expected).collect::<Vec<_>>());
    let front = robot.flow("camera/front").expect("declared");
    assert_eq!(front.type_name.as_deref(), Some("sensor_msgs/msg/Image"));
    assert_eq!((front.rate.map(Rate::millihertz), front.size), (Some(10_000), Some(Bytes(374_000))));
    assert_eq!((front.class, front.toward), (Class::Realtime, Toward::Operator));
    assert_eq!(front.qos.history, History::KeepLast { depth: 1 });
    assert_eq!(front.qos.lifespan, Some(Duration::from_millis(500)));
    assert_eq!((front.encoding, front.width, front.height), (Encoding::Mjpeg, Some(1280), Some(720)));
    let drive = robot.flow("drive/command").expect("declared");
    assert_eq!((drive.class, drive.toward), (Class::Control, Toward::Vehicle));
    assert_eq!(drive.qos.deadline, Some(Duration::from_millis(100)));
    let upload = robot.flow("log/upload").expect("declared");
    let process = Some("rosbag-uploader".to_owned());
    assert_eq!(upload.matching, Some(Matching { dst_port: Some(443), process, ..Matching::default() }));
    assert_eq!(robot.flow("camera/top"), None);
}

#[test]
fn a_flow_with_nothing_but_a_class_has_the_defaults_of_ros_2() {
    let flow = flow("class: background");
    assert_eq!(flow.qos, Qos::default());
    assert_eq!((flow.id, flow.toward, flow.encoding), (FlowId(1), Toward::Operator, Encoding::Raw));
    assert_eq!(
        (flow.rate, flow.size, flow.type_name, flow.source, flow.matching),
        (None, None, None, None, None)
    );
}

#[test]
fn it_is_known_which_qos_fields_the_file_gives() {
    assert_eq!(flow("class: control").given, GivenQos::default());
    let given = GivenQos { history: true, lifespan: true, ..GivenQos::default() };
    assert_eq!(flow("class: control, depth: 1, lifespan: 1 s").given, given);
    let all = "reliability: reliable, history: keep_all, durability: volatile, deadline: 1 s, lifespan: 1 s, \
               liveliness: automatic, liveliness_lease: 1 s, class: control";
    let given = flow(all).given;
    assert!(given.reliability && given.history && given.durability && given.deadline && given.lifespan);
    assert!(given.liveliness && given.liveliness_lease);
}

#[test]
fn a_name_may_stand_for_many_topics_and_an_exact_one_goes_before_it() {
    let robot = good(
        "robot: r\nflows:\n  camera/**: {class: realtime}\n  camera/front: {class: control}\n  \"*/front\": {class: background}\n",
    );
    let class = |topic: &str| robot.flow_of(topic).map(|flow| flow.class);
    assert_eq!(class("camera/front"), Some(Class::Control));
    assert_eq!(class("camera/back/raw"), Some(Class::Realtime));
    assert_eq!(class("lidar/front"), Some(Class::Background));
    assert_eq!(class("lidar"), None);
    assert_eq!(class("**"), None, "a pattern's name is no topic");
}

#[test]
fn what_cannot_be_a_pattern_is_refused_with_the_remedy() {
    let of = |name: &str, fields: &str| {
        bad(&format!("robot: r\nflows:\n  {name}: {{class: realtime, {fields}}}\n"))
    };
    assert_eq!(
        of("camera/fr*nt", "size: 1 B"),
        [
            "robot.yaml:3:3: flows.camera/fr*nt: * is a part of a word; write it between slashes, camera/* for one part, \
             camera/** for more"
        ]
    );
    let error = of("camera/*", "source: {test: picture}").join("\n");
    assert!(error.contains("flows.camera/*.source: cannot be in a flow whose name is a pattern"), "{error}");
    let error = of("camera/*", "match: {dst_port: 1}").join("\n");
    assert!(error.contains("flows.camera/*.match: cannot be in a flow whose name is a pattern"), "{error}");
}

#[test]
fn every_qos_field_is_read() {
    let read = flow(
        "class: control, reliability: reliable, history: keep_all, durability: transient_local, \
         deadline: 1 s, lifespan: 2 s, liveliness: manual_by_topic, liveliness_lease: 3 s",
    );
    let expected = Qos {
        reliability: Reliability::Reliable,
        history: History::KeepAll,
        durability: Durability::TransientLocal,
        deadline: Some(Duration::from_secs(1)),
        lifespan: Some(Duration::from_secs(2)),
        liveliness: Liveliness::ManualByTopic,
        liveliness_lease: Some(Duration::from_secs(3)),
    };
    assert_eq!(read.qos, expected);
    assert_eq!(flow("class: control, depth: 3").qos.history, History::KeepLast { depth: 3 });
}

#[test]
fn every_kind_of_source_is_read() {
    let source = |text: &str| flow(&format!("class: realtime, source: {{{text}}}")).source;
    assert_eq!(source("v4l2: /dev/video0"), Some(Source::V4l2("/dev/video0".into())));
    assert_eq!(source("file: drive.mp4"), Some(Source::File("drive.mp4".into())));
    assert_eq!(source("folder: images/"), Some(Source::Folder("images/".into())));
    assert_eq!(source("test: picture"), Some(Source::TestPicture));
    assert_eq!(source("dummy: 374 kB"), Some(Source::Dummy(Bytes(374_000))));
}

#[test]
fn block_style_quotes_and_windows_line_ends_mean_the_same() {
    let flowed = good("robot: r\nflows:\n  a: {class: control, rate: 10 Hz, lifespan: 1 s}\n");
    let block = "\"robot\": 'r'\nflows:\n  a:\n    class: control\n    rate: \"10 Hz\"\n    lifespan: 1 s\n";
    assert_eq!(good(block), flowed);
    assert_eq!(good(&block.replace('\n', "\r\n")), flowed);
    assert_eq!(good(&format!("\u{feff}{block}")), flowed, "with a byte order mark");
}

#[test]
fn relative_paths_count_from_the_folder_of_the_file() {
    let folder = std::env::temp_dir().join(format!("tokkyu-contract-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join("robot.yaml");
    let text = "robot: r\nflows:\n  a: {class: realtime, source: {file: films/drive.mp4}}\n  \
                b: {class: realtime, source: {v4l2: /dev/video0}}\n";
    std::fs::write(&path, text).expect("a file for the test");
    let sources =
        robot::load(&path).map(|robot| robot.flows.into_iter().map(|flow| flow.source).collect::<Vec<_>>());
    std::fs::remove_dir_all(&folder).expect("the test's own folder");
    let film = Some(Source::File(folder.join("films/drive.mp4")));
    assert_eq!(sources, Ok(vec![film, Some(Source::V4l2(PathBuf::from("/dev/video0")))]));
}

#[test]
fn each_wrong_field_is_told_with_its_place_and_a_remedy() {
    let cases = [
        ("relibility: reliable", "28: flows.a.relibility: unknown field; did you mean \"reliability\"?"),
        ("life-span: 1 s", "28: flows.a.life-span: unknown field; did you mean \"lifespan\"?"),
        (
            "reliability: relable",
            "41: flows.a.reliability: unknown value \"relable\"; did you mean \"reliable\"?",
        ),
        (
            "history: everything",
            "37: flows.a.history: unknown value \"everything\"; use keep_last or keep_all",
        ),
        (
            "rate: 10",
            "34: flows.a.rate: \"10\" is not a rate: the unit is missing; add Hz or kHz, as in \"10 Hz\"",
        ),
        (
            "size: 3 KB",
            "34: flows.a.size: \"3 KB\" is not a size: the unit is unknown; \
             use B, kB, MB, GB, KiB, MiB or GiB, as in \"374 kB\"",
        ),
        (
            "rate: 20 kHz",
            "34: flows.a.rate: 20 kHz is faster than 10 kHz; put several readings in one sample",
        ),
        (
            "size: 65 MiB",
            "34: flows.a.size: 68.15744 MB is more than a sample may have, 64 MiB; send it in parts or compressed",
        ),
        (
            "size: 0 B",
            "34: flows.a.size: a sample of 0 B carries nothing; write the size of the largest sample",
        ),
        (
            "lifespan: -1 s",
            "38: flows.a.lifespan: \"-1 s\" is not a duration: it is negative; write it like \"500 ms\"",
        ),
        (
            "lifespan: 0 s",
            "38: flows.a.lifespan: a lifespan of 0 expires every sample; leave it out for no limit",
        ),
        ("deadline: 0 s", "38: flows.a.deadline: a deadline of 0 is always missed; leave it out for none"),
        ("depth: 0", "35: flows.a.depth: keep_last with depth 0 keeps nothing; use depth 1 or more"),
        (
            "depth: one",
            "35: flows.a.depth: \"one\" is not a whole number from 0 to 4294967295; \
             write a whole number from 0 to 4294967295",
        ),
        (
            "history: keep_all, depth: 5",
            "47: flows.a.depth: history: keep_all has no depth; remove depth or write history: keep_last",
        ),
        (
            "durability: transient_local, reliability: best_effort",
            "40: flows.a.durability: transient_local needs reliability: reliable, a late joiner's samples are \
             repaired like any other; write reliability: reliable or durability: volatile",
        ),
        (
            "match: {dst_port: 443}, lifespan: 1 s",
            "52: flows.a.lifespan: cannot be beside match, an existing program's traffic keeps its own protocol; \
             remove lifespan or match",
        ),
        ("match: {}", "35: flows.a.match: matches no packet; add dst_port, src_port, dst_addr or process"),
        (
            "match: {dst_port: 0}",
            "46: flows.a.match.dst_port: \"0\" is not a whole number from 1 to 65535; \
             write a whole number from 1 to 65535",
        ),
        (
            "match: {dst_addr: example.org}",
            "46: flows.a.match.dst_addr: \"example.org\" is not valid; \
             write an address such as 10.1.2.3 or fd00::1",
        ),
        ("match: {port: 443}", "36: flows.a.match.port: unknown field; did you mean \"dst_port\"?"),
        ("source: {v4l: /dev/video0}", "37: flows.a.source.v4l: unknown field; did you mean \"v4l2\"?"),
        (
            "source: {}",
            "36: flows.a.source: no source is named; write one of v4l2, file, folder, test or dummy",
        ),
        (
            "source: {file: a.mp4, test: picture}",
            "36: flows.a.source: both file and test are given; keep one source",
        ),
        (
            "size: 1 kB, source: {dummy: 2 kB}",
            "56: flows.a.source.dummy: samples of 2 kB are larger than the flow's size of 1 kB; \
             write 1 kB or less, or raise size",
        ),
        ("width: 640", "28: flows.a.width: given without height; add height or remove width"),
        (
            "type: sensor msgs",
            "34: flows.a.type: \"sensor msgs\" is not a type name; write it like sensor_msgs/msg/Image",
        ),
        ("toward: operater", "36: flows.a.toward: unknown value \"operater\"; did you mean \"operator\"?"),
        (
            "lifespan: [1 s]",
            "38: flows.a.lifespan: a list does not fit here; write a duration such as \"500 ms\"",
        ),
        (
            "lifespan: ",
            "36: flows.a.lifespan: the value is missing; write a duration such as \"500 ms\" or remove the field",
        ),
        ("rate: 1 Hz, rate: 2 Hz", "40: flows.a.rate: given twice, first at line 3; remove one of them"),
    ];
    for (fields, expected) in cases {
        assert_eq!(bad_field(fields), format!("robot.yaml:3:{expected}"), "{fields}");
    }
}

#[test]
fn each_wrong_name_of_a_flow_is_told_at_its_key() {
    let cases = [
        (
            "camera front",
            "' ' cannot be in a flow's name; use a-z, A-Z, 0-9, _ and /, as in \"camera/front\"",
        ),
        ("/camera", "the name begins with /; write it without, flows are named within the robot"),
        ("camera//a", "the name has an empty part; write one / between two words, none at the end"),
        ("camera/", "the name has an empty part; write one / between two words, none at the end"),
        ("camera/2d", "a part of the name begins with a digit; begin it with a letter"),
        ("a__b", "the name has two underscores in a row; write one, ROS 2 does not allow two"),
    ];
    for (name, expected) in cases {
        let errors = bad(&format!("robot: r\nflows:\n  {name}: {{class: control}}\n"));
        assert_eq!(errors, [format!("robot.yaml:3:3: flows.{name}: {expected}")]);
    }
    let long = "a".repeat(256);
    let errors = bad(&format!("robot: r\nflows:\n  {long}: {{class: control}}\n"));
    assert!(errors[0].ends_with("the name is longer than 255 characters; shorten it"), "{errors:?}");
    assert_eq!(
        good(&format!("robot: r\nflows:\n  {}: {{class: control}}\n", "a".repeat(255))).flows.len(),
        1
    );
}

#[test]
fn what_is_missing_at_the_top_is_named() {
    assert_eq!(
        bad("{}"),
        [
            "robot.yaml:1:1: robot: the field is missing; add robot: and a name",
            "robot.yaml:1:1: flows: the field is missing; add flows:, one line for each flow"
        ]
    );
    assert_eq!(
        bad("robot: r\nflows:\n  a:\n    rate: 1 Hz\n"),
        ["robot.yaml:3:3: flows.a.class: the field is missing; \
          add class: control, realtime, best_effort or background"]
    );
    assert_eq!(
        bad("robot: r\nflows: {}\n"),
        ["robot.yaml:2:8: flows: there are no flows; add one line for each flow"]
    );
    assert_eq!(bad("# nothing"), ["robot.yaml:1:1: the file is empty; add robot: and flows:"]);
}

#[test]
fn a_class_that_is_nearly_right_gets_a_suggestion() {
    let errors = bad("robot: r\nflows:\n  a: {class: best-efort}\n");
    assert_eq!(
        errors,
        ["robot.yaml:3:14: flows.a.class: unknown value \"best-efort\"; did you mean \"best_effort\"?"]
    );
    let errors = bad("robot: r\nflows:\n  a: {class: urgent}\n");
    assert!(errors[0].ends_with("use control, realtime, best_effort or background"), "{errors:?}");
}
