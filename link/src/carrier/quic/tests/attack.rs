//! Packets of others: replayed, damaged, made up, in floods.

use std::net::UdpSocket;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

use super::relay::Way;
use super::*;
use crate::carrier::Rejected;
use crate::carrier::quic::admission::MAX_INCOMPLETE;
use crate::carrier::quic::config::HANDSHAKE_TIMEOUT;

/// Packets sent between two turns of the operator: fewer than the kernel's smallest buffer holds.
const VOLLEY: usize = 50;

#[test]
fn replayed_packets_are_rejected_and_counted() {
    let (mut here, mut relay, mut there) = pair_through_relay();
    here.send_numbered(0..50);
    drive_with(&mut relay, [&mut here, &mut there], |[_, there]| there.got.len() == 50);
    quiesce(&mut relay, [&mut here, &mut there]);
    let captured = relay.session_packets();
    assert!(captured.len() >= 50);
    for packet in &captured {
        relay.inject(Way::ToOperator, packet);
    }
    let replayed = captured.len() as u64;
    drive_with(&mut relay, [&mut here, &mut there], |[_, there]| {
        there.quic.counters().rejected.unauthentic >= replayed
    });
    quiesce(&mut relay, [&mut here, &mut there]);
    let expected = Rejected { unauthentic: replayed, ..Rejected::default() };
    assert_eq!(there.quic.counters().rejected, expected);
    assert_eq!(there.got.len(), 50);
    assert_eq!(there.quic.counters().migrations, 0);
}

#[test]
fn a_packet_with_any_bit_flipped_is_rejected_and_the_true_one_still_arrives() {
    let (mut here, mut relay, mut there) = pair_through_relay();
    relay.seen.clear();
    relay.passes = Box::new(|seen| seen.way == Way::ToVehicle);
    here.send(Class::Realtime, &numbered(7, 60));
    here.quic.flush(clock::now());
    drive_with(&mut relay, [&mut here], |_| true);
    relay.forward();
    let held = relay.session_packets().into_iter().find(|packet| packet.len() > 60).unwrap();

    let before = there.quic.counters();
    let flips = held.len() * 8;
    for bit in 0..flips {
        let mut forged = held.clone();
        forged[bit / 8] ^= 1 << (bit % 8);
        relay.inject(Way::ToOperator, &forged);
        if bit % VOLLEY == 0 {
            there.turn();
        }
    }
    let rejected = |end: &End| {
        let now = end.quic.counters().rejected;
        now.malformed + now.unknown_connection + now.unauthentic
    };
    drive([&mut there], |[there]| {
        there.quic.counters().packets_received - before.packets_received >= flips as u64
    });
    assert_eq!(rejected(&there), flips as u64);
    // Bits outside the connection id and the form of the packet reach the session and fail there.
    assert!(there.quic.counters().rejected.unauthentic >= flips as u64 - 8 * 9 - 8);
    assert!(there.got.is_empty());

    relay.inject(Way::ToOperator, &held);
    drive([&mut there], |[there]| there.got.len() == 1);
    assert_eq!(there.got[0], numbered(7, 60));
}

/// Bytes that look like a first packet of QUIC version 1 (RFC 9000 §17.2.2), padded to the smallest size a server
/// must look at, with nothing but noise where the handshake would be. Every other one has a destination id too short
/// to be true, which QUIC by itself would answer.
fn made_up_initial(random: &mut Pcg32) -> Vec<u8> {
    let id = if random.next_u32().is_multiple_of(2) { 4 } else { 8 };
    let mut packet = vec![0xc0 | random.next_u32() as u8 & 0x0f, 0, 0, 0, 1, id];
    packet.extend(noise(random, usize::from(id)));
    packet.push(8);
    packet.extend(noise(random, 8));
    packet.push(0);
    let rest = 1_200 - packet.len() - 2;
    packet.extend((0x4000 | rest as u16).to_be_bytes());
    packet.extend(noise(random, rest));
    packet
}

fn noise(random: &mut Pcg32, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    random.fill_bytes(&mut bytes);
    bytes
}

fn garbage(random: &mut Pcg32, number: usize) -> Vec<u8> {
    let length = random.next_u32() as usize % 1_500;
    match number % 4 {
        0 => noise(random, length),
        1 => made_up_initial(random),
        2 => [vec![0xc0, 0x0a, 0x1a, 0x2a, 0x3a, 8], noise(random, 1_300)].concat(),
        _ => [vec![0x40 | random.next_u32() as u8 & 0x3f], noise(random, length)].concat(),
    }
}

#[test]
fn a_flood_of_garbage_neither_ends_the_session_nor_is_answered_nor_remembered() {
    let seed = 0x6a7ba6e;
    let mut random = Pcg32::seed_from_u64(seed);
    let (mut here, mut there) = pair();
    let attacker = UdpSocket::bind(local()).unwrap();
    attacker.set_nonblocking(true).unwrap();
    let target = there.quic.local_address();
    for number in 0..10_000 {
        attacker.send_to(&garbage(&mut random, number), target).unwrap();
        if number % VOLLEY == 0 {
            drive([&mut here, &mut there], |_| true);
            assert!(there.quic.associations.len() <= 1 + MAX_INCOMPLETE, "seed {seed:#x}");
        }
    }
    quiesce(&mut Relay::to(local()), [&mut here, &mut there]);

    let rejected = there.quic.counters().rejected;
    assert_eq!(rejected.malformed + rejected.unknown_connection + rejected.over_limit, 10_000);
    assert_eq!(rejected.unauthentic, 0);
    assert_eq!(there.quic.endpoint.open_connections(), 1, "seed {seed:#x}");
    assert_eq!(there.quic.endpoint.incoming_buffer_bytes(), 0);
    assert!(attacker.recv(&mut [0; 2_000]).is_err(), "garbage was answered, seed {seed:#x}");

    here.send_numbered(0..40);
    drive([&mut here, &mut there], |[_, there]| there.got.len() == 40);
    assert_eq!(*there.quic.state(), TransportState::Up { session: 1 });
}

#[test]
fn even_empty_datagrams_are_counted_and_a_burst_of_them_ends() {
    let mut there = QuicTransport::listen(&config(&key(), &[]), clock::now()).unwrap();
    let attacker = UdpSocket::bind(local()).unwrap();
    for _ in 0..300 {
        attacker.send_to(&[], there.local_address()).unwrap();
    }
    there.receive(clock::now(), &mut |_| ());
    assert_eq!(there.counters().rejected.malformed, 256, "one burst, in system calls of eight");
    there.receive(clock::now(), &mut |_| ());
    assert_eq!(there.counters().rejected.malformed, 300);
}

#[test]
fn first_packets_beyond_the_rate_are_not_even_opened() {
    let mut random = Pcg32::seed_from_u64(1);
    let started = clock::now();
    let mut there = QuicTransport::listen(&config(&key(), &[]), started).unwrap();
    let attacker = UdpSocket::bind(local()).unwrap();
    for _ in 0..2 * VOLLEY {
        attacker.send_to(&made_up_initial(&mut random), there.local_address()).unwrap();
        there.receive(started, &mut |_| ());
    }
    let rejected = there.counters().rejected;
    assert_eq!((rejected.over_limit, rejected.malformed), (50, 50), "no time passed: one burst is opened");
}

/// First packets that are true in every bit, as anyone can make them, each of another handshake.
fn true_initials(count: usize) -> Vec<Vec<u8>> {
    let catcher = UdpSocket::bind(local()).unwrap();
    let stranger = config(&key(), &[]);
    let catch = |_| {
        let _dialling = connect(&stranger, catcher.local_addr().unwrap());
        let mut packet = vec![0; 2_000];
        let length = catcher.recv(&mut packet).unwrap();
        packet.truncate(length);
        packet
    };
    (0..count).map(catch).collect()
}

#[test]
fn strangers_get_few_places_and_less_back_than_they_sent_and_a_friend_still_gets_in() {
    let (vehicle, operator) = (key(), key());
    let mut there = listen(&config(&operator, &[vehicle.public()]));
    let mut here = connect(&config(&vehicle, &[operator.public()]), there.quic.local_address());
    drive([&mut here, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    let target = there.quic.local_address();
    let attackers: Vec<_> =
        (1..=30).map(|host| UdpSocket::bind(format!("127.0.1.{host}:0")).unwrap()).collect();
    let mut sent = vec![0; attackers.len()];
    for (index, initial) in true_initials(30).into_iter().enumerate() {
        sent[index] += attackers[index].send_to(&initial, target).unwrap();
    }
    drive([&mut here, &mut there], |[_, there]| there.quic.counters().retries > 0);
    quiesce(&mut Relay::to(local()), [&mut here, &mut there]);
    assert!(there.quic.strangers().count() <= MAX_INCOMPLETE);
    assert!(there.quic.counters().retries >= 20, "{:?}", there.quic.counters());
    for (attacker, sent) in attackers.iter().zip(sent) {
        attacker.set_nonblocking(true).unwrap();
        let mut buffer = [0; 2_000];
        let got: usize = std::iter::from_fn(|| attacker.recv(&mut buffer).ok()).sum();
        assert!(got <= 3 * sent, "{got} bytes for {sent}");
    }

    // The session's own key once more, as after a restart: it has to prove its address, and gets in once the session is silent.
    std::thread::sleep(Duration::from_millis(1_001));
    let mut restarted = config(&vehicle, &[operator.public()]);
    restarted.bind = "127.0.2.1:0".parse().unwrap();
    let retries = there.quic.counters().retries;
    let mut again = connect(&restarted, target);
    drive([&mut again, &mut there], |[again, there]| {
        again.is_up() && *there.quic.state() == TransportState::Up { session: 2 }
    });
    assert_eq!(there.quic.counters().retries, retries + 1);

    // Whoever does not finish loses its place.
    let later = clock::now() + HANDSHAKE_TIMEOUT;
    there.quic.on_timer(later);
    there.quic.on_timer(later + Duration::from_secs(5));
    assert_eq!(there.quic.strangers().count(), 0);
    assert!(there.quic.counters().failed_handshakes.timed_out >= 2);
    assert_eq!(there.quic.endpoint.open_connections(), 1);
}

/// One that shows where it is, and then says nothing more for as long as it may.
fn stall(host: u8, operator: &PublicKey, there: &mut End) -> End {
    let mut stranger = config(&key(), &[*operator]);
    stranger.bind = format!("127.0.1.{host}:0").parse().unwrap();
    let address = stranger.bind.ip();
    let mut stranger = connect(&stranger, there.quic.local_address());
    drive([&mut stranger, there], |[_, there]| {
        let mut remotes = there.quic.associations.iter().map(|one| one.connection.remote_address().ip());
        remotes.any(|remote| remote == address)
    });
    stranger
}

#[test]
fn a_peer_gets_in_while_strangers_hold_every_place_they_can() {
    let (vehicle, operator) = (key(), key());
    let mut there = listen(&config(&operator, &[vehicle.public()]));
    let strangers: Vec<End> = (1..=9).map(|host| stall(host, &operator.public(), &mut there)).collect();
    assert_eq!(
        there.quic.strangers().count(),
        MAX_INCOMPLETE - 1,
        "nobody's place is kept for who was here last"
    );
    let mut here = connect(&config(&vehicle, &[operator.public()]), there.quic.local_address());
    drive([&mut here, &mut there], |ends| ends.iter().all(|end| end.is_up()));
    assert_eq!((strangers.len(), there.quic.counters().failed_handshakes.timed_out), (9, 3));
}
