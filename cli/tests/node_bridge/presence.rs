//! A topic is there while it has a publisher, is sent while somebody wants it, and comes back: NODE-93, NODE-95, NODE-98.

use super::node::{assert_string, latch, until};
use super::yard::{Operator, Vehicle, Yard, figure};

const FLOW: &str = "  state: {class: realtime}";

#[test]
fn a_latched_topic_is_there_for_who_subscribes_late_at_the_other_end() {
    let Some(yard) = Yard::open("  map: {class: best_effort}") else { return };
    let node = yard.node(Vehicle, "mapper");
    let publisher = latch(&node, "/map", 7);
    let (vehicle, operator) = yard.bridges();
    operator
        .until_figures("published", |all| (figure(all, "targets", "map", "published") == 1).then_some(()));
    for _ in 0..2 {
        let late = yard.listen(Operator, "/map");
        let heard = late.until_heard(1);
        assert_eq!(heard[0].number(), 7);
        assert_string(&heard[0].origin);
        assert!(heard[0].origin.is_latched);
    }
    // Another run of the operator's bridge is given it anew, by the link.
    operator.kill();
    let _operator = yard.bridge(Operator, "");
    let late = yard.listen(Operator, "/map");
    assert_eq!(late.until_heard(1)[0].number(), 7);
    drop(publisher);
    vehicle.until_told(&["topic /map does not go any more"]);
    until("it is gone", || (late.publishers() == 0).then_some(()));
    node.shutdown();
}

#[test]
fn a_topic_nobody_subscribes_to_is_not_sent_and_its_ledger_closes() {
    let Some(yard) = Yard::open(FLOW) else { return };
    let (vehicle, operator) = yard.bridges();
    let talker = yard.talk(Vehicle, "/state");
    operator.until_told(&["topic /state is here"]);
    talker.until_said_more(20);
    let figures = |name: &str| figure(&vehicle.next_figures(), "sources", "state", name);
    assert!(figures("unwanted") > 0);
    assert_eq!(figures("sent"), 0, "there was no subscriber yet");
    for round in 1..=2 {
        let listener = yard.listen(Operator, "/state");
        listener.until_heard(20);
        drop(listener);
        vehicle.until_told_times("topic /state does not go any more", round);
        let sent = figures("sent");
        talker.until_said_more(20);
        let all = vehicle.next_figures();
        let [offered, now, refused, unwanted] =
            ["offered", "sent", "refused", "unwanted"].map(|name| figure(&all, "sources", "state", name));
        assert!(sent >= 20 && now == sent, "{sent} {now}");
        assert_eq!(offered, now + refused + unwanted);
        operator.until_figures("all that was sent", |all| {
            (figure(all, "targets", "state", "delivered") == sent).then_some(())
        });
    }
}

#[test]
fn a_topic_goes_with_its_last_publisher_and_comes_back_with_the_next() {
    let Some(yard) = Yard::open(FLOW) else { return };
    let (_vehicle, operator) = yard.bridges();
    let listener = yard.listen(Operator, "/state");
    let asking = yard.node(Operator, "asking");
    for round in 1..=2 {
        let before = listener.all().len();
        let (one, other) = (yard.talk(Vehicle, "/state"), yard.talk(Vehicle, "/state"));
        listener.until_heard(before + 20);
        drop(one);
        listener.until_heard(listener.all().len() + 20);
        drop(other);
        operator.until_told_times("topic /state is gone: it has no publisher at the other end", round);
        until("nobody publishes it", || yard.publishers(&asking, "/state").is_empty().then_some(()));
    }
    asking.shutdown();
}

#[test]
fn bridges_that_are_killed_and_started_again_go_on() {
    let Some(yard) = Yard::open(FLOW) else { return };
    let (vehicle, operator) = yard.bridges();
    let _talker = yard.talk(Vehicle, "/state");
    let listener = yard.listen(Operator, "/state");
    listener.until_heard(20);
    vehicle.kill();
    let _vehicle = yard.bridge(Vehicle, "");
    operator.until_told_times("topic /state is here", 2);
    listener.until_heard(listener.all().len() + 20);
    operator.kill();
    let _operator = yard.bridge(Operator, "");
    let before = listener.all().len();
    listener.until_heard(before + 20);
    let numbers = listener.numbers();
    assert!(numbers.is_sorted_by(|one, next| one < next), "nothing twice, nothing out of order: {numbers:?}");
}

/// As `rosnode kill` does it. The session ends with the bridge.
#[test]
fn what_a_bridge_had_that_was_told_to_end_is_gone_after_the_linger_time() {
    let Some(yard) = Yard::open(FLOW) else { return };
    let operator = yard.bridge(Operator, "--linger 500ms");
    let mut vehicle = yard.bridge(Vehicle, "");
    let _talker = yard.talk(Vehicle, "/state");
    let listener = yard.listen(Operator, "/state");
    listener.until_heard(5);
    yard.shut_down(&yard.address_of_bridge(Vehicle));
    vehicle.until_told(&["the bridge's node was ended by another node"]);
    assert_eq!(vehicle.exit_code(), Some(0));
    operator.until_told(&["topic /state is gone"]);
    until("it is gone", || (listener.publishers() == 0).then_some(()));
}

#[test]
fn a_bridge_ends_though_its_master_is_gone_and_a_topic_waits_for_it() {
    let Some(mut yard) = Yard::open("  '*': {class: realtime}") else { return };
    let (_vehicle, mut operator) = yard.bridges();
    let _talker = yard.talk(Vehicle, "/state");
    let listener = yard.listen(Operator, "/state");
    listener.until_heard(5);
    let address = yard.address_of_bridge(Operator);
    yard.kill_master(Operator);
    operator.until_told(&["the master at", "does not answer"]);
    let _other = yard.talk(Vehicle, "/other");
    operator.until_told(&["topic /other is here"]);
    listener.until_heard(listener.all().len() + 20);
    yard.shut_down(&address);
    assert_eq!(operator.exit_code(), Some(0));
}
