//! Which representation a topic's samples have, and who does not read them: ROS2-7.

use super::*;
use crate::endpoint::Representation::{Xcdr1, Xcdr2};

fn with(change: Change, representations: &[Representation]) -> Change {
    let Change::Endpoint(endpoint) = change else { unreachable!() };
    Change::Endpoint(Endpoint { representations: representations.to_vec(), ..endpoint })
}

fn camera_writer(number: u8, representations: &[Representation]) -> Change {
    with(writer(number, "camera/front", Qos::default()), representations)
}

fn camera_reader(number: u8, representations: &[Representation]) -> Change {
    with(reader(number, "camera/front", Qos::default()), representations)
}

fn representation(graph: &Graph) -> Representation {
    graph.targets["camera/front"].topic.representation
}

#[test]
fn a_reader_that_does_not_take_what_is_written_is_told_and_does_not_count_as_wanting() {
    for (written, other) in [(Xcdr1, Xcdr2), (Xcdr2, Xcdr1)] {
        let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
        vehicle.on_change(camera_writer(1, &[written]));
        operator.on_change(camera_reader(9, &[other]));
        let (here, there) = settle(&mut vehicle, &mut operator);
        assert_eq!((here, there), (vec![], vec!["write rt/camera/front".to_owned()]), "{written}");
        assert_eq!(representation(&operator), written);
        let said = words(&mut operator);
        let expected = format!(
            "topic /camera/front: a reader takes {other}, the topic's samples are {written}: it gets nothing; let the \
             reader take {written} too, or the writer write what it takes (their data representation QoS)"
        );
        assert_eq!(said, [expected]);
        operator.on_change(camera_reader(9, &[Xcdr1, Xcdr2]));
        assert_eq!(settle(&mut vehicle, &mut operator).0, ["read rt/camera/front"], "{written}");
        assert_eq!(operator.standing().count(), 0);
    }
}

#[test]
fn a_writer_of_another_representation_is_told_and_the_first_stays_as_long_as_it_has_a_writer() {
    let (mut vehicle, mut operator) = watched();
    operator.on_change(camera_reader(9, &[Xcdr1, Xcdr2]));
    vehicle.on_change(camera_writer(0, &[Xcdr2]));
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
    let said = words(&mut vehicle);
    assert!(
        said[0].contains("/camera/front: a writer writes XCDR2, the topic's samples are XCDR1"),
        "{said:?}"
    );
    assert!(said[0].contains("let all its writers write XCDR1"), "{said:?}");
    let first = operator.targets["camera/front"].topic.link_topic();
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    let (here, there) = settle(&mut vehicle, &mut operator);
    assert_eq!(here, ["read no more camera/front", "read rt/camera/front"]);
    assert_eq!(there, ["write no more camera/front", "write rt/camera/front"]);
    assert_eq!(representation(&operator), Xcdr2);
    assert_ne!(
        operator.targets["camera/front"].topic.link_topic(),
        first,
        "never matched with the former one"
    );
    assert_eq!(vehicle.standing().count(), 0);
}

#[test]
fn a_topic_that_comes_back_at_once_in_another_representation_is_another_of_the_link_s() {
    let (mut vehicle, mut operator) = watched();
    operator.on_change(camera_reader(9, &[Xcdr1, Xcdr2]));
    let first = operator.targets["camera/front"].topic.link_topic();
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    vehicle.orders();
    vehicle.on_change(camera_writer(2, &[Xcdr2]));
    settle(&mut vehicle, &mut operator);
    assert_ne!(operator.targets["camera/front"].topic.link_topic(), first);
}

#[test]
fn a_writer_of_a_representation_that_no_bridge_carries_is_told_and_not_carried() {
    let (mut vehicle, mut operator) = (graph(Toward::Vehicle), graph(Toward::Operator));
    vehicle.on_change(camera_writer(1, &[]));
    operator.on_change(camera_reader(9, &[Xcdr1, Xcdr2]));
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
    let said = words(&mut vehicle);
    assert!(said[0].contains("a writer writes neither XCDR1 nor XCDR2") && said.len() == 1, "{said:?}");
}
