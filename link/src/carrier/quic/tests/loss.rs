//! A network that loses packets must not be taken for one whose MTU shrank.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

use super::*;

#[test]
fn a_third_of_all_packets_lost_changes_neither_the_size_of_datagrams_nor_the_will_to_send() {
    let seed = 0x1055;
    let (mut here, mut relay, mut there) = pair_through_relay();
    let size = here.quic.max_datagram();
    let mut random = Pcg32::seed_from_u64(seed);
    relay.passes = Box::new(move |_| random.next_u32() % 100 >= 30);
    for start in (0..6_000).step_by(40) {
        here.send_numbered(start..start + 40);
        there.send(Class::Control, b"feedback");
        drive_with(&mut relay, [&mut here, &mut there], |_| true);
    }
    quiesce(&mut relay, [&mut here, &mut there]);
    for end in [&here, &there] {
        assert_eq!(*end.quic.state(), TransportState::Up { session: 1 }, "seed {seed:#x}");
        assert_eq!(end.quic.max_datagram(), size);
        assert_eq!(end.quic.counters().black_holes, 0, "seed {seed:#x}");
        assert_eq!(end.quic.counters().sends_refused, 0);
    }
    let share = there.got.len() as f64 / 6_000.0;
    assert!((0.65..0.75).contains(&share), "{share} arrived: the loss was not the relay's, seed {seed:#x}");
}

#[test]
fn a_handshake_gets_through_a_third_of_packets_lost() {
    let (vehicle, operator) = (key(), key());
    for seed in 0..3 {
        let mut there = listen(&config(&operator, &[vehicle.public()]));
        let mut relay = Relay::to(there.quic.local_address());
        let mut random = Pcg32::seed_from_u64(seed);
        relay.passes = Box::new(move |_| random.next_u32() % 100 >= 30);
        let mut here = connect(&config(&vehicle, &[operator.public()]), relay.address());
        drive_with(&mut relay, [&mut here, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    }
}
