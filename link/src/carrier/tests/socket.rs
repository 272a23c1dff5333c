//! The socket puts each class's marks on what it sends, and counts what cannot leave.

use nix::sys::socket::{getsockopt, sockopt};
use tokkyu_contract::Class;

use crate::carrier::socket::{Inbox, Parcel, Posted, Socket};

fn parcel(to: &Socket, class: Class, bytes: Vec<u8>, segment: Option<usize>) -> Parcel {
    Parcel { to: to.local(), from: None, ecn: 2, class, bytes, segment }
}

fn pair() -> (Socket, Socket) {
    let bind = || Socket::bind("127.0.0.1:0".parse().unwrap(), None).unwrap();
    (bind(), bind())
}

#[test]
fn dscp_ecn_and_kernel_priority_follow_the_class_of_each_parcel() {
    let (mut here, there) = pair();
    for class in Class::ALL.into_iter().chain(Class::ALL.into_iter().rev()) {
        assert_eq!(here.post(&parcel(&there, class, vec![1; 100], None)), Posted::Done);
        let row = class.priorities();
        assert_eq!(getsockopt(&here, sockopt::Ipv4Tos), Ok(i32::from(row.dscp << 2 | 2)), "{class}");
        assert_eq!(getsockopt(&here, sockopt::Priority), Ok(i32::from(row.skb_priority)), "{class}");
    }
    assert_eq!(here.counters().unmarked, 0);
}

#[test]
fn a_packet_larger_than_the_path_is_counted_and_not_cut_into_fragments() {
    let (mut here, there) = pair();
    let too_long = parcel(&there, Class::Realtime, vec![1; 65_600], None);
    assert_eq!(here.post(&too_long), Posted::Done);
    assert_eq!((here.counters().too_big, here.counters().packets_sent), (1, 0));
}

#[test]
fn a_batch_the_kernel_refuses_as_one_goes_out_packet_by_packet() {
    let (mut here, there) = pair();
    // More segments than the kernel cuts in one call (128 at most).
    let batch = parcel(&there, Class::Realtime, vec![7; 300 * 10], Some(10));
    assert_eq!(here.post(&batch), Posted::Done);
    assert_eq!((here.counters().packets_sent, here.counters().gso_calls), (300, 0));
    let small = parcel(&there, Class::Realtime, vec![7; 3 * 10], Some(10));
    here.post(&small);
    assert_eq!(here.counters().gso_calls, 1, "one refusal of this kind does not end batches for good");
}

#[test]
fn a_batch_arrives_as_the_packets_it_was_made_of() {
    let (mut here, there) = pair();
    let bytes: Vec<u8> = (0..250).collect();
    here.post(&parcel(&there, Class::Control, bytes.clone(), Some(100)));
    let mut inbox = Inbox::new();
    let filled = there.receive(&mut inbox);
    let mut packets: Vec<Vec<u8>> = Vec::new();
    for arrival in inbox.arrivals(filled) {
        assert_eq!(arrival.from, here.local());
        packets.extend(arrival.bytes.chunks(arrival.stride).map(<[u8]>::to_vec));
    }
    assert_eq!(packets, [&bytes[..100], &bytes[100..200], &bytes[200..]]);
}
