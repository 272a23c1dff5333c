//! The carrier over real sockets of 127.0.0.1, both ends in one thread. Nothing sleeps but `ppoll` on the sockets;
//! what would take seconds is reached by handing in a later `now`.

mod attack;
mod delivery;
mod handshake;
mod loss;
mod marks;
mod moving;
mod relay;
mod sharing;

use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use tokkyu_contract::Class;

use super::{QuicConfig, QuicTransport};
use crate::carrier::{PublicKey, SecretKey, Transport, TransportState, TrustStore, clock};
use relay::Relay;

const LOCAL: &str = "127.0.0.1:0";
const IP_MTU: u16 = 1500;
/// Turns of the loop after which a test gives up: each ends early as soon as a packet comes.
const TURNS: usize = 2_000;

fn local() -> SocketAddr {
    LOCAL.parse().unwrap()
}

fn key() -> SecretKey {
    SecretKey::generate().unwrap()
}

fn config(secret: &SecretKey, trusted: &[PublicKey]) -> QuicConfig {
    QuicConfig::new(local(), IP_MTU, secret.clone(), TrustStore::of(trusted.iter().copied()))
}

fn listen(config: &QuicConfig) -> End {
    End::new(QuicTransport::listen(config, clock::now()).unwrap())
}

fn connect(config: &QuicConfig, to: SocketAddr) -> End {
    End::new(QuicTransport::connect(config, to, clock::now()).unwrap())
}

/// A carrier and what it received.
struct End {
    quic: QuicTransport,
    got: Vec<Vec<u8>>,
    ce: usize,
}

impl End {
    fn new(quic: QuicTransport) -> End {
        End { quic, got: Vec::new(), ce: 0 }
    }

    fn turn(&mut self) {
        let (now, got, ce) = (clock::now(), &mut self.got, &mut self.ce);
        self.quic.receive(now, &mut |received| {
            got.push(received.bytes.to_vec());
            *ce += usize::from(received.ce);
        });
        if self.quic.deadline().is_some_and(|due| due <= now) {
            self.quic.on_timer(now);
        }
        self.quic.flush(now);
    }

    fn send(&mut self, class: Class, datagram: &[u8]) {
        self.quic.send(clock::now(), class, datagram).unwrap();
    }

    /// Sends the datagrams numbered in `numbers`, each as long as the path carries.
    fn send_numbered(&mut self, numbers: std::ops::Range<u32>) {
        let size = self.quic.max_datagram();
        numbers.for_each(|number| self.send(Class::Realtime, &numbered(number, size)));
        self.quic.flush(clock::now());
    }

    fn is_up(&self) -> bool {
        self.quic.state().is_up()
    }

    fn is_closed(&self) -> bool {
        matches!(self.quic.state(), TransportState::Closed(_))
    }

    fn reason(&self) -> String {
        match self.quic.state() {
            TransportState::Closed(reason) => reason.to_string(),
            other => panic!("not closed: {other:?}"),
        }
    }
}

/// A datagram of `size` bytes that names its number and whose every byte depends on it.
fn numbered(number: u32, size: usize) -> Vec<u8> {
    let mut datagram: Vec<u8> =
        (0..size).map(|index| (index as u32).wrapping_mul(31 + number) as u8).collect();
    datagram[..4].copy_from_slice(&number.to_be_bytes());
    datagram
}

/// Runs all ends, and the relay between them, until `done`.
fn drive_with<const N: usize>(
    relay: &mut Relay,
    ends: [&mut End; N],
    mut done: impl FnMut(&[&mut End; N]) -> bool,
) {
    let mut ends = ends;
    for _ in 0..TURNS {
        relay.forward();
        ends.iter_mut().for_each(|end| end.turn());
        if done(&ends) {
            return;
        }
        wait_for_packets(relay, &ends);
    }
    let states: Vec<_> = ends.iter().map(|end| (end.quic.state(), end.quic.counters())).collect();
    panic!("not reached in {TURNS} turns: {states:#?}");
}

fn drive<const N: usize>(ends: [&mut End; N], done: impl FnMut(&[&mut End; N]) -> bool) {
    drive_with(&mut Relay::to(local()), ends, done);
}

fn wait_for_packets<const N: usize>(relay: &Relay, ends: &[&mut End; N]) {
    let sockets = relay.sockets().into_iter().chain(ends.iter().map(|end| end.quic.as_fd()));
    let mut descriptors: Vec<_> = sockets.map(|socket| PollFd::new(socket, PollFlags::POLLIN)).collect();
    ppoll(&mut descriptors, Some(TimeSpec::from(Duration::from_millis(5))), None).unwrap();
}

/// Lets everything under way arrive: turns until nothing has come for a while.
fn quiesce<const N: usize>(relay: &mut Relay, ends: [&mut End; N]) {
    let received =
        |ends: &[&mut End; N]| -> u64 { ends.iter().map(|end| end.quic.counters().packets_received).sum() };
    let (mut last, mut still) = (0, 0);
    drive_with(relay, ends, |ends| {
        still = if received(ends) == last { still + 1 } else { 0 };
        last = received(ends);
        still > 6
    });
}

/// A vehicle and an operator that trust each other, with a session up.
fn pair() -> (End, End) {
    let (vehicle, operator) = (key(), key());
    let mut operator_end = listen(&config(&operator, &[vehicle.public()]));
    let mut vehicle_end = connect(&config(&vehicle, &[operator.public()]), operator_end.quic.local_address());
    drive([&mut vehicle_end, &mut operator_end], |ends| ends.iter().all(|end| end.is_up()));
    (vehicle_end, operator_end)
}

/// The same, with all packets going through a relay.
fn pair_through_relay() -> (End, Relay, End) {
    let (vehicle, operator) = (key(), key());
    let mut operator_end = listen(&config(&operator, &[vehicle.public()]));
    let mut relay = Relay::to(operator_end.quic.local_address());
    let mut vehicle_end = connect(&config(&vehicle, &[operator.public()]), relay.address());
    drive_with(&mut relay, [&mut vehicle_end, &mut operator_end], |ends| ends.iter().all(|end| end.is_up()));
    quiesce(&mut relay, [&mut vehicle_end, &mut operator_end]);
    (vehicle_end, relay, operator_end)
}
