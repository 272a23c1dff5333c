//! What arrived of each stream we subscribe to, and what will not: the receiver's records.
//!
//! Pure; runs in the main thread, constant time for each sample.
//!
//! A sample that arrived carries its number of the run (picture header, command). One that is missed is known by flow
//! and sequence number of the session alone; the distance between both numbers, seen on the samples that arrived,
//! turns one into the other (DRV-71). Misses before the first arrival wait for it, at most [`MOST_HELD`].
//! Invariant: a sample is in one record at most.
//!
//! Numbers that go back in a new session are those of a sender that started again: a new run, with a ledger of its own,
//! so that no number of the one run hides a loss of the other.

use std::collections::BTreeMap;

use tokkyu_contract::{FlowId, Ledger, MonoTime, Outcome, TraceId};
use tokkyu_measure::Record;

use super::WARM_UP_SAMPLES;

/// Misses of unknown number that are kept at most: more than a session can have that delivers nothing of a flow.
const MOST_HELD: usize = 10_000;

/// A sample that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    /// Which of the program's subscriptions, from 0.
    pub(crate) stream: usize,
    /// The session it came in.
    pub(crate) session: u64,
    /// The publisher's flow, and sequence number in the session.
    pub(crate) id: TraceId,
    /// Number in the run; `None` when the sample could not be read.
    pub(crate) number: Option<u32>,
    /// Capture stamp on our clock.
    pub(crate) capture: MonoTime,
    /// When the thread that uses it had it.
    pub(crate) arrival: MonoTime,
}

/// The receiver's side of one stream.
struct ReceivedBook {
    stream: String,
    /// The newest session of which a number is known.
    session: u64,
    /// Runs of the sender that are over.
    before: Ledger,
    spanned_before: u64,
    /// The sender's present run: what is settled, and first and last number.
    ledger: Ledger,
    numbers: Option<(u32, u32)>,
}

/// Where a flow of the session belongs.
struct Place {
    stream: usize,
    /// Number of the run less sequence number of the session, of the last sample that arrived.
    distance: u32,
}

/// The receiver's side of all streams; see the module.
pub(crate) struct ReceivedBooks {
    books: Vec<ReceivedBook>,
    session: u64,
    places: BTreeMap<FlowId, Place>,
    held: Vec<(TraceId, Outcome)>,
}

impl ReceivedBooks {
    pub(crate) fn new<'a>(streams: impl IntoIterator<Item = &'a str>) -> ReceivedBooks {
        let book = |stream: &str| ReceivedBook {
            stream: stream.to_owned(),
            session: 0,
            before: Ledger::default(),
            spanned_before: 0,
            ledger: Ledger::default(),
            numbers: None,
        };
        let books = streams.into_iter().map(book).collect();
        ReceivedBooks { books, session: 0, places: BTreeMap::new(), held: Vec::new() }
    }

    /// A session is up: its flows and sequence numbers have nothing to do with those before.
    pub(crate) fn on_session(&mut self, session: u64) {
        if session > self.session {
            self.session = session;
            self.places.clear();
            self.held.clear();
        }
    }

    /// A sample arrived: its record, and those of misses that now have a number.
    pub(crate) fn on_arrived(&mut self, arrived: &Arrived) -> Vec<Record> {
        self.on_session(arrived.session);
        let number = match arrived.number {
            Some(number) => number,
            None => self.number_of(arrived.id).map_or(arrived.id.sequence, |(_, number)| number),
        };
        if arrived.number.is_some() {
            self.books[arrived.stream].notice_restart(arrived.session, number);
        }
        let mut records = vec![self.delivered(arrived, number)];
        if arrived.session == self.session && arrived.number.is_some() {
            let distance = number.wrapping_sub(arrived.id.sequence);
            self.places.insert(arrived.id.flow, Place { stream: arrived.stream, distance });
            records.extend(self.release());
        }
        records
    }

    /// A sample of `session` will not be delivered.
    pub(crate) fn on_missed(&mut self, session: u64, id: TraceId, outcome: Outcome) -> Option<Record> {
        // Events and samples come over two queues: a sample may have told of a newer session before this.
        if session != self.session {
            return None;
        }
        if let Some((stream, number)) = self.number_of(id) {
            return Some(self.missed(stream, number, outcome));
        }
        if self.held.len() < MOST_HELD {
            self.held.push((id, outcome));
        }
        None
    }

    /// Counts of a stream, as far as this end knows: offered is what the numbers span, lost is what left no trace.
    pub(crate) fn ledger(&self, stream: usize) -> Ledger {
        let book = &self.books[stream];
        let mut ledger = book.before;
        ledger += book.of_run();
        ledger
    }

    /// How many samples of a stream its numbers span, over all runs of the sender; what came before the first one seen is
    /// not counted.
    pub(crate) fn spanned(&self, stream: usize) -> u64 {
        let book = &self.books[stream];
        book.spanned_before + book.spanned()
    }

    /// Whether a stream was seen from its sender's beginning on, but for some of its warm-up, and up to number `samples` − 1.
    pub(crate) fn is_whole(&self, stream: usize, samples: u32) -> bool {
        let whole = |(first, last)| first < WARM_UP_SAMPLES && last >= samples.saturating_sub(1);
        self.books[stream].numbers.is_some_and(whole)
    }

    fn number_of(&self, id: TraceId) -> Option<(usize, u32)> {
        let place = self.places.get(&id.flow)?;
        Some((place.stream, id.sequence.wrapping_add(place.distance)))
    }

    fn release(&mut self) -> Vec<Record> {
        let held = std::mem::take(&mut self.held);
        held.into_iter().filter_map(|(id, outcome)| self.on_missed(self.session, id, outcome)).collect()
    }

    fn delivered(&mut self, arrived: &Arrived, number: u32) -> Record {
        let arrival = Some(arrived.arrival);
        let record = self.books[arrived.stream].record(number, Outcome::Delivered);
        Record { capture: arrived.capture, arrival, ..record }
    }

    fn missed(&mut self, stream: usize, number: u32, outcome: Outcome) -> Record {
        self.books[stream].record(number, outcome)
    }
}

impl ReceivedBook {
    /// Sample `number` came in `session`.
    fn notice_restart(&mut self, session: u64, number: u32) {
        let goes_back = self.numbers.is_some_and(|(_, last)| number <= last);
        if session > self.session && goes_back {
            self.before += self.of_run();
            self.spanned_before += self.spanned();
            (self.ledger, self.numbers) = (Ledger::default(), None);
        }
        self.session = self.session.max(session);
    }

    fn spanned(&self) -> u64 {
        self.numbers.map_or(0, |(first, last)| u64::from(last - first) + 1)
    }

    /// Counts of the sender's present run.
    fn of_run(&self) -> Ledger {
        let (spanned, seen) = (self.spanned(), self.ledger.settled());
        let lost = self.ledger.lost + spanned.saturating_sub(seen);
        Ledger { offered: spanned.max(seen), lost, ..self.ledger }
    }

    /// Without stamps: of a sample that never came in whole none is known.
    fn record(&mut self, number: u32, outcome: Outcome) -> Record {
        self.ledger.settle(outcome);
        let (first, last) = self.numbers.unwrap_or((number, number));
        self.numbers = Some((first.min(number), last.max(number)));
        let stream = self.stream.clone();
        let warm_up = number < WARM_UP_SAMPLES;
        Record { stream, sequence: number, capture: MonoTime::ZERO, arrival: None, outcome, warm_up }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn books() -> ReceivedBooks {
        ReceivedBooks::new(["camera/front", "camera/rear"])
    }

    fn id(flow: u16, sequence: u32) -> TraceId {
        TraceId { flow: FlowId(flow), sequence }
    }

    fn arrived(stream: usize, session: u64, id: TraceId, number: u32) -> Arrived {
        let (capture, arrival) = (MonoTime::from_millis(100), MonoTime::from_millis(130));
        Arrived { stream, session, id, number: Some(number), capture, arrival }
    }

    fn ends(records: &[Record]) -> Vec<(&str, u32, Outcome)> {
        records.iter().map(|record| (record.stream.as_str(), record.sequence, record.outcome)).collect()
    }

    #[test]
    fn a_miss_gets_the_number_of_the_run_from_its_neighbours() {
        let mut books = books();
        books.on_session(1);
        let first = books.on_arrived(&arrived(1, 1, id(7, 0), 40));
        assert_eq!(ends(&first), [("camera/rear", 40, Outcome::Delivered)]);
        assert_eq!(first[0].latency_ns(), Some(30_000_000));
        let missed = books.on_missed(1, id(7, 2), Outcome::Late).unwrap();
        assert_eq!(ends(&[missed]), [("camera/rear", 42, Outcome::Late)]);
    }

    #[test]
    fn a_miss_before_the_first_arrival_waits_for_it() {
        let mut books = books();
        books.on_session(1);
        assert_eq!(books.on_missed(1, id(7, 0), Outcome::Expired), None);
        assert_eq!(books.on_missed(1, id(8, 0), Outcome::Expired), None);
        let records = books.on_arrived(&arrived(0, 1, id(7, 1), 1));
        let front = |number, outcome| ("camera/front", number, outcome);
        assert_eq!(ends(&records), [front(1, Outcome::Delivered), front(0, Outcome::Expired)]);
        let rear = books.on_arrived(&arrived(1, 1, id(8, 5), 5));
        assert_eq!(rear.len(), 2, "each flow releases its own");
    }

    #[test]
    fn a_new_session_forgets_the_old_ones_flows() {
        let mut books = books();
        books.on_arrived(&arrived(0, 1, id(7, 0), 0));
        books.on_session(2);
        assert_eq!(books.on_missed(2, id(7, 0), Outcome::Late), None, "flow 7 may be another now");
        let late_from_before = books.on_arrived(&arrived(0, 1, id(7, 1), 1));
        assert_eq!(late_from_before.len(), 1, "recorded, and no guide to the new session");
        let records = books.on_arrived(&arrived(1, 2, id(7, 3), 9));
        assert_eq!(ends(&records)[1], ("camera/rear", 6, Outcome::Late));
    }

    #[test]
    fn a_miss_told_after_its_session_ended_is_not_counted_in_the_next() {
        let mut books = books();
        books.on_arrived(&arrived(0, 1, id(7, 0), 0));
        books.on_arrived(&arrived(0, 2, id(7, 0), 1));
        assert_eq!(books.on_missed(1, id(7, 1), Outcome::Late), None);
    }

    #[test]
    fn the_ledger_counts_what_left_no_trace_as_lost() {
        let mut books = books();
        for number in [3, 4, 7] {
            books.on_arrived(&arrived(0, 1, id(1, number), number));
        }
        books.on_missed(1, id(1, 5), Outcome::Late);
        let expected = Ledger { offered: 5, delivered: 3, late: 1, lost: 1, ..Ledger::default() };
        assert_eq!(books.ledger(0), expected);
        assert!(books.ledger(0).closes() && books.ledger(1).closes());
        assert_eq!((books.spanned(0), books.spanned(1)), (5, 0), "the first number seen is 3");
    }

    #[test]
    fn a_sender_that_starts_again_gets_a_run_of_its_own() {
        let mut books = books();
        for session in [1, 2] {
            for number in (0..500).filter(|number| number % 10 != 5) {
                books.on_arrived(&arrived(0, session, id(1, number), number));
            }
        }
        let expected = Ledger { offered: 1_000, delivered: 900, lost: 100, ..Ledger::default() };
        assert_eq!((books.ledger(0), books.spanned(0)), (expected, 1_000));
    }

    #[test]
    fn a_stream_is_whole_without_its_very_first_samples_and_not_from_the_middle() {
        let mut books = books();
        for (stream, first) in [(0, 2), (1, 500)] {
            books.on_arrived(&arrived(stream, 1, id(1, first), first));
            books.on_arrived(&arrived(stream, 1, id(1, first + 37), first + 37));
        }
        assert!(books.is_whole(0, 40) && !books.is_whole(0, 41) && !books.is_whole(1, 40));
    }

    #[test]
    fn a_sender_that_goes_on_in_a_new_session_stays_in_its_run() {
        let mut books = books();
        for (session, number) in [(1, 0), (1, 2), (1, 1), (2, 4)] {
            books.on_arrived(&arrived(0, session, id(1, number), number));
        }
        let expected = Ledger { offered: 5, delivered: 4, lost: 1, ..Ledger::default() };
        assert_eq!(books.ledger(0), expected, "3 was lost between the sessions");
    }

    #[test]
    fn a_sample_that_cannot_be_read_is_numbered_by_its_place() {
        let mut books = books();
        books.on_arrived(&arrived(0, 1, id(1, 0), 10));
        let unread = Arrived { number: None, ..arrived(0, 1, id(1, 1), 0) };
        assert_eq!(books.on_arrived(&unread)[0].sequence, 11);
    }
}
