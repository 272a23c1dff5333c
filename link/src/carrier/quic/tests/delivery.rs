//! Datagrams across: content, order, batches.

use super::*;
use crate::carrier::Packets;
use crate::carrier::socket::Parcel;

#[test]
fn two_thousand_datagrams_arrive_as_they_were_and_in_order() {
    let (mut here, mut there) = pair();
    for start in (0..2_000).step_by(40) {
        here.send_numbered(start..start + 40);
        drive([&mut here, &mut there], |[_, there]| there.got.len() == start as usize + 40);
    }
    let size = here.quic.max_datagram();
    for (number, datagram) in there.got.iter().enumerate() {
        assert_eq!(*datagram, numbered(number as u32, size), "datagram {number}");
    }
    let (sent, received) = (here.quic.counters(), there.quic.counters());
    assert_eq!((sent.datagrams_sent, received.datagrams_received), (2_000, 2_000));
    assert_eq!(sent.datagram_bytes_sent, 2_000 * size as u64);
    assert_eq!(received.datagram_bytes_received, sent.datagram_bytes_sent);
    assert_eq!((sent.sends_refused, sent.too_big, sent.unsendable), (0, 0, 0));
}

#[test]
fn full_batches_cost_one_system_call_each() {
    let (mut here, mut there) = pair();
    let before = here.quic.counters();
    for start in (0..400).step_by(40) {
        here.send_numbered(start..start + 40);
        drive([&mut here, &mut there], |[_, there]| there.got.len() == start as usize + 40);
    }
    let (calls, batches) = {
        let after = here.quic.counters();
        (after.send_calls - before.send_calls, after.gso_calls - before.gso_calls)
    };
    assert!(batches >= 10, "{batches} batches");
    // Besides the ten batches: acknowledgements, and the packet an acknowledgement made too small for the batch.
    assert!(calls < 60, "{calls} calls for 400 datagrams");
}

#[test]
fn classes_and_sizes_may_alternate_and_nothing_waits_for_a_flush_that_does_not_come() {
    let (mut here, mut there) = pair();
    let mut expected = Vec::new();
    for number in 0..200_u32 {
        let class = Class::ALL[number as usize % 4];
        let datagram = numbered(number, 20 + 37 * (number as usize % 7));
        here.send(class, &datagram);
        expected.push(datagram);
    }
    here.quic.flush(clock::now());
    drive([&mut here, &mut there], |[_, there]| there.got.len() == 200);
    assert_eq!(there.got, expected);
}

#[test]
fn both_directions_carry_at_the_same_time() {
    let (mut here, mut there) = pair();
    here.send_numbered(0..40);
    there.send_numbered(0..40);
    drive([&mut here, &mut there], |ends| ends.iter().all(|end| end.got.len() == 40));
    assert_eq!(here.got, there.got);
}

#[test]
fn a_datagram_is_stamped_no_earlier_than_it_was_sent_and_no_later_than_it_was_read() {
    let (mut here, mut there) = pair();
    let sent_at = clock::now();
    here.send_numbered(0..1);
    let mut stamps = Vec::new();
    drive([&mut here], |_| {
        there.quic.receive(clock::now(), &mut |received| stamps.push(received.at));
        !stamps.is_empty()
    });
    // The kernel's stamp comes from the calendar clock, read apart from ours: a microsecond of error is its nature.
    let slack = Duration::from_micros(100);
    assert!(stamps[0] + slack >= sent_at && stamps[0] <= clock::now(), "{stamps:?} after {sent_at}");
}

#[test]
fn waiting_ends_with_a_packet_with_a_wake_up_or_with_its_time() {
    let (mut here, mut there) = pair();
    drive([&mut here, &mut there], |ends| ends.iter().all(|end| end.quic.counters().packets_received > 0));
    quiesce(&mut Relay::to(local()), [&mut here, &mut there]);
    let idle = there.quic.wait(clock::now(), Packets::Wake, None);
    assert_eq!(idle, crate::carrier::WaitResult::default());

    let (wake, waker) = std::os::unix::net::UnixStream::pair().unwrap();
    std::io::Write::write_all(&mut &waker, b"!").unwrap();
    let woken = there.quic.wait(tokkyu_contract::MonoTime::MAX, Packets::Wake, Some(wake.as_fd()));
    assert!(woken.woken && !woken.readable && !woken.writable, "{woken:?}");

    here.send_numbered(0..1);
    let called = there.quic.wait(tokkyu_contract::MonoTime::MAX, Packets::Wake, None);
    assert!(called.readable && !called.woken, "{called:?}");
}

#[test]
fn while_packets_gather_they_end_no_wait_and_a_wake_up_does() {
    let (mut here, mut there) = pair();
    drive([&mut here, &mut there], |ends| ends.iter().all(|end| end.quic.counters().packets_received > 0));
    quiesce(&mut Relay::to(local()), [&mut here, &mut there]);
    here.send_numbered(0..1);
    assert!(there.quic.wait(tokkyu_contract::MonoTime::MAX, Packets::Wake, None).readable, "it is there");
    let gathered = there.quic.wait(clock::now() + Duration::from_millis(1), Packets::Gather, None);
    assert_eq!(gathered, crate::carrier::WaitResult::default());

    let (wake, waker) = std::os::unix::net::UnixStream::pair().unwrap();
    std::io::Write::write_all(&mut &waker, b"!").unwrap();
    let woken = there.quic.wait(tokkyu_contract::MonoTime::MAX, Packets::Gather, Some(wake.as_fd()));
    assert!(woken.woken && !woken.readable, "{woken:?}");
}

/// What the carrier would hold if the socket had been full: the packets of its batch, encrypted and numbered.
fn refused_by_a_full_socket(end: &mut End) -> Parcel {
    let (now, mut bytes) = (std::time::Instant::now(), Vec::new());
    let connection = &mut end.quic.session_association().unwrap().connection;
    let transmit = connection.poll_transmit(now, 40, &mut bytes).unwrap();
    let segment = transmit.segment_size;
    Parcel { to: transmit.destination, from: None, ecn: 0, class: Class::Realtime, bytes, segment }
}

#[test]
fn what_a_full_socket_did_not_take_holds_the_core_back_and_goes_out_first() {
    let (mut here, mut there) = pair();
    quiesce(&mut Relay::to(local()), [&mut here, &mut there]);
    let size = here.quic.max_datagram();
    (0..3).for_each(|number| here.send(Class::Realtime, &numbered(number, size)));
    here.quic.outbox.blocked = Some(refused_by_a_full_socket(&mut here));
    assert!(!here.quic.ready());
    here.send(Class::Realtime, &numbered(3, size));
    assert!(here.quic.wait(tokkyu_contract::MonoTime::MAX, Packets::Wake, None).writable);

    here.quic.flush(clock::now());
    assert!(here.quic.ready());
    drive([&mut here, &mut there], |[_, there]| there.got.len() == 4);
    let expected: Vec<_> = (0..4).map(|number| numbered(number, size)).collect();
    assert_eq!(there.got, expected);
}
