//! How long the packets are that the vehicle dials with (LNK-89).
//!
//! QUIC pads a handshake's first packets to the size of the session, so a handshake that is answered shows that both
//! ways carry it. One that is not may have met a path that takes no such packets, or nobody.
//!
//! ```text
//!                no answer for 1.5 s               answered               no answer for 1 s
//!   [Whole] ───────────────────────────▶ Feeling ───────────▶ Confirming ───────────────────▶ Short
//!      │                                                          │                             ▲
//!      └────────── the device refuses packets of the size ────────┴─────────────────────────────┘
//! ```
//! Whole and Confirming dial with packets as long as declared, Feeling and Short with the shortest. What Feeling learns
//! is that somebody is there by now: an operator that was started only then answers Confirming, and the session is whole.

use std::time::Duration;

use tokkyu_contract::MonoTime;

/// Four first packets, the last 0.45 s before: on a path that loses a fifth each way all of them are lost once in
/// sixty times.
const FIRST_PATIENCE: Duration = Duration::from_millis(1_500);
/// Three or four first packets, to somebody who was there a moment ago.
const SECOND_PATIENCE: Duration = Duration::from_secs(1);

/// Packets to dial with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packets {
    /// As long as declared.
    Whole,
    /// As every path carries them.
    Short,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Whole,
    Feeling,
    Confirming,
    Short,
}

/// One call of the vehicle: attempts with one size of packets and the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dialing {
    stage: Stage,
    /// When to give the present attempt up for one of another size.
    patience: MonoTime,
}

impl Dialing {
    /// Begins, with whole packets.
    pub(super) fn new(now: MonoTime) -> Dialing {
        Dialing { stage: Stage::Whole, patience: now + FIRST_PATIENCE }
    }

    /// Begins where whole packets are no longer than short ones.
    pub(super) fn without_choice() -> Dialing {
        Dialing { stage: Stage::Short, patience: MonoTime::MAX }
    }

    /// What the present attempt's packets are.
    pub(super) fn packets(&self) -> Packets {
        match self.stage {
            Stage::Whole | Stage::Confirming => Packets::Whole,
            Stage::Feeling | Stage::Short => Packets::Short,
        }
    }

    /// When the present attempt has waited long enough.
    pub(super) fn deadline(&self) -> MonoTime {
        self.patience
    }

    /// Somebody answered the present attempt. True when another has to take its place.
    pub(super) fn on_answer(&mut self, now: MonoTime) -> bool {
        let (stage, patience) = match self.stage {
            Stage::Feeling => (Stage::Confirming, now + SECOND_PATIENCE),
            stage => (stage, MonoTime::MAX),
        };
        self.go(stage, patience)
    }

    /// The device refused a first packet for its length. True when another attempt has to take the present one's place.
    pub(super) fn on_refused(&mut self) -> bool {
        match self.packets() {
            Packets::Whole => self.go(Stage::Short, MonoTime::MAX),
            Packets::Short => false,
        }
    }

    /// Time goes on. True when another attempt has to take the present one's place.
    pub(super) fn on_timer(&mut self, now: MonoTime) -> bool {
        if now < self.patience {
            return false;
        }
        match self.stage {
            Stage::Whole => self.go(Stage::Feeling, MonoTime::MAX),
            Stage::Confirming => self.go(Stage::Short, MonoTime::MAX),
            Stage::Feeling | Stage::Short => false,
        }
    }

    fn go(&mut self, stage: Stage, patience: MonoTime) -> bool {
        let is_other = self.stage != stage;
        (self.stage, self.patience) = (stage, patience);
        is_other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: MonoTime = MonoTime::from_millis(5_000);

    fn at(millis: u64) -> MonoTime {
        START + Duration::from_millis(millis)
    }

    #[test]
    fn an_operator_that_answers_whole_packets_gets_whole_packets() {
        let mut dialing = Dialing::new(START);
        assert!(!dialing.on_answer(at(1_000)));
        assert!(!dialing.on_timer(at(9_000)), "the handshake goes on as long as it takes");
        assert_eq!((dialing.packets(), dialing.deadline()), (Packets::Whole, MonoTime::MAX));
    }

    #[test]
    fn one_that_answers_short_packets_alone_gets_short_ones() {
        let mut dialing = Dialing::new(START);
        assert!(!dialing.on_timer(at(1_499)));
        assert!(dialing.on_timer(at(1_500)));
        assert_eq!(dialing.packets(), Packets::Short);
        assert!(dialing.on_answer(at(1_600)), "it is there; is it the packets?");
        assert_eq!((dialing.packets(), dialing.deadline()), (Packets::Whole, at(2_600)));
        assert!(dialing.on_timer(at(2_600)));
        assert!(!dialing.on_answer(at(2_700)) && !dialing.on_timer(at(9_000)));
        assert_eq!(dialing.packets(), Packets::Short);
    }

    #[test]
    fn one_that_is_started_later_gets_whole_packets() {
        let mut dialing = Dialing::new(START);
        assert!(dialing.on_timer(at(1_500)));
        assert!(!dialing.on_timer(at(8_000)));
        assert!(dialing.on_answer(at(8_000)));
        assert!(!dialing.on_answer(at(8_100)) && !dialing.on_timer(at(20_000)));
        assert_eq!(dialing.packets(), Packets::Whole);
    }

    #[test]
    fn a_device_that_refuses_the_size_is_asked_no_more() {
        let mut first = Dialing::new(START);
        let mut second = Dialing::new(START);
        assert!(second.on_timer(at(1_500)) && second.on_answer(at(1_600)));
        for dialing in [&mut first, &mut second] {
            assert!(dialing.on_refused());
            assert!(!dialing.on_refused() && !dialing.on_answer(at(1_700)) && !dialing.on_timer(at(9_000)));
            assert_eq!(dialing.packets(), Packets::Short);
        }
    }

    #[test]
    fn where_whole_packets_are_short_there_is_one_attempt() {
        let mut dialing = Dialing::without_choice();
        assert!(!dialing.on_refused() && !dialing.on_timer(at(9_000)) && !dialing.on_answer(at(9_000)));
        assert_eq!(dialing.deadline(), MonoTime::MAX);
    }
}
