//! Ends that move or are restarted.

use super::*;
use crate::carrier::{CarrierError, CloseReason};

#[test]
fn a_vehicle_that_changes_its_address_keeps_its_session() {
    let (mut here, mut there) = pair();
    let (old, size) = (here.quic.local_address(), here.quic.max_datagram());
    here.quic.rebind(local(), clock::now()).unwrap();
    assert_ne!(here.quic.local_address(), old);
    here.send_numbered(0..40);
    drive([&mut here, &mut there], |[_, there]| there.got.len() == 40);
    there.send_numbered(0..40);
    drive([&mut here, &mut there], |[here, _]| here.got.len() == 40);
    for end in [&here, &there] {
        assert_eq!(*end.quic.state(), TransportState::Up { session: 1 });
        assert_eq!(end.quic.counters().migrations, 1);
        assert_eq!(end.quic.max_datagram(), size);
    }
    assert_eq!(there.quic.peer().unwrap().1, here.quic.local_address());
}

#[test]
fn the_operator_cannot_be_told_to_move_or_to_dial() {
    let (_here, mut there) = pair();
    assert!(matches!(there.quic.rebind(local(), clock::now()), Err(CarrierError::NotTheVehicle)));
    there.quic.close(clock::now(), "bye");
    assert!(matches!(there.quic.reconnect(clock::now()), Err(CarrierError::NotTheVehicle)));
}

#[test]
fn a_restarted_operator_tells_the_vehicle_at_once_and_the_vehicle_comes_back() {
    let (vehicle, operator) = (key(), key());
    let mut at_operator = config(&operator, &[vehicle.public()]);
    let mut there = listen(&at_operator);
    at_operator.bind = there.quic.local_address();
    let mut here = connect(&config(&vehicle, &[operator.public()]), at_operator.bind);
    drive([&mut here, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    quiesce(&mut Relay::to(local()), [&mut here, &mut there]);

    drop(there);
    let mut again = listen(&at_operator);
    here.send_numbered(0..1);
    drive([&mut here, &mut again], |[here, _]| here.is_closed());
    assert_eq!(*here.quic.state(), TransportState::Closed(CloseReason::PeerRestarted));

    here.quic.reconnect(clock::now()).unwrap();
    drive([&mut here, &mut again], |ends| ends.iter().all(|end| end.is_up()));
    assert_eq!(*here.quic.state(), TransportState::Up { session: 2 });
    assert_eq!(*again.quic.state(), TransportState::Up { session: 1 });
}
