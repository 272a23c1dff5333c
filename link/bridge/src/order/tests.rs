//! What is given out when, whatever comes in which order.

use super::*;
use tokkyu_contract::History;

const NOW: MonoTime = MonoTime::from_millis(1_000);

fn qos(depth: u32) -> Qos {
    Qos { history: History::KeepLast { depth }, ..Qos::default() }
}

fn kept(depth: u32) -> Qos {
    Qos { durability: Durability::TransientLocal, ..qos(depth) }
}

fn order(depth: u32) -> Order<u32> {
    Order::new(&qos(depth), Class::Realtime)
}

fn sample(sequence: u32) -> Numbered<u32> {
    in_session(1, sequence)
}

fn in_session(session: u64, sequence: u32) -> Numbered<u32> {
    let capture = PeerTime::from_millis(u64::from(sequence));
    Numbered { session, flow: FlowId(3), sequence, capture, sample: sequence }
}

fn gives(order: &mut Order<u32>, sequences: &[u32]) -> Vec<u32> {
    sequences.iter().flat_map(|sequence| order.on_sample(NOW, sample(*sequence))).collect()
}

fn missed(order: &mut Order<u32>, sequence: u32) -> Vec<u32> {
    order.on_missed(FlowId(3), sequence)
}

#[test]
fn a_sample_waits_for_the_one_before_it() {
    let mut order = order(3);
    assert_eq!(gives(&mut order, &[17]), [17], "a late reader begins where it begins");
    assert_eq!(gives(&mut order, &[19]), [0; 0]);
    assert_eq!(gives(&mut order, &[18]), [18, 19]);
    assert_eq!(gives(&mut order, &[18]), [0; 0]);
    assert_eq!((order.take_stale(), order.take_stale(), order.deadline()), (1, 0, None));
}

#[test]
fn the_first_sample_of_a_publication_is_waited_for_if_it_comes_after_the_second() {
    let mut order = order(10);
    assert_eq!(gives(&mut order, &[1]), [0; 0]);
    assert_eq!(gives(&mut order, &[0]), [0, 1]);
    let mut order = self::order(10);
    assert_eq!(gives(&mut order, &[15]), [0; 0]);
    assert_eq!(order.on_time(NOW + HOLD), [15], "no longer than any");
    assert_eq!(gives(&mut self::order(10), &[16]), [16], "that is where it begins");
}

#[test]
fn one_that_never_comes_is_waited_for_until_that_is_known() {
    let mut order = order(3);
    assert_eq!(gives(&mut order, &[0, 3]), [0]);
    assert_eq!(missed(&mut order, 2), [0; 0], "1 may still come");
    assert_eq!(missed(&mut order, 1), [3]);
    assert_eq!(gives(&mut order, &[5]), [0; 0]);
    assert_eq!(order.on_missed(FlowId(9), 4), [0; 0], "another publication's");
    assert_eq!(missed(&mut order, 4), [5]);
    assert_eq!((order.take_stale(), order.deadline()), (0, None));
}

#[test]
fn what_is_told_missed_before_anything_came_is_nothing_to_wait_for() {
    let mut order = order(3);
    assert_eq!(missed(&mut order, 16), [0; 0]);
    assert_eq!(gives(&mut order, &[17, 18]), [17, 18]);
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
    assert_eq!(order.take_stale(), 1);
}

#[test]
fn no_more_than_depth_samples_wait() {
    let mut order = order(2);
    assert_eq!(gives(&mut order, &[0, 2, 4]), [0]);
    assert_eq!(gives(&mut order, &[5]), [2], "1 is given up, 3 may still come");
    assert_eq!(gives(&mut order, &[3]), [3, 4, 5]);
    assert_eq!(gives(&mut order, &[8, 9]), [0; 0]);
    assert_eq!(gives(&mut order, &[10, 7]), [8, 9, 10]);
    assert_eq!(order.take_stale(), 1);
}

#[test]
fn of_control_best_effort_and_depth_1_what_comes_after_a_newer_one_is_dropped() {
    let best_effort = Qos { reliability: Reliability::BestEffort, ..qos(10) };
    for (qos, class) in [
        (qos(1), Class::Realtime),
        (qos(1), Class::BestEffort),
        (kept(1), Class::BestEffort),
        (Qos::sensor_data(), Class::Realtime),
        (best_effort, Class::Realtime),
        (qos(10), Class::Control),
        (Qos { history: History::KeepAll, ..Qos::default() }, Class::Control),
    ] {
        let mut order = Order::new(&qos, class);
        assert_eq!(gives(&mut order, &[3, 5, 4, 5, 6]), [3, 5, 6], "{qos:?} {class}");
        assert_eq!((order.take_stale(), order.deadline()), (2, None));
    }
}

#[test]
fn what_the_link_orders_is_given_as_it_comes() {
    let qos = Qos { history: History::KeepAll, ..Qos::default() };
    let mut order = Order::new(&qos, Class::Realtime);
    assert_eq!(gives(&mut order, &[3, 9]), [3, 9]);
    assert_eq!((missed(&mut order, 4), order.deadline(), order.take_stale()), (vec![], None, 0));
}

#[test]
fn a_sample_whose_number_waits_already_counts_as_stale() {
    let mut order = order(3);
    assert_eq!(gives(&mut order, &[0, 2, 2]), [0]);
    assert_eq!(order.take_stale(), 1);
    assert_eq!(gives(&mut order, &[1]), [1, 2], "once");
}

#[test]
fn what_lies_before_the_first_number_is_dropped_whatever_the_rule() {
    for (depth, class) in [(3, Class::Realtime), (10, Class::Control)] {
        let mut order = Order::new(&qos(depth), class);
        assert_eq!(gives(&mut order, &[0, u32::MAX, u32::MAX - 9, 1]), [0, 1], "{class}");
        assert_eq!(order.take_stale(), 2);
    }
    let mut order = order(3);
    assert_eq!(gives(&mut order, &[1, u32::MAX, 0]), [0, 1], "nor is it the one that is waited for");
    assert_eq!(order.take_stale(), 1);
}

#[test]
fn a_late_reader_of_a_kept_topic_gets_what_was_kept_in_order() {
    let mut order = Order::new(&kept(3), Class::Realtime);
    assert_eq!(gives(&mut order, &[6]), [0; 0]);
    assert_eq!(gives(&mut order, &[4]), [4]);
    assert_eq!(gives(&mut order, &[5]), [5, 6]);
    let mut order = Order::new(&kept(3), Class::Realtime);
    assert_eq!(gives(&mut order, &[1, 0]), [0, 1], "nothing lies before 0");
    let mut order = Order::new(&kept(3), Class::Realtime);
    assert_eq!(gives(&mut order, &[20, 17]), [0; 0]);
    assert_eq!((order.take_stale(), order.on_time(NOW + HOLD)), (1, vec![20]), "17 was not kept");
}

#[test]
fn what_a_new_session_brings_again_of_a_kept_topic_is_dropped() {
    let mut order = Order::new(&kept(2), Class::Realtime);
    assert_eq!(gives(&mut order, &[0, 1, 2, 3]), [0, 1, 2, 3]);
    let again = |order: &mut Order<u32>, sequence, capture_ms| {
        let capture = PeerTime::from_millis(capture_ms);
        order.on_sample(NOW, Numbered { capture, ..in_session(2, sequence) })
    };
    assert_eq!(again(&mut order, 0, 2), [0; 0]);
    assert_eq!(again(&mut order, 1, 3), [0; 0]);
    assert_eq!((order.take_stale(), order.deadline()), (2, None));
    assert_eq!(again(&mut order, 2, 50), [2], "nothing waits for what is known");
    assert_eq!(again(&mut order, 4, 52), [0; 0], "but for what is not");
    assert_eq!(again(&mut order, 3, 51), [3, 4]);
    assert_eq!(order.take_stale(), 0);
}

#[test]
fn of_a_topic_that_is_not_kept_captures_say_nothing() {
    let mut order = order(3);
    assert_eq!(gives(&mut order, &[20]), [20]);
    assert_eq!(order.on_sample(NOW, in_session(2, 20)), [20]);
}

#[test]
fn another_session_numbers_anew_and_lets_go_of_what_waited() {
    let mut order = order(3);
    assert_eq!(gives(&mut order, &[0, 2]), [0]);
    assert_eq!(order.on_sample(NOW, in_session(2, 0)), [2, 0]);
}

/// ROS2-25, NODE-95: a topic that goes and comes back in one session is another publication.
#[test]
fn another_publication_numbers_anew_and_what_was_under_way_of_the_former_is_dropped() {
    let of = |flow: u16, sequence| Numbered { flow: FlowId(flow), ..sample(sequence) };
    for (former, latter) in [(3, 4), (u16::MAX, 1), (3, 40_000), (40_000, 3)] {
        let mut order = order(3);
        assert_eq!(order.on_sample(NOW, of(former, 25)), [25]);
        assert_eq!(order.on_sample(NOW, of(former, 27)), [0; 0]);
        assert_eq!(order.on_sample(NOW, of(latter, 0)), [27, 0]);
        assert_eq!(order.on_sample(NOW, of(former, 28)), [0; 0]);
        assert_eq!((order.on_sample(NOW, of(latter, 1)), order.take_stale()), (vec![1], 1));
        let anew = Numbered { session: 2, ..of(former, 20) };
        assert_eq!(order.on_sample(NOW, anew), [20], "publications of another session are others");
    }
}

#[test]
fn a_topic_that_goes_gives_what_waits_in_its_order() {
    let mut order = order(5);
    assert_eq!(gives(&mut order, &[0, 4, 2]), [0]);
    assert_eq!((order.finish(), order.deadline()), (vec![2, 4], None));
}

#[test]
fn numbers_may_wrap() {
    let mut order = order(3);
    assert_eq!(gives(&mut order, &[u32::MAX - 1, 0]), [u32::MAX - 1]);
    assert_eq!(gives(&mut order, &[u32::MAX]), [u32::MAX, 0]);
    assert_eq!(gives(&mut order, &[2, 1]), [1, 2]);
}
