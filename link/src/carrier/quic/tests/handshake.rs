//! Who gets a session, and what the others are told.

use std::net::UdpSocket;
use std::time::Duration;

use super::relay::Way;
use super::*;
use crate::carrier::quic::config::{HANDSHAKE_TIMEOUT, IDLE_TIMEOUT};
use crate::carrier::{CarrierError, CloseReason, FailedHandshakes, Rejected, SendRefused};

#[test]
fn two_ends_that_trust_each_other_get_a_session_and_know_who_the_other_is() {
    let (vehicle, operator) = pair();
    let (vehicle_key, operator_key) = (vehicle.quic.own.key, operator.quic.own.key);
    assert_eq!(*vehicle.quic.state(), TransportState::Up { session: 1 });
    assert_eq!(*operator.quic.state(), TransportState::Up { session: 1 });
    assert_eq!(vehicle.quic.peer(), Some((operator_key, operator.quic.local_address())));
    assert_eq!(operator.quic.peer(), Some((vehicle_key, vehicle.quic.local_address())));
    for end in [vehicle, operator] {
        assert!(end.quic.handshake_rtt().is_some_and(|rtt| rtt > Duration::ZERO));
        assert_eq!(end.quic.max_datagram(), 1472 - 29 - 9, "the MTU less QUIC's and the datagram's headers");
        assert_eq!(end.quic.counters().rejected, Rejected::default());
        assert_eq!(end.quic.counters().failed_handshakes, FailedHandshakes::default());
    }
}

#[test]
fn a_vehicle_refuses_an_operator_it_does_not_trust_and_names_its_key() {
    let (vehicle, operator, expected) = (key(), key(), key());
    let mut there = listen(&config(&operator, &[vehicle.public()]));
    let mut here = connect(&config(&vehicle, &[expected.public()]), there.quic.local_address());
    drive([&mut here, &mut there], |[here, there]| {
        here.is_closed() && there.quic.counters().failed_handshakes.total() == 1
    });
    let fingerprint = Some(operator.public().fingerprint());
    assert_eq!(*here.quic.state(), TransportState::Closed(CloseReason::PeerKeyUntrusted { fingerprint }));
    assert_eq!(here.quic.counters().failed_handshakes.untrusted_key, 1);
    assert_eq!(*there.quic.state(), TransportState::Connecting);
}

#[test]
fn an_operator_refuses_a_vehicle_it_does_not_trust_and_tells_it_so() {
    let (vehicle, operator, expected) = (key(), key(), key());
    let mut there = listen(&config(&operator, &[expected.public()]));
    let mut here = connect(&config(&vehicle, &[operator.public()]), there.quic.local_address());
    drive([&mut here, &mut there], |[here, _]| here.is_closed());
    let fingerprint = vehicle.public().fingerprint();
    assert_eq!(*here.quic.state(), TransportState::Closed(CloseReason::OurKeyRefused { fingerprint }));
    assert_eq!(there.quic.counters().failed_handshakes.untrusted_key, 1);
    assert_eq!(*there.quic.state(), TransportState::Connecting);
    assert!(there.quic.peer().is_none());
}

#[test]
fn another_version_of_the_protocol_is_refused_by_name_on_both_sides() {
    let (vehicle, operator) = (key(), key());
    let mut there = listen(&config(&operator, &[vehicle.public()]));
    let mut other = config(&vehicle, &[operator.public()]);
    other.protocol = b"tokkyu/other"; // not a number that ours may come to have
    let mut here = connect(&other, there.quic.local_address());
    drive([&mut here, &mut there], |[here, _]| here.is_closed());
    let ours = "tokkyu/other".to_owned();
    assert_eq!(*here.quic.state(), TransportState::Closed(CloseReason::OtherProtocol { ours }));
    assert_eq!(there.quic.counters().failed_handshakes.other_protocol, 1);
}

#[test]
fn the_smaller_of_two_mtus_holds_on_both_sides() {
    let (vehicle, operator) = (key(), key());
    let mut small = config(&operator, &[vehicle.public()]);
    small.ip_mtu = 1400;
    let mut there = listen(&small);
    let mut here = connect(&config(&vehicle, &[operator.public()]), there.quic.local_address());
    drive([&mut here, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    assert_eq!(here.quic.max_datagram(), 1400 - 28 - 29 - 9);
    assert_eq!(there.quic.max_datagram(), here.quic.max_datagram());
}

/// Both ends of a session over a path that takes no UDP payloads longer than `most` on `ways`; `starts_late`: the operator
/// is reached only once so many first packets are lost.
fn over_a_path(most: usize, ways: &'static [Way], starts_late: usize) -> (End, Relay, End) {
    let (vehicle, operator) = (key(), key());
    let mut there = listen(&config(&operator, &[vehicle.public()]));
    let mut relay = Relay::to(there.quic.local_address());
    let mut first = 0;
    relay.passes = Box::new(move |seen| {
        first += usize::from(seen.way == Way::ToOperator);
        first > starts_late && (seen.bytes.len() <= most || !ways.contains(&seen.way))
    });
    let mut here = connect(&config(&vehicle, &[operator.public()]), relay.address());
    drive_with(&mut relay, [&mut here, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    (here, relay, there)
}

/// LNK-89: 1 420 bytes of IP.
#[test]
fn a_path_that_takes_no_long_packets_gets_a_session_of_short_ones_and_both_ends_know() {
    for ways in [&[Way::ToOperator][..], &[Way::ToVehicle], &[Way::ToOperator, Way::ToVehicle]] {
        let (mut here, mut relay, mut there) = over_a_path(1_392, ways, 0);
        for end in [&here, &there] {
            assert!(end.quic.is_short(), "{ways:?}");
            assert_eq!((end.quic.ip_bytes(), end.quic.max_datagram()), (1_260, 1_232 - 29 - 9));
        }
        here.send_numbered(0..50);
        there.send_numbered(50..100);
        drive_with(&mut relay, [&mut here, &mut there], |ends| ends.iter().all(|end| end.got.len() == 50));
    }
}

#[test]
fn an_operator_that_is_reached_late_gets_a_session_of_whole_packets() {
    for lost in [1, 3, 4, 5, 6, 7] {
        let (here, _, there) = over_a_path(usize::MAX, &[], lost);
        for end in [&here, &there] {
            assert!(!end.quic.is_short(), "after {lost}");
            assert_eq!(end.quic.ip_bytes(), 1_500);
        }
    }
}

#[test]
fn a_vehicle_that_is_declared_short_gets_short_packets_and_nothing_is_told() {
    let (vehicle, operator) = (key(), key());
    let mut there = listen(&config(&operator, &[vehicle.public()]));
    let mut small = config(&vehicle, &[operator.public()]);
    small.ip_mtu = 1_280;
    let mut here = connect(&small, there.quic.local_address());
    drive([&mut here, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    assert!(!here.quic.is_short() && !there.quic.is_short());
    assert_eq!([here.quic.ip_bytes(), there.quic.ip_bytes()], [1_280; 2]);
}

#[test]
fn nothing_is_sent_before_a_session_is_up_and_nothing_of_a_wrong_size_after() {
    let silent = UdpSocket::bind(local()).unwrap();
    let vehicle = key();
    let mut alone = connect(&config(&vehicle, &[]), silent.local_addr().unwrap());
    assert!(!alone.quic.ready());
    assert_eq!(alone.quic.send(clock::now(), Class::Control, b"x"), Err(SendRefused::NotUp));

    let (mut here, _there) = pair();
    assert!(here.quic.ready());
    let max = here.quic.max_datagram();
    for bytes in [0, max + 1] {
        let refused = here.quic.send(clock::now(), Class::Control, &vec![1; bytes]);
        assert_eq!(refused, Err(SendRefused::Size { bytes, max }));
    }
    assert_eq!(here.quic.counters().sends_refused, 2);
}

#[test]
fn an_operator_that_does_not_answer_is_given_up_with_its_address_in_the_reason() {
    let silent = UdpSocket::bind(local()).unwrap();
    let address = silent.local_addr().unwrap();
    let mut here = connect(&config(&key(), &[]), address);
    let begun = clock::now();
    here.quic.on_timer(begun + (HANDSHAKE_TIMEOUT - Duration::from_secs(1)));
    assert_eq!(*here.quic.state(), TransportState::Connecting);
    here.quic.on_timer(begun + HANDSHAKE_TIMEOUT);
    assert!(here.reason().contains(&address.to_string()), "{}", here.reason());
    here.quic.reconnect(clock::now()).unwrap();
    assert_eq!(*here.quic.state(), TransportState::Connecting);
}

#[test]
fn a_session_lives_through_five_seconds_of_silence_and_not_through_the_idle_time() {
    let (mut here, there) = pair();
    drop(there);
    let begun = clock::now();
    for tenths in 1..=50 {
        here.quic.on_timer(begun + Duration::from_millis(100 * tenths));
    }
    assert!(here.is_up());
    here.quic.on_timer(begun + IDLE_TIMEOUT + Duration::from_secs(1));
    assert_eq!(*here.quic.state(), TransportState::Closed(CloseReason::IdleTimeout { idle: IDLE_TIMEOUT }));
}

#[test]
fn a_close_reaches_the_peer_with_its_text() {
    let (mut here, mut there) = pair();
    there.quic.close(clock::now(), "shift is over");
    drive([&mut here, &mut there], |[here, _]| here.is_closed());
    assert_eq!(here.reason(), "closed by the peer: shift is over");
    assert_eq!(there.reason(), "closed here: shift is over");
    assert!(!here.quic.ready() && !there.quic.ready());
}

#[test]
fn a_port_in_use_is_named_with_the_remedy() {
    let taken = UdpSocket::bind(local()).unwrap().local_addr().unwrap();
    let _holder = UdpSocket::bind(taken).unwrap();
    let mut wanted = config(&key(), &[]);
    wanted.bind = taken;
    let error = QuicTransport::listen(&wanted, clock::now()).err().unwrap();
    assert!(matches!(error, CarrierError::PortInUse { address } if address == taken));
    let text = error.to_string();
    assert!(text.contains(&taken.to_string()) && text.contains("ss -ulpn"), "{text}");
}

#[test]
fn an_address_of_the_other_family_is_refused_before_anything_is_sent() {
    let error = QuicTransport::connect(&config(&key(), &[]), "[::1]:7447".parse().unwrap(), clock::now());
    assert!(matches!(error, Err(CarrierError::Family { .. })));
}

#[test]
fn the_link_works_over_ipv6_with_its_larger_header() {
    let (vehicle, operator) = (key(), key());
    let (mut at_operator, mut at_vehicle) =
        (config(&operator, &[vehicle.public()]), config(&vehicle, &[operator.public()]));
    at_operator.bind = "[::1]:0".parse().unwrap();
    at_vehicle.bind = at_operator.bind;
    let mut there = listen(&at_operator);
    let mut here = connect(&at_vehicle, there.quic.local_address());
    drive([&mut here, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    assert_eq!(here.quic.max_datagram(), 1500 - 48 - 29 - 9);
    here.send_numbered(0..3);
    drive([&mut here, &mut there], |[_, there]| there.got.len() == 3);
    assert_eq!(here.quic.counters().unmarked, 0);
}
