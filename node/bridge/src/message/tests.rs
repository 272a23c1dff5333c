//! What two bridges understand, and what they refuse.

use super::*;

fn topic(name: String, definition: String) -> Topic {
    Topic {
        name,
        type_name: "sensor_msgs/Image".into(),
        md5sum: "060021388200f6f0f447d0fcd9c64743".into(),
        definition,
        is_latched: true,
        generation: 2,
    }
}

fn message() -> Message {
    Message {
        instance: 0xab,
        number: 7,
        node: "/tokkyu_bridge_vehicle_1_2".into(),
        topics: vec![topic("camera/front".into(), "# \"a\"\nuint8[] data\n".into())],
        wanted: ["cmd_vel@9".to_owned()].into(),
    }
}

fn changed(from: &str, to: &str) -> Result<Message, MessageError> {
    let text = String::from_utf8(message().write()).unwrap();
    assert!(text.contains(from), "{text}");
    Message::parse(text.replacen(from, to, 1).as_bytes())
}

#[test]
fn a_message_is_read_back_as_it_was_written() {
    assert_eq!(Message::parse(&message().write()).unwrap(), message());
    assert_eq!(message().topics[0].link_topic(), "camera/front@2");
}

#[test]
fn what_is_not_as_the_specification_says_is_refused_whole() {
    let long = "a".repeat(CARRIED_MAX_BYTES + 1);
    for (from, to) in [
        ("camera/front", "/camera/front"),
        ("camera/front", "camera/*"),
        ("camera/front", long.as_str()),
        ("sensor_msgs/Image", "sensor_msgs/msg/Image"),
        ("sensor_msgs/Image", "*"),
        ("060021388200f6f0f447d0fcd9c64743", "*"),
        ("\"latching\":true", "\"latching\":1"),
        ("\"generation\":2", "\"generation\":0"),
        ("/tokkyu_bridge_vehicle_1_2", "tokkyu bridge"),
        ("00000000000000ab", "ab"),
        ("00000000000000ab", "00000000000000ax"),
        ("cmd_vel", "cmd vel"),
        ("cmd_vel@9", "cmd_vel"),
        ("cmd_vel@9", "cmd_vel@09"),
        ("cmd_vel@9", "cmd_vel@0"),
        ("cmd_vel@9", "cmd_vel@9@9"),
        ("\"number\":7", "\"number\":-7"),
    ] {
        assert!(matches!(changed(from, to), Err(MessageError::Malformed(_))), "{from} {to}");
    }
    assert!(matches!(
        changed("\"version\":1", "\"version\":2"),
        Err(MessageError::Version { theirs: 2, ours: 1 })
    ));
    assert!(matches!(Message::parse(&vec![b' '; MESSAGE_MAX_BYTES + 1]), Err(MessageError::TooLong(_))));
}

#[test]
fn a_message_of_ours_is_never_longer_than_the_other_end_takes() {
    let of = |definition: usize, name: usize| {
        let topic = |n: usize| topic(format!("{}/b{n}", "a".repeat(name)), "\n".repeat(definition));
        let wanted = (0..ENTRIES_MAX).map(|n| format!("{}{n}@1", "w".repeat(name))).collect();
        Message { topics: (0..ENTRIES_MAX).map(topic).collect(), wanted, ..message() }
    };
    for (definition, name, loses_texts, loses_topics) in
        [(300, 5, true, false), (10_000, 5, true, false), (0, 230, false, true), (100, 230, true, true)]
    {
        let mut message = of(definition, name);
        let left = message.fit().expect("too long before");
        assert_eq!((left.definitions > 0, left.topics > 0), (loses_texts, loses_topics), "{name} {left:?}");
        assert_eq!(Message::parse(&message.write()), Ok(message.clone()));
        assert_eq!(message.topics.len() + left.topics, ENTRIES_MAX);
    }
}

#[test]
fn the_longest_texts_are_left_out_first() {
    let mut message = message();
    message.topics = (1..=5).map(|n| topic(format!("t{n}"), "x".repeat(n * 20_000))).collect();
    assert_eq!(message.fit(), Some(LeftOut { definitions: 1, topics: 0 }));
    let is_there: Vec<bool> = message.topics.iter().map(|topic| !topic.definition.is_empty()).collect();
    assert_eq!(is_there, [true, true, true, true, false]);
}

#[test]
fn a_topic_told_of_twice_and_too_many_of_them_are_refused_and_unknown_fields_are_not() {
    let mut twice = message();
    twice.topics.push(twice.topics[0].clone());
    assert!(Message::parse(&twice.write()).is_err());
    let mut many = message();
    many.wanted = (0..=ENTRIES_MAX).map(|n| format!("t{n}@1")).collect();
    assert!(Message::parse(&many.write()).is_err());
    assert!(changed("\"number\"", "\"later\":[1],\"number\"").is_ok());
}
