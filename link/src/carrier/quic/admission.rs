//! What strangers may cost the operator.
//!
//! Anyone can send packets to the port, and anyone can make first packets that QUIC has to open: their keys are public
//! by design (RFC 9001 §5.2). So before a packet costs more than a look at its first bytes it must be for a session of
//! ours, or pass here. Everything below bounds *rates*, so that a flood can keep new handshakes out but never slows the
//! session: at full rate the limits come to under one percent of a core. Nor does it keep our peer out when it comes back:
//! who shows that it is where it says pushes out the oldest handshake of whoever has the most, and where the last session
//! came from there is always a place, and tokens of its own.
//!
//! What is answered at all: handshakes that were let in, and stateless resets for connection ids that carry our keyed
//! hash. Never a version negotiation, never anything larger than the packet that caused it.

use std::net::IpAddr;
use std::time::Duration;

use tokkyu_contract::MonoTime;

use super::config::VERSION;

/// First packets opened in a second: keys derived and header uncovered, some 10 µs each.
const INITIALS_PER_SECOND: u64 = 200;
const INITIALS_BURST: u64 = 50;
/// Handshakes begun in a second: a signature and two key exchanges, some 200 µs each.
const HANDSHAKES_PER_SECOND: u64 = 10;
const HANDSHAKES_BURST: u64 = 10;
/// Handshakes under way at a time.
pub(super) const MAX_INCOMPLETE: usize = 8;
/// Of these, from one network.
const MAX_INCOMPLETE_PER_NETWORK: usize = 2;
/// Of these, for the network that the last session came from.
const KEPT: usize = 1;
/// Handshakes begun in a second from there, beside those of all.
const KNOWN_PER_SECOND: u64 = 2;
const KNOWN_BURST: u64 = 4;
/// From this many on a stranger has to show that it can be reached at its address (RFC 9000 §8.1.2). Below, the round
/// trip is saved.
const RETRY_FROM: usize = 2;

/// Smallest packet QUIC sends: a stateless reset (RFC 9000 §10.3).
const SMALLEST_PACKET: usize = 21;
const LONG_HEADER: u8 = 0x80;
/// Set in all packets: greasing it (RFC 9287) is off.
const FIXED_BIT: u8 = 0x40;
/// The two type bits of a long header; Initial is 0 (RFC 9000 §17.2).
const LONG_TYPE: u8 = 0x30;

/// What the first bytes of a packet say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Glance {
    /// No packet of the QUIC we speak.
    Malformed,
    /// First packet of a handshake.
    Initial,
    /// Another packet of a handshake.
    Handshake,
    /// A packet under a session's keys.
    Session,
}

/// Tells apart what needs no key to tell. Costs a few nanoseconds and touches only bytes that are there.
pub(super) fn glance(packet: &[u8]) -> Glance {
    let Some((&first, rest)) = packet.split_first() else { return Glance::Malformed };
    if packet.len() < SMALLEST_PACKET || first & FIXED_BIT == 0 {
        return Glance::Malformed;
    }
    if first & LONG_HEADER == 0 {
        return Glance::Session;
    }
    match rest.first_chunk() {
        Some(version) if u32::from_be_bytes(*version) == VERSION => match first & LONG_TYPE {
            0 => Glance::Initial,
            _ => Glance::Handshake,
        },
        _ => Glance::Malformed,
    }
}

/// What one stranger has: an IPv4 address, or the 64 bits of IPv6 that every network gets whole (RFC 7421).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network(IpAddr);

impl From<IpAddr> for Network {
    fn from(address: IpAddr) -> Network {
        Network(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
            v4 => v4,
        })
    }
}

/// A handshake under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Which of our connections it is.
    pub(super) connection: usize,
    pub(super) network: Network,
    pub(super) since: MonoTime,
}

/// What to do with a first packet that could be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Begin the handshake, in the place of that connection where one is named.
    Accept { instead_of: Option<usize> },
    /// Have it prove its address first; costs us no memory.
    Retry,
    /// Say nothing.
    Drop,
}

/// Limits on strangers.
#[derive(Debug)]
pub(super) struct Admission {
    initials: TokenBucket,
    handshakes: TokenBucket,
    /// Where the last session came from.
    known: Option<Network>,
    known_handshakes: TokenBucket,
}

impl Admission {
    pub(super) fn new(now: MonoTime) -> Admission {
        Admission {
            initials: TokenBucket::new(now, INITIALS_PER_SECOND, INITIALS_BURST),
            handshakes: TokenBucket::new(now, HANDSHAKES_PER_SECOND, HANDSHAKES_BURST),
            known: None,
            known_handshakes: TokenBucket::new(now, KNOWN_PER_SECOND, KNOWN_BURST),
        }
    }

    /// There is, or was, a session with a peer at `address`.
    pub(super) fn on_session(&mut self, address: IpAddr) {
        self.known = Some(address.into());
    }

    /// Whether a first packet may be opened.
    pub(super) fn may_open(&mut self, now: MonoTime) -> bool {
        self.initials.take(now)
    }

    /// What to do with an opened first packet from `from`, with handshakes in `places` under way. `validated`: it has shown
    /// that it can be reached at its address.
    pub(super) fn judge(
        &mut self,
        now: MonoTime,
        from: IpAddr,
        places: &[Place],
        validated: bool,
    ) -> Verdict {
        let network = Network::from(from);
        let is_known = validated && self.known == Some(network);
        let may_begin = match validated {
            false => places.len() < RETRY_FROM && self.handshakes.take(now),
            true => is_known && self.known_handshakes.take(now) || self.handshakes.take(now),
        };
        match (may_begin, validated) {
            (true, _) => Verdict::Accept { instead_of: self.instead_of(network, places) },
            // It costs nothing to remember, and who comes back with the proof is another matter.
            (false, false) => Verdict::Retry,
            (false, true) => Verdict::Drop,
        }
    }

    /// Whose place a handshake from `network` takes, where it finds none: the oldest of its own, or of whoever has most.
    fn instead_of(&self, network: Network, places: &[Place]) -> Option<usize> {
        let of = |wanted: Network| places.iter().filter(move |place| place.network == wanted);
        let oldest =
            |wanted: Network| of(wanted).min_by_key(|place| place.since).map(|place| place.connection);
        if of(network).count() >= MAX_INCOMPLETE_PER_NETWORK {
            return oldest(network);
        }
        let others = places.iter().filter(|place| self.known != Some(place.network));
        let is_full = match self.known == Some(network) {
            true => places.len() >= MAX_INCOMPLETE,
            false => others.clone().count() >= MAX_INCOMPLETE - KEPT,
        };
        let most = others.max_by_key(|place| (of(place.network).count(), std::cmp::Reverse(place.since)));
        most.filter(|_| is_full).and_then(|place| oldest(place.network))
    }

    /// A packet that was let in turned out forged before it cost a signature: it must not use up the places of real
    /// handshakes.
    pub(super) fn was_forged(&mut self) {
        self.handshakes.give_back();
    }
}

/// So many a second, so many at once.
#[derive(Debug)]
struct TokenBucket {
    interval: Duration,
    burst: u64,
    tokens: u64,
    /// When the youngest token came.
    filled: MonoTime,
}

impl TokenBucket {
    fn new(now: MonoTime, per_second: u64, burst: u64) -> TokenBucket {
        let interval = Duration::from_nanos(1_000_000_000 / per_second);
        TokenBucket { interval, burst, tokens: burst, filled: now }
    }

    fn take(&mut self, now: MonoTime) -> bool {
        self.fill(now);
        let taken = self.tokens > 0;
        self.tokens -= u64::from(taken);
        taken
    }

    fn give_back(&mut self) {
        self.tokens = (self.tokens + 1).min(self.burst);
    }

    fn fill(&mut self, now: MonoTime) {
        let interval = self.interval.as_nanos() as u64;
        let passed = now.since(self.filled).as_nanos() as u64;
        let new = passed / interval;
        self.tokens = self.tokens.saturating_add(new).min(self.burst);
        // The rest of an interval stays: frequent calls must not lose it.
        self.filled += Duration::from_nanos(new * interval);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRANGER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn packet(first: u8, version: u32) -> Vec<u8> {
        let mut packet = vec![first];
        packet.extend(version.to_be_bytes());
        packet.resize(1200, 0x5a);
        packet
    }

    #[test]
    fn a_glance_tells_first_packets_sessions_and_garbage_apart() {
        assert_eq!(glance(&packet(0xc0, 1)), Glance::Initial);
        assert_eq!(glance(&packet(0xe0, 1)), Glance::Handshake);
        assert_eq!(glance(&packet(0x40, 0)), Glance::Session);
        assert_eq!(glance(&packet(0x00, 0)), Glance::Malformed, "fixed bit clear");
        assert_eq!(glance(&packet(0x80, 1)), Glance::Malformed, "fixed bit clear");
    }

    #[test]
    fn versions_we_do_not_speak_and_negotiations_are_garbage() {
        for version in [0, 2, 0x6b33_43cf, 0x0a1a_2a3a] {
            assert_eq!(glance(&packet(0xc0, version)), Glance::Malformed, "{version:x}");
        }
    }

    #[test]
    fn packets_shorter_than_any_of_quic_are_garbage_down_to_nothing() {
        for length in 0..SMALLEST_PACKET {
            assert_eq!(glance(&packet(0xc0, 1)[..length]), Glance::Malformed, "{length}");
            assert_eq!(glance(&packet(0x40, 1)[..length]), Glance::Malformed, "{length}");
        }
    }

    #[test]
    fn a_flood_of_first_packets_is_opened_at_the_set_rate_and_no_faster() {
        let mut admission = Admission::new(MonoTime::ZERO);
        let a_second_of_flood = (0..100_000).map(|n| MonoTime::from_micros(10 * n));
        let opened = a_second_of_flood.filter(|&now| admission.may_open(now)).count() as u64;
        let allowed = INITIALS_BURST + INITIALS_PER_SECOND;
        assert!((allowed - 1..=allowed).contains(&opened), "{opened}");
    }

    #[test]
    fn an_idle_bucket_holds_one_burst_and_no_more() {
        let mut bucket = TokenBucket::new(MonoTime::ZERO, 10, 3);
        let later = MonoTime::from_millis(3_600_000);
        assert_eq!((0..10).filter(|_| bucket.take(later)).count(), 3);
    }

    fn place(connection: usize, address: IpAddr) -> Place {
        Place { connection, network: address.into(), since: MonoTime::from_millis(connection as u64) }
    }

    fn host(number: usize) -> IpAddr {
        IpAddr::V4(std::net::Ipv4Addr::new(198, 51, 100, number as u8))
    }

    fn accept(instead_of: Option<usize>) -> Verdict {
        Verdict::Accept { instead_of }
    }

    #[test]
    fn strangers_prove_their_address_once_two_handshakes_are_under_way() {
        let mut admission = Admission::new(MonoTime::ZERO);
        let mut judge =
            |places: &[Place], validated| admission.judge(MonoTime::ZERO, STRANGER, places, validated);
        assert_eq!(judge(&[place(0, OTHER)], false), accept(None));
        assert_eq!(judge(&[place(0, OTHER), place(1, OTHER)], false), Verdict::Retry);
        assert_eq!(judge(&[place(0, OTHER), place(1, OTHER)], true), accept(None));
    }

    #[test]
    fn one_network_cannot_take_all_places() {
        let mut admission = Admission::new(MonoTime::ZERO);
        let v6 = |text: &str| text.parse::<IpAddr>().unwrap();
        let two = [place(3, v6("2001:db8:0:7::1")), place(4, v6("2001:db8:0:7:ffff::2"))];
        let mut judge = |address: &str| admission.judge(MonoTime::ZERO, v6(address), &two, true);
        assert_eq!(judge("2001:db8:0:7::3"), accept(Some(3)), "its own oldest");
        assert_eq!(judge("2001:db8:0:8::3"), accept(None));
        assert_eq!(Network::from(v6("::ffff:192.0.2.1")), Network::from(STRANGER));
    }

    #[test]
    fn where_all_places_are_taken_the_oldest_of_whoever_has_most_goes() {
        let mut admission = Admission::new(MonoTime::ZERO);
        let mut full: Vec<Place> = (0..MAX_INCOMPLETE - 2).map(|n| place(n, host(n))).collect();
        full.push(place(6, host(3)));
        assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &full, true), accept(Some(3)));
        full.truncate(MAX_INCOMPLETE - 2);
        assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &full, true), accept(None));
    }

    #[test]
    fn the_last_sessions_network_keeps_a_place_and_tokens_whatever_others_do() {
        let mut admission = Admission::new(MonoTime::ZERO);
        admission.on_session(STRANGER);
        let others: Vec<Place> = (0..MAX_INCOMPLETE - KEPT).map(|n| place(n, host(n))).collect();
        while admission.judge(MonoTime::ZERO, OTHER, &others, true) != Verdict::Drop {}
        assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &others, false), Verdict::Retry);
        assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &others, true), accept(None));
        let later = MonoTime::from_millis(1_000);
        let with_it = [&others[..], &[place(9, STRANGER)]].concat();
        assert_eq!(
            admission.judge(later, OTHER, &with_it, true),
            accept(Some(0)),
            "not the one that came back"
        );
    }

    #[test]
    fn forged_first_packets_do_not_use_up_the_handshakes_of_others() {
        let mut admission = Admission::new(MonoTime::ZERO);
        for _ in 0..10 * HANDSHAKES_BURST {
            assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &[], true), accept(None));
            admission.was_forged();
        }
        for _ in 0..HANDSHAKES_BURST {
            assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &[], true), accept(None));
        }
        assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &[], true), Verdict::Drop);
    }
}
