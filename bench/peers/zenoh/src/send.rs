//! `send`: one thread for each camera, each on the same ticks (PEER-10).
//!
//! A camera's thread sleeps to the tick and hands the sample to Zenoh, which may hold it there (`Block`); then the next
//! tick comes late, with its own number and capture time. What it has handed over stands in an atomic, so that the main
//! thread can end and write while it is still held (PEER-20).

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use tokkyu_contract::Outcome;
use tokkyu_measure::Record;
use zenoh::bytes::ZBytes;
use zenoh::pubsub::Publisher;
use zenoh::qos::{CongestionControl, Reliability};
use zenoh::{Session, Wait};

use crate::arguments::Arguments;
use crate::machine::{self, Grants};
use crate::outcome::{self, Notes};
use crate::sample::{self, Header};
use crate::session;

/// What a camera's thread shares with the main thread.
struct Camera {
    number: u32,
    /// Ticks handed to Zenoh, from the first on without a gap.
    given: AtomicU32,
    /// Ticks Zenoh refused.
    refused: Mutex<Vec<u32>>,
    notes: Mutex<Notes>,
}

/// Runs to the end of the sender's time; true if a signal ended it.
///
/// # Errors
/// The run could not be made, or not be written.
pub fn run(arguments: &Arguments, grants: Grants) -> Result<bool, String> {
    outcome::check_free(arguments)?;
    let session = session::open(arguments)?;
    let filling: Arc<[u8]> = sample::filling(arguments.size).into();
    let cameras: Vec<Arc<Camera>> =
        (1..=arguments.images).map(|number| Arc::new(Camera::new(number))).collect();
    let publishers = publishers(&session, arguments)?;
    let met = meet(&publishers, arguments);
    for (camera, publisher) in cameras.iter().zip(publishers) {
        let (camera, filling, arguments) = (Arc::clone(camera), Arc::clone(&filling), arguments.clone());
        thread::Builder::new()
            .name(session::key(camera.number))
            .spawn(move || camera.shoot(&publisher, &filling, &arguments))
            .map_err(|error| format!("no thread for a camera: {error}"))?;
    }
    let interrupted = machine::wait_until(arguments.sender_end_ns(), || false);
    let notes = all_notes(&cameras);
    let records = cameras.iter().flat_map(|camera| camera.records(arguments)).collect::<Vec<_>>();
    outcome::write(arguments, grants, met, &notes, records)?;
    Ok(interrupted)
}

fn publishers(session: &Session, arguments: &Arguments) -> Result<Vec<Publisher<'static>>, String> {
    let (reliability, congestion) = match arguments.qos {
        3 => (Reliability::Reliable, CongestionControl::Block),
        2 => (Reliability::Reliable, CongestionControl::Drop),
        _ => (Reliability::BestEffort, CongestionControl::Drop),
    };
    let publisher = |camera| {
        let builder = session.declare_publisher(session::key(camera));
        let builder = builder.reliability(reliability).congestion_control(congestion);
        builder.express(session::is_express(arguments)).wait().map_err(|error| format!("publisher: {error}"))
    };
    (1..=arguments.images).map(publisher).collect()
}

/// Waits until the receiver has asked for every camera, at most to the first tick.
fn meet(publishers: &[Publisher<'static>], arguments: &Arguments) -> bool {
    let all_match =
        || publishers.iter().all(|one| one.matching_status().wait().is_ok_and(|status| status.matching()));
    machine::wait_until(arguments.start_at_ns, all_match);
    all_match()
}

fn all_notes(cameras: &[Arc<Camera>]) -> Notes {
    let mut all = Notes::default();
    for camera in cameras {
        all.merge(&camera.notes.lock().unwrap_or_else(PoisonError::into_inner));
    }
    all
}

impl Camera {
    fn new(number: u32) -> Camera {
        Camera {
            number,
            given: AtomicU32::new(0),
            refused: Mutex::new(Vec::new()),
            notes: Mutex::new(Notes::default()),
        }
    }

    /// The camera's thread.
    fn shoot(&self, publisher: &Publisher<'static>, filling: &[u8], arguments: &Arguments) {
        for sequence in 0..arguments.samples {
            let capture_ns = arguments.tick_ns(sequence);
            while machine::now_ns() < capture_ns && !machine::is_stopped() {
                machine::sleep_until(capture_ns);
            }
            if machine::is_stopped() || machine::now_ns() >= arguments.sender_end_ns() {
                return;
            }
            let mut sample = filling.to_vec();
            Header { capture_ns, camera: self.number, sequence }.write(&mut sample);
            self.given.store(sequence + 1, Ordering::Release);
            if let Err(error) = publisher.put(ZBytes::from(sample)).wait() {
                self.refused.lock().unwrap_or_else(PoisonError::into_inner).push(sequence);
                let words = format!("put: {error}");
                self.notes.lock().unwrap_or_else(PoisonError::into_inner).add(&words);
            }
        }
    }

    /// One line for each tick: `lost` for what Zenoh got, which is all that is known here, `dropped` for the rest.
    fn records(&self, arguments: &Arguments) -> Vec<Record> {
        let given = self.given.load(Ordering::Acquire);
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let line = |sequence| {
            let is_given = sequence < given && refused.binary_search(&sequence).is_err();
            let outcome = if is_given { Outcome::Lost } else { Outcome::Dropped };
            outcome::record(self.number, sequence, arguments.tick_ns(sequence), None, outcome)
        };
        (0..arguments.samples).map(line).collect()
    }
}
