//! `receive`: one subscriber for each camera; arrivals are kept in memory until the end.
//!
//! The callback runs in a thread of Zenoh's. It reads the clock before anything else (PEER-13), then checks. Memory is
//! bounded by the samples that were announced: what comes twice is counted and not kept.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokkyu_contract::Outcome;
use tokkyu_measure::Record;
use zenoh::bytes::ZBytes;
use zenoh::pubsub::Subscriber;
use zenoh::{Session, Wait};

use crate::arguments::Arguments;
use crate::machine::{self, Grants};
use crate::outcome::{self, End, Notes};
use crate::sample::{self, Expected};
use crate::session;

/// How much longer than the sender the receiver stays (PEER-20).
const LONGER_NS: u64 = 500_000_000;

/// What arrived.
struct Book {
    expected: Expected,
    /// Capture and arrival by camera and sequence; no arrival is 0.
    arrivals: Mutex<Vec<(u64, u64)>>,
    count: AtomicU64,
    notes: Mutex<Notes>,
}

/// Runs until every sample is there or the time is over.
///
/// # Errors
/// The run could not be made, or not be written; the ends never met.
pub fn run(arguments: &Arguments, grants: Grants) -> Result<End, String> {
    outcome::check_free(arguments)?;
    let session = session::open(arguments)?;
    let book = Arc::new(Book::new(arguments)?);
    let subscribers = subscribe(&session, &book, arguments)?;
    machine::wait_until(arguments.start_at_ns, || session::has_peer(&session));
    let met = session::has_peer(&session);
    let end = arguments.sender_end_ns().saturating_add(LONGER_NS);
    let all = arguments.all_samples();
    let interrupted = machine::wait_until(end, || book.count.load(Ordering::Acquire) == all);
    let ever_met = met || session::has_peer(&session) || book.count.load(Ordering::Acquire) > 0;
    let (records, notes) = (book.records(arguments), lock(&book.notes).clone());
    outcome::write(arguments, grants, met, &notes, records)?;
    drop(subscribers);
    outcome::end(arguments, interrupted, ever_met)
}

fn subscribe(
    session: &Session,
    book: &Arc<Book>,
    arguments: &Arguments,
) -> Result<Vec<Subscriber<()>>, String> {
    let subscriber = |camera| {
        let book = Arc::clone(book);
        let take = move |sample: zenoh::sample::Sample| {
            let arrival_ns = machine::now_ns();
            book.on_sample(arrival_ns, camera, sample.payload());
        };
        let builder = session.declare_subscriber(session::key(camera)).callback(take);
        builder.wait().map_err(|error| format!("subscriber: {error}"))
    };
    (1..=arguments.images).map(subscriber).collect()
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Book {
    fn new(arguments: &Arguments) -> Result<Book, String> {
        let last_byte = *sample::filling(arguments.size).last().ok_or("--size 0")?;
        let all = usize::try_from(arguments.all_samples()).map_err(|_| "too many samples")?;
        let Arguments { size, samples, .. } = *arguments;
        Ok(Book {
            expected: Expected { size, samples, last_byte },
            arrivals: Mutex::new(vec![(0, 0); all]),
            count: AtomicU64::new(0),
            notes: Mutex::new(Notes::default()),
        })
    }

    /// A sample that came on the key of `camera`.
    fn on_sample(&self, arrival_ns: u64, camera: u32, payload: &ZBytes) {
        match self.expected.check(camera, payload.len(), payload.reader()) {
            Ok(header) => {
                let place = u64::from(header.camera - 1) * u64::from(self.expected.samples);
                let place = (place + u64::from(header.sequence)) as usize;
                let kept = &mut lock(&self.arrivals)[place];
                if kept.1 == 0 {
                    *kept = (header.capture_ns, arrival_ns);
                    self.count.fetch_add(1, Ordering::Release);
                } else {
                    lock(&self.notes).add("sample came twice");
                }
            }
            Err(fault) => lock(&self.notes).add(&format!("sample of {fault}")),
        }
    }

    fn records(&self, arguments: &Arguments) -> Vec<Record> {
        let arrivals = lock(&self.arrivals);
        let arrived = arrivals.iter().enumerate().filter(|(_, (_, arrival))| *arrival != 0);
        let line = |(place, (capture, arrival)): (usize, &(u64, u64))| {
            let place = place as u64;
            let samples = u64::from(arguments.samples);
            let (camera, sequence) = (place / samples + 1, place % samples);
            outcome::record(camera as u32, sequence as u32, *capture, Some(*arrival), Outcome::Delivered)
        };
        arrived.map(line).collect()
    }
}
