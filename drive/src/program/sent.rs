//! What became of each sample of a stream we publish: numbers of the run against sequence numbers of the session.
//!
//! Pure; runs in the main thread. Constant time for each sample; memory follows the samples under way, which the link
//! settles at the latest when their lifespan or the session ends.
//!
//! The link numbers samples from 0 in each session and knows nothing of those offered without one. Records need one
//! number for each sample of a run (DRV-71), so a stream's samples are numbered as they are offered and this book
//! keeps the pairs. Invariant: every sample offered gets exactly one record.
//!
//! ```text
//!   on_offered, session is ours ─▶ under way ──on_settled──▶ record
//!   on_offered, none or another ─────────────────────────▶ record: dropped
//!   on_session_end, close        ─▶ under way ────────────▶ records: dropped, lost
//! ```

use std::collections::BTreeMap;

use tokkyu_contract::{Durability, Ledger, MonoTime, Outcome, Qos};
use tokkyu_measure::Record;

use super::WARM_UP_SAMPLES;
use super::outlet::Offered;

/// One stream's samples on their way out.
pub(crate) struct SentBook {
    stream: String,
    session: Option<u64>,
    next_sequence: u32,
    /// By sequence number of the session: number of the run and capture stamp.
    under_way: BTreeMap<u32, (u32, MonoTime)>,
    /// Settled before the thread that offered them reported them.
    early: BTreeMap<u32, Outcome>,
    ledger: Ledger,
    payload_bytes: u64,
    /// Samples a new session begins with (transient local), and how many there are by now.
    keeps: u32,
    kept: u32,
}

impl SentBook {
    pub(crate) fn new(stream: &str, qos: &Qos) -> SentBook {
        let keeps = match qos.durability {
            Durability::TransientLocal => qos.depth().unwrap_or(u32::MAX),
            Durability::Volatile => 0,
        };
        SentBook {
            stream: stream.to_owned(),
            session: None,
            next_sequence: 0,
            under_way: BTreeMap::new(),
            early: BTreeMap::new(),
            ledger: Ledger::default(),
            payload_bytes: 0,
            keeps,
            kept: 0,
        }
    }

    /// A session is up. The link sends what it keeps for late joiners first, under numbers that are not ours to book.
    pub(crate) fn on_session(&mut self, session: u64) -> Vec<Record> {
        let left = self.on_session_end();
        self.session = Some(session);
        self.next_sequence = self.kept;
        left
    }

    /// The session ended. What the link has not settled by now, it never published.
    pub(crate) fn on_session_end(&mut self) -> Vec<Record> {
        self.session = None;
        self.early.clear();
        self.end_all(Outcome::Dropped)
    }

    /// A sample was offered. A record when it is at its end already.
    pub(crate) fn on_offered(&mut self, offered: &Offered) -> Option<Record> {
        self.ledger.offer();
        if offered.session.is_none() || offered.session != self.session {
            return Some(self.end(offered.number, offered.capture, Outcome::Dropped));
        }
        self.payload_bytes += offered.bytes as u64;
        self.kept = self.kept.saturating_add(1).min(self.keeps);
        let sequence = self.next_sequence;
        self.next_sequence = sequence.wrapping_add(1);
        if let Some(outcome) = self.early.remove(&sequence) {
            return Some(self.end(offered.number, offered.capture, outcome));
        }
        self.under_way.insert(sequence, (offered.number, offered.capture));
        None
    }

    /// The link settled sample `sequence` of the session.
    pub(crate) fn on_settled(&mut self, sequence: u32, outcome: Outcome) -> Option<Record> {
        if let Some((number, capture)) = self.under_way.remove(&sequence) {
            return Some(self.end(number, capture, outcome));
        }
        if sequence >= self.next_sequence {
            self.early.insert(sequence, outcome);
        }
        None
    }

    /// The link is closed: nothing more will be known.
    pub(crate) fn close(&mut self) -> Vec<Record> {
        self.end_all(Outcome::Lost)
    }

    /// True when nothing is under way.
    pub(crate) fn is_settled(&self) -> bool {
        self.under_way.is_empty()
    }

    pub(crate) fn stream(&self) -> &str {
        &self.stream
    }

    pub(crate) fn ledger(&self) -> Ledger {
        self.ledger
    }

    pub(crate) fn payload_bytes(&self) -> u64 {
        self.payload_bytes
    }

    fn end_all(&mut self, outcome: Outcome) -> Vec<Record> {
        let open = std::mem::take(&mut self.under_way);
        open.into_values().map(|(number, capture)| self.end(number, capture, outcome)).collect()
    }

    fn end(&mut self, number: u32, capture: MonoTime, outcome: Outcome) -> Record {
        self.ledger.settle(outcome);
        let stream = self.stream.clone();
        let warm_up = number < WARM_UP_SAMPLES;
        Record { stream, sequence: number, capture, arrival: None, outcome, warm_up }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(qos: &Qos) -> SentBook {
        SentBook::new("camera/front", qos)
    }

    fn offered(number: u32, session: Option<u64>) -> Offered {
        Offered { stream: 0, number, capture: MonoTime::from_millis(u64::from(number)), session, bytes: 10 }
    }

    fn ends(records: &[Record]) -> Vec<(u32, Outcome)> {
        records.iter().map(|record| (record.sequence, record.outcome)).collect()
    }

    #[test]
    fn samples_offered_without_a_session_are_dropped_and_do_not_shift_the_numbers() {
        let mut book = book(&Qos::default());
        let without = book.on_offered(&offered(0, None)).unwrap();
        assert_eq!((without.sequence, without.outcome), (0, Outcome::Dropped));
        book.on_session(1);
        assert_eq!(book.on_offered(&offered(1, Some(1))), None);
        let settled = book.on_settled(0, Outcome::Delivered).unwrap();
        assert_eq!((settled.sequence, settled.capture), (1, MonoTime::from_millis(1)));
        assert!(book.is_settled() && book.ledger().closes());
        assert_eq!(book.payload_bytes(), 10, "what was not handed to the link is no payload");
    }

    #[test]
    fn a_sample_settled_before_it_was_reported_is_recorded_once() {
        let mut book = book(&Qos::default());
        book.on_session(1);
        assert_eq!(book.on_settled(0, Outcome::Dropped), None);
        assert_eq!(ends(&[book.on_offered(&offered(0, Some(1))).unwrap()]), [(0, Outcome::Dropped)]);
        assert_eq!(book.on_settled(0, Outcome::Delivered), None);
        assert_eq!(book.ledger(), Ledger { offered: 1, dropped: 1, ..Ledger::default() });
    }

    #[test]
    fn a_new_session_counts_from_zero_and_the_run_goes_on() {
        let mut book = book(&Qos::default());
        book.on_session(1);
        (0..3).for_each(|number| assert_eq!(book.on_offered(&offered(number, Some(1))), None));
        book.on_settled(0, Outcome::Delivered);
        assert_eq!(ends(&book.on_session_end()), [(1, Outcome::Dropped), (2, Outcome::Dropped)]);
        assert!(book.on_offered(&offered(3, Some(1))).is_some(), "its session is over");
        book.on_session(2);
        book.on_offered(&offered(4, Some(2)));
        assert_eq!(book.on_settled(0, Outcome::Delivered).unwrap().sequence, 4);
        assert!(book.ledger().closes(), "{}", book.ledger());
    }

    #[test]
    fn what_is_under_way_when_the_link_closes_is_lost() {
        let mut book = book(&Qos::default());
        book.on_session(1);
        (0..2).for_each(|number| assert_eq!(book.on_offered(&offered(number, Some(1))), None));
        assert!(!book.is_settled());
        assert_eq!(ends(&book.close()), [(0, Outcome::Lost), (1, Outcome::Lost)]);
        assert!(book.ledger().closes());
    }

    #[test]
    fn samples_kept_for_late_joiners_take_the_first_numbers_of_the_next_session() {
        let qos = Qos { durability: Durability::TransientLocal, ..Qos::default() };
        let mut book = book(&qos);
        book.on_session(1);
        for number in 0..3 {
            book.on_offered(&offered(number, Some(1)));
            book.on_settled(number, Outcome::Delivered);
        }
        book.on_session(2);
        assert_eq!(book.on_settled(0, Outcome::Delivered), None, "sent again, recorded before");
        book.on_offered(&offered(3, Some(2)));
        assert_eq!(book.on_settled(3, Outcome::Delivered).unwrap().sequence, 3);
    }

    #[test]
    fn the_first_samples_of_a_stream_are_its_warm_up() {
        let mut book = book(&Qos::default());
        let warm_up = |number| book.on_offered(&offered(number, None)).unwrap().warm_up;
        assert_eq!([0, 19, 20].map(warm_up), [true, true, false]);
    }
}
