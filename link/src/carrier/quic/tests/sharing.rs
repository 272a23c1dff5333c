//! One session at a time.

use super::*;
use crate::carrier::CloseReason;

#[test]
fn a_second_trusted_peer_is_told_busy_and_the_first_does_not_notice() {
    let (first, second, operator) = (key(), key(), key());
    let mut there = listen(&config(&operator, &[first.public(), second.public()]));
    let address = there.quic.local_address();
    let mut one = connect(&config(&first, &[operator.public()]), address);
    drive([&mut one, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    let mut two = connect(&config(&second, &[operator.public()]), address);
    drive([&mut one, &mut two, &mut there], |[_, two, _]| two.is_closed());
    assert_eq!(*two.quic.state(), TransportState::Closed(CloseReason::Busy));
    assert_eq!(there.quic.counters().failed_handshakes.busy, 1);
    assert_eq!(*there.quic.state(), TransportState::Up { session: 1 });
    one.send_numbered(0..10);
    drive([&mut one, &mut there], |[_, there]| there.got.len() == 10);
}

#[test]
fn the_same_key_twice_is_refused_while_the_first_one_lives() {
    let (vehicle, operator) = (key(), key());
    let mut there = listen(&config(&operator, &[vehicle.public()]));
    let address = there.quic.local_address();
    let mut one = connect(&config(&vehicle, &[operator.public()]), address);
    drive([&mut one, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    for times in 1..=3 {
        let mut copy = connect(&config(&vehicle, &[operator.public()]), address);
        drive([&mut one, &mut copy, &mut there], |[_, copy, _]| copy.is_closed());
        assert_eq!(*copy.quic.state(), TransportState::Closed(CloseReason::Twice));
        assert_eq!(there.quic.counters().failed_handshakes.twice, times);
    }
    assert_eq!(*there.quic.state(), TransportState::Up { session: 1 });
    one.send_numbered(0..10);
    drive([&mut one, &mut there], |[_, there]| there.got.len() == 10);
}

#[test]
fn the_same_key_again_takes_the_session_over_once_the_first_one_is_silent() {
    let (vehicle, operator) = (key(), key());
    let mut there = listen(&config(&operator, &[vehicle.public()]));
    let address = there.quic.local_address();
    let mut before = connect(&config(&vehicle, &[operator.public()]), address);
    drive([&mut before, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    // As a process that was killed.
    std::thread::sleep(std::time::Duration::from_millis(1_001));
    let mut restarted = connect(&config(&vehicle, &[operator.public()]), address);
    drive([&mut restarted, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    // It was not killed, as it turns out.
    drive([&mut before, &mut restarted, &mut there], |[before, ..]| before.is_closed());
    assert_eq!(*before.quic.state(), TransportState::Closed(CloseReason::Replaced));
    assert_eq!(*there.quic.state(), TransportState::Up { session: 2 });
    restarted.send_numbered(0..10);
    drive([&mut restarted, &mut there], |[_, there]| there.got.len() == 10);
    there.send_numbered(0..10);
    drive([&mut restarted, &mut there], |[restarted, _]| restarted.got.len() == 10);
    assert!(before.got.is_empty());
}

#[test]
fn an_operator_whose_peer_left_takes_the_next_one() {
    let (first, second, operator) = (key(), key(), key());
    let mut there = listen(&config(&operator, &[first.public(), second.public()]));
    let address = there.quic.local_address();
    let mut one = connect(&config(&first, &[operator.public()]), address);
    drive([&mut one, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    one.quic.close(clock::now(), "battery");
    drive([&mut one, &mut there], |[_, there]| there.is_closed());
    assert_eq!(there.reason(), "closed by the peer: battery");
    let mut two = connect(&config(&second, &[operator.public()]), address);
    drive([&mut two, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    assert_eq!(*there.quic.state(), TransportState::Up { session: 2 });
}
