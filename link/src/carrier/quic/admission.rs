//! What strangers may cost the operator.
//!
//! Anyone can send packets to the port, and anyone can make first packets that QUIC has to open: their keys are public
//! by design (RFC 9001 §5.2). So before a packet costs more than a look at its first bytes it must be for a session of
//! ours, or pass here. Everything below bounds *rates*, so that a flood can keep new handshakes out but never slows the
//! session: at full rate the limits come to under one percent of a core.
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
/// Of these, from one address.
const MAX_INCOMPLETE_PER_ADDRESS: usize = 4;
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

/// What to do with a first packet that could be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Begin the handshake.
    Accept,
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
}

impl Admission {
    pub(super) fn new(now: MonoTime) -> Admission {
        Admission {
            initials: TokenBucket::new(now, INITIALS_PER_SECOND, INITIALS_BURST),
            handshakes: TokenBucket::new(now, HANDSHAKES_PER_SECOND, HANDSHAKES_BURST),
        }
    }

    /// Whether a first packet may be opened.
    pub(super) fn may_open(&mut self, now: MonoTime) -> bool {
        self.initials.take(now)
    }

    /// What to do with an opened first packet from `from`, with handshakes from `incomplete` under way. `validated`:
    /// it has shown that it can be reached at its address.
    pub(super) fn judge(
        &mut self,
        now: MonoTime,
        from: IpAddr,
        incomplete: &[IpAddr],
        validated: bool,
    ) -> Verdict {
        let same_address = incomplete.iter().filter(|&&address| address == from).count();
        if incomplete.len() >= MAX_INCOMPLETE || same_address >= MAX_INCOMPLETE_PER_ADDRESS {
            return Verdict::Drop;
        }
        if !validated && incomplete.len() >= RETRY_FROM {
            return Verdict::Retry;
        }
        if self.handshakes.take(now) { Verdict::Accept } else { Verdict::Drop }
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

    #[test]
    fn strangers_prove_their_address_once_two_handshakes_are_under_way() {
        let mut admission = Admission::new(MonoTime::ZERO);
        let mut judge = |incomplete: &[IpAddr], validated| {
            admission.judge(MonoTime::ZERO, STRANGER, incomplete, validated)
        };
        assert_eq!(judge(&[OTHER], false), Verdict::Accept);
        assert_eq!(judge(&[OTHER, OTHER], false), Verdict::Retry);
        assert_eq!(judge(&[OTHER, OTHER], true), Verdict::Accept);
    }

    #[test]
    fn one_address_cannot_take_all_places_and_all_places_are_few() {
        let mut admission = Admission::new(MonoTime::ZERO);
        let four = [STRANGER; MAX_INCOMPLETE_PER_ADDRESS];
        assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &four, true), Verdict::Drop);
        assert_eq!(admission.judge(MonoTime::ZERO, OTHER, &four, true), Verdict::Accept);
        let full = [OTHER; MAX_INCOMPLETE];
        assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &full, true), Verdict::Drop);
    }

    #[test]
    fn forged_first_packets_do_not_use_up_the_handshakes_of_others() {
        let mut admission = Admission::new(MonoTime::ZERO);
        for _ in 0..10 * HANDSHAKES_BURST {
            assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &[], true), Verdict::Accept);
            admission.was_forged();
        }
        for _ in 0..HANDSHAKES_BURST {
            assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &[], true), Verdict::Accept);
        }
        assert_eq!(admission.judge(MonoTime::ZERO, STRANGER, &[], true), Verdict::Drop);
    }
}
