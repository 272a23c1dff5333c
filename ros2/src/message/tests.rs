//! What two bridges understand, and what they refuse.

use super::*;

fn message() -> Message {
    let qos = Qos { lifespan: Some(Duration::from_millis(500)), history: History::KeepAll, ..Qos::default() };
    let topic = Topic {
        name: "camera/front".into(),
        type_name: "sensor_msgs/msg/Image".into(),
        qos,
        representation: Representation::Xcdr2,
        user_data: b"typehash=RIHS01_ab;".to_vec(),
        generation: 2,
    };
    Message { instance: 0xab, number: 7, topics: vec![topic], wanted: ["cmd_vel@9".to_owned()].into() }
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
fn a_topic_of_which_no_representation_is_told_is_of_plain_cdr() {
    let mut plain = message();
    plain.topics[0].representation = Representation::Xcdr1;
    assert_eq!(changed("\"representation\":\"xcdr2\",", "").as_ref(), Ok(&plain));
    assert_eq!(changed("\"xcdr2\"", "\"xcdr1\"").as_ref(), Ok(&plain));
    assert_eq!(Message::parse(&plain.write()), Ok(plain));
}

#[test]
fn what_is_not_as_the_specification_says_is_refused_whole() {
    for (from, to) in [
        ("camera/front", "/camera/front"),
        ("camera/front", "camera/*"),
        ("sensor_msgs/msg/Image", "sensor_msgs/srv/Image"),
        ("\"reliable\"", "\"perfect\""),
        ("\"xcdr2\"", "\"xcdr3\""),
        ("00000000000000ab", "ab"),
        ("00000000000000ab", "00000000000000ax"),
        ("cmd_vel", "cmd vel"),
        ("cmd_vel@9", "cmd_vel@09"),
        ("cmd_vel@9", "cmd_vel@0"),
        ("cmd_vel@9", "cmd_vel@9@9"),
        ("\"number\":7", "\"number\":-7"),
        (
            "\"reliability\":\"reliable\",\"durability\":\"volatile\"",
            "\"reliability\":\"best_effort\",\"durability\":\"transient_local\"",
        ),
        ("7479706568", "7479706"),
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
    let of = |part_bytes: usize, user_data: usize| {
        let part = "a".repeat(part_bytes);
        let topic = |n: usize| Topic {
            name: format!("{part}/{part}/b{n}"),
            type_name: format!("{part}/msg/{part}"),
            user_data: vec![7; user_data],
            ..message().topics[0].clone()
        };
        Message { topics: (0..ENTRIES_MAX).map(topic).collect(), ..message() }
    };
    for (part_bytes, user_data, left_out) in [(5, 20, None), (10, 256, Some(0)), (100, 256, Some(1))] {
        let mut message = of(part_bytes, user_data);
        let left = message.fit().map(|left| left.topics);
        assert_eq!(left.map(|topics| topics.min(1)), left_out, "{part_bytes} {user_data} {left:?}");
        assert_eq!(Message::parse(&message.write()), Ok(message.clone()));
        assert_eq!(message.topics.len() + left.unwrap_or(0), ENTRIES_MAX);
    }
}

#[test]
fn a_topic_told_of_twice_and_too_many_of_them_are_refused_and_unknown_fields_are_not() {
    let mut twice = message();
    twice.topics.push(twice.topics[0].clone());
    assert!(Message::parse(&twice.write()).is_err());
    let mut many = message();
    many.wanted = (0..=ENTRIES_MAX).map(|n| format!("t{n}")).collect();
    assert!(Message::parse(&many.write()).is_err());
    assert!(changed("\"number\"", "\"later\":[1],\"number\"").is_ok());
}
