//! What is written when, whatever comes in which order.

use super::*;
use tokkyu_contract::History;

const NOW: MonoTime = MonoTime::from_millis(1_000);

fn order(depth: u32) -> Order<u32> {
    Order::new(&Qos { history: History::KeepLast { depth }, ..Qos::default() }, Class::Realtime)
}

fn sample(sequence: u32) -> Numbered<u32> {
    in_session(1, sequence)
}

fn in_session(session: u64, sequence: u32) -> Numbered<u32> {
    let capture = PeerTime::from_millis(u64::from(sequence));
    Numbered { session, flow: FlowId(3), sequence, capture, sample: sequence }
}

#[test]
fn a_sample_waits_for_the_one_before_it() {
    let mut order = order(3);
    assert_eq!(order.on_sample(NOW, sample(17)), [17], "a late reader begins where it begins");
    assert_eq!(order.on_sample(NOW, sample(19)), [0; 0]);
    assert_eq!(order.on_sample(NOW, sample(18)), [18, 19]);
    assert_eq!(order.on_sample(NOW, sample(18)), [0; 0]);
    assert_eq!(order.stale(), 1);
}

#[test]
fn the_first_sample_of_a_publication_is_waited_for_if_it_comes_after_the_second() {
    let mut order = order(10);
    assert_eq!(order.on_sample(NOW, sample(1)), [0; 0]);
    assert_eq!(order.on_sample(NOW, sample(0)), [0, 1]);
    let mut order = self::order(10);
    assert_eq!(order.on_sample(NOW, sample(15)), [0; 0]);
    assert_eq!(order.on_time(NOW + HOLD), [15], "no longer than any");
}

#[test]
fn one_that_never_comes_is_waited_for_until_that_is_known() {
    let mut order = order(3);
    order.on_sample(NOW, sample(0));
    order.on_sample(NOW, sample(3));
    assert_eq!(order.on_missed(2), [0; 0], "1 may still come");
    assert_eq!(order.on_missed(1), [3]);
}

#[test]
fn no_sample_waits_longer_than_the_hold() {
    let mut order = order(5);
    order.on_sample(NOW, sample(0));
    order.on_sample(NOW + Duration::from_millis(10), sample(2));
    assert_eq!(order.deadline(), Some(NOW + Duration::from_millis(10) + HOLD));
    assert_eq!(order.on_time(NOW + HOLD), [0; 0]);
    assert_eq!(order.on_time(NOW + Duration::from_millis(10) + HOLD), [2]);
    assert_eq!(order.on_sample(NOW + HOLD, sample(1)), [0; 0]);
    assert_eq!(order.stale(), 1);
}

#[test]
fn no_more_than_depth_samples_wait() {
    let mut order = order(2);
    order.on_sample(NOW, sample(0));
    assert_eq!(order.on_sample(NOW, sample(2)), [0; 0]);
    assert_eq!(order.on_sample(NOW, sample(4)), [0; 0]);
    assert_eq!(order.on_sample(NOW, sample(5)), [2], "1 is given up, 3 may still come");
    assert_eq!(order.on_sample(NOW, sample(3)), [3, 4, 5]);
}

#[test]
fn with_depth_1_best_effort_or_control_the_newest_counts_and_nothing_waits() {
    let reliable = Qos::default();
    for (qos, class) in [
        (Qos { history: History::KeepLast { depth: 1 }, ..reliable }, Class::Realtime),
        (Qos::sensor_data(), Class::Realtime),
        (reliable, Class::Control),
    ] {
        let mut order = Order::new(&qos, class);
        assert_eq!(order.on_sample(NOW, sample(0)), [0]);
        assert_eq!(order.on_sample(NOW, sample(2)), [2]);
        assert_eq!(order.on_sample(NOW, sample(1)), [0; 0]);
        assert_eq!((order.stale(), order.deadline()), (1, None));
    }
}

#[test]
fn a_late_reader_of_a_transient_local_topic_gets_what_was_kept_in_order() {
    let qos = Qos {
        history: History::KeepLast { depth: 3 },
        durability: Durability::TransientLocal,
        ..Qos::default()
    };
    let mut order = Order::new(&qos, Class::Realtime);
    assert_eq!(order.on_sample(NOW, sample(6)), [0; 0]);
    assert_eq!(order.on_sample(NOW, sample(4)), [4]);
    assert_eq!(order.on_sample(NOW, sample(5)), [5, 6]);
}

#[test]
fn what_a_new_session_sends_again_is_not_written_again() {
    let qos = Qos {
        history: History::KeepLast { depth: 2 },
        durability: Durability::TransientLocal,
        ..Qos::default()
    };
    let mut order = Order::new(&qos, Class::Realtime);
    for sequence in 0..4 {
        order.on_sample(NOW, sample(sequence));
    }
    let again = |order: &mut Order<u32>, sequence, capture_ms| {
        let capture = PeerTime::from_millis(capture_ms);
        order.on_sample(NOW, Numbered { capture, ..in_session(2, sequence) })
    };
    assert_eq!(again(&mut order, 0, 2), [0; 0]);
    assert_eq!(again(&mut order, 1, 3), [0; 0]);
    assert_eq!(order.on_time(NOW + HOLD), [0; 0]);
    assert_eq!(again(&mut order, 2, 50), [0; 0], "0 and 1 may have been others");
    assert_eq!(order.on_time(NOW + HOLD), [2]);
}

#[test]
fn another_session_numbers_anew_and_lets_go_of_what_waited() {
    let mut order = order(3);
    order.on_sample(NOW, sample(0));
    order.on_sample(NOW, sample(2));
    assert_eq!(order.on_sample(NOW, in_session(2, 0)), [2, 0]);
}

/// ROS2-25: a topic that goes and comes back in one session is another publication.
#[test]
fn another_publication_numbers_anew_and_what_was_under_way_of_the_former_is_dropped() {
    let of = |flow: u16, sequence| Numbered { flow: FlowId(flow), ..sample(sequence) };
    for (former, latter) in [(3, 4), (u16::MAX, 1), (3, 40_000), (40_000, 3)] {
        let mut order = order(3);
        assert_eq!(order.on_sample(NOW, of(former, 25)), [25]);
        assert_eq!(order.on_sample(NOW, of(former, 27)), [0; 0]);
        assert_eq!(order.on_sample(NOW, of(latter, 0)), [27, 0]);
        assert_eq!(order.on_sample(NOW, of(former, 28)), [0; 0]);
        assert_eq!((order.on_sample(NOW, of(latter, 1)), order.stale()), (vec![1], 1));
    }
}

#[test]
fn a_topic_that_goes_gives_what_waits_in_its_order() {
    let mut order = order(5);
    order.on_sample(NOW, sample(0));
    order.on_sample(NOW, sample(4));
    order.on_sample(NOW, sample(2));
    assert_eq!((order.finish(), order.deadline()), (vec![2, 4], None));
}

#[test]
fn numbers_may_wrap() {
    let mut order = order(3);
    assert_eq!(order.on_sample(NOW, sample(u32::MAX)), [u32::MAX]);
    assert_eq!(order.on_sample(NOW, sample(1)), [0; 0]);
    assert_eq!(order.on_sample(NOW, sample(0)), [0, 1]);
}
