//! What the network sees of a class, and what it may tell us back.

use super::relay::{Seen, Way};
use super::*;

fn dscp(seen: &Seen) -> u8 {
    seen.tos >> 2
}

#[test]
fn every_class_goes_out_under_its_own_dscp() {
    let (mut here, mut relay, mut there) = pair_through_relay();
    for class in Class::ALL {
        relay.seen.clear();
        for _ in 0..5 {
            here.send(class, &[class.code(); 700]);
            // Else two of them would share a packet.
            here.quic.flush(clock::now());
        }
        quiesce(&mut relay, [&mut here, &mut there]);
        let datagrams: Vec<_> =
            relay.seen.iter().filter(|seen| seen.way == Way::ToOperator && seen.bytes.len() > 700).collect();
        assert_eq!(datagrams.len(), 5);
        assert!(datagrams.iter().all(|seen| dscp(seen) == class.priorities().dscp), "{class}: {datagrams:?}");
    }
    assert_eq!(here.quic.counters().unmarked, 0);
}

#[test]
fn two_classes_sent_at_once_keep_their_marks_apart() {
    let (mut here, mut relay, mut there) = pair_through_relay();
    relay.seen.clear();
    for _ in 0..3 {
        here.send(Class::Realtime, &[1; 700]);
        here.send(Class::Control, &[0; 700]);
    }
    here.quic.flush(clock::now());
    drive_with(&mut relay, [&mut here, &mut there], |[_, there]| there.got.len() == 6);
    let long = relay.seen.iter().filter(|seen| seen.way == Way::ToOperator && seen.bytes.len() > 700);
    assert_eq!(long.map(dscp).collect::<Vec<_>>(), [34, 40, 34, 40, 34, 40]);
}

#[test]
fn the_handshake_itself_travels_as_control() {
    let (_here, relay, _there) = pair_through_relay();
    let handshake: Vec<_> = relay.seen.iter().filter(|seen| !seen.is_session()).collect();
    assert!(handshake.len() >= 3);
    assert!(handshake.iter().all(|seen| dscp(seen) == Class::Control.priorities().dscp), "{handshake:?}");
}

#[test]
fn a_congestion_mark_of_a_router_is_handed_up_with_its_datagram() {
    let (mut here, mut relay, mut there) = pair_through_relay();
    here.send_numbered(0..3);
    drive_with(&mut relay, [&mut here, &mut there], |[_, there]| there.got.len() == 3);
    assert_eq!(there.ce, 0);
    relay.mark_congestion();
    here.send_numbered(3..8);
    drive_with(&mut relay, [&mut here, &mut there], |[_, there]| there.got.len() == 8);
    assert_eq!(there.ce, 5);
}
