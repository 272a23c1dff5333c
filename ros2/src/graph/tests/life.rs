//! How a topic goes on, goes, and is tried again.

use super::*;

#[test]
fn a_topic_whose_last_samples_are_under_way_stays_told_until_they_are_settled() {
    let (mut vehicle, mut operator) = watched();
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    assert_eq!(vehicle.orders(), [Order::CloseSource("camera/front".to_owned())], "the other end keeps it");
    vehicle.on_drained("camera/front");
    assert_eq!(settle(&mut vehicle, &mut operator).1, ["write no more camera/front"]);
}

#[test]
fn a_topic_that_comes_back_while_it_leaves_goes_on() {
    let (mut vehicle, mut operator) = watched();
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    vehicle.orders();
    vehicle.on_change(writer(2, "camera/front", Qos::default()));
    let (here, there) = settle(&mut vehicle, &mut operator);
    assert_eq!((here, there), (vec!["read rt/camera/front".to_owned()], vec![]));
    vehicle.on_drained("camera/front");
    assert_eq!(vehicle.orders(), []);
}

/// What the link still knows of the former one's subscription must not match the new one's publication.
#[test]
fn a_topic_that_comes_back_after_it_was_told_gone_is_another_of_the_link_s() {
    let (mut vehicle, mut operator) = watched();
    let link_topic = |graph: &Graph| graph.targets["camera/front"].topic.link_topic();
    let first = link_topic(&operator);
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    settle(&mut vehicle, &mut operator);
    vehicle.on_change(writer(1, "camera/front", Qos::default()));
    let (here, there) = settle(&mut vehicle, &mut operator);
    assert_eq!(
        (here, there),
        (vec!["read rt/camera/front".to_owned()], vec!["write rt/camera/front".to_owned()])
    );
    assert_ne!(link_topic(&operator), first);
}

#[test]
fn another_writer_with_other_user_data_changes_nothing() {
    let (mut vehicle, mut operator) = watched();
    let Change::Endpoint(one) = writer(0, "camera/front", Qos::default()) else { unreachable!() };
    vehicle.on_change(Change::Endpoint(Endpoint { user_data: b"typehash=y;".to_vec(), ..one }));
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
    vehicle.on_change(Change::EndpointGone(Role::Writer, guid(1)));
    assert_eq!(settle(&mut vehicle, &mut operator), (vec![], vec![]));
}

#[test]
fn without_news_nothing_is_worked_out_again() {
    let (mut vehicle, _) = watched();
    vehicle.sources.clear();
    assert_eq!(vehicle.orders(), [], "a change that no event told of");
    vehicle.on_pause_over("camera/front");
    vehicle.on_drained("camera/front");
    assert_eq!(vehicle.orders(), [], "neither is news");
}

#[test]
fn what_could_not_be_opened_is_tried_again_after_a_pause() {
    let (mut vehicle, mut operator) = watched();
    for (graph, opened) in [(&mut vehicle, "read"), (&mut operator, "write")] {
        graph.on_not_opened("camera/front");
        assert!(graph.orders().iter().all(|order| order.opens().is_none()), "{opened}: it has a pause");
        graph.on_pause_over("camera/front");
        let orders = graph.orders();
        assert!(orders.iter().any(|order| order.opens() == Some("camera/front")), "{opened}: {orders:?}");
    }
}

#[test]
fn a_name_that_the_link_has_no_room_for_is_reported_and_not_carried() {
    let mut vehicle = graph_in(Toward::Vehicle, "", "  '**': {class: realtime}");
    let part = "a".repeat(81);
    let longest = format!("{part}/{part}/{}", &part[1..]);
    assert_eq!(longest.len(), crate::message::CARRIED_MAX_BYTES);
    vehicle.on_change(writer(1, &longest, local()));
    vehicle.on_change(writer(2, &format!("{longest}b"), local()));
    let opened: Vec<String> =
        vehicle.orders().iter().filter_map(|order| order.opens().map(str::to_owned)).collect();
    assert_eq!(opened, [longest]);
    assert!(words(&mut vehicle)[0].contains("longer than the 244 bytes"));
}
