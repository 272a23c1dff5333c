//! `send`: one thread for each camera, each on the same ticks (PEER-10).
//!
//! A camera's thread waits for the tick and hands the sample to Zenoh, which may hold it there (`Block`); then the next
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
use crate::machine::{self, Alarm, Grants};
use crate::outcome::{self, End, Notes};
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

/// Runs to the end of the sender's time.
///
/// # Errors
/// The run could not be made, or not be written; the ends never met.
pub fn run(arguments: &Arguments, grants: Grants) -> Result<End, String> {
    outcome::check_free(arguments)?;
    let session = session::open(arguments)?;
    let filling: Arc<[u8]> = sample::filling(arguments.size).into();
    let cameras: Vec<Arc<Camera>> =
        (1..=arguments.images).map(|number| Arc::new(Camera::new(number))).collect();
    let publishers = publishers(&session, arguments)?;
    let met = meet(&publishers, arguments);
    for (camera, publisher) in cameras.iter().zip(&publishers) {
        let (publisher, camera, filling, arguments) =
            (Arc::clone(publisher), Arc::clone(camera), Arc::clone(&filling), arguments.clone());
        thread::Builder::new()
            .name(session::key(camera.number))
            .spawn(move || camera.shoot(&publisher, &filling, &arguments))
            .map_err(|error| format!("no thread for a camera: {error}"))?;
    }
    let interrupted = machine::wait_until(arguments.sender_end_ns(), || false);
    let ever_met = met || all_match(&publishers);
    let (now, notes) = (machine::now_ns(), all_notes(&cameras));
    let records = cameras.iter().flat_map(|camera| camera.records(arguments, now)).collect::<Vec<_>>();
    outcome::write(arguments, grants, met, &notes, records)?;
    outcome::end(arguments, interrupted, ever_met)
}

fn publishers(session: &Session, arguments: &Arguments) -> Result<Vec<Arc<Publisher<'static>>>, String> {
    let (reliability, congestion) = match arguments.qos {
        3 => (Reliability::Reliable, CongestionControl::Block),
        2 => (Reliability::Reliable, CongestionControl::Drop),
        _ => (Reliability::BestEffort, CongestionControl::Drop),
    };
    let publisher = |camera| {
        let builder = session.declare_publisher(session::key(camera));
        let builder = builder.reliability(reliability).congestion_control(congestion);
        let made = builder.express(session::is_express(arguments)).wait();
        made.map(Arc::new).map_err(|error| format!("publisher: {error}"))
    };
    (1..=arguments.images).map(publisher).collect()
}

/// Waits until the receiver has asked for every camera, at most to the first tick.
fn meet(publishers: &[Arc<Publisher<'static>>], arguments: &Arguments) -> bool {
    machine::wait_until(arguments.start_at_ns, || all_match(publishers));
    all_match(publishers)
}

fn all_match(publishers: &[Arc<Publisher<'static>>]) -> bool {
    publishers.iter().all(|one| one.matching_status().wait().is_ok_and(|status| status.matching()))
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
        let mut alarm = Alarm::new();
        for sequence in 0..arguments.samples {
            let capture_ns = arguments.tick_ns(sequence);
            // Before the tick: latency counts from it, and this is no work of the transport's.
            let mut sample = filling.to_vec();
            Header { capture_ns, camera: self.number, sequence }.write(&mut sample);
            alarm.wait(capture_ns);
            if machine::is_stopped() || machine::now_ns() >= arguments.sender_end_ns() {
                return;
            }
            self.given.store(sequence + 1, Ordering::Release);
            if let Err(error) = publisher.put(ZBytes::from(sample)).wait() {
                self.refused.lock().unwrap_or_else(PoisonError::into_inner).push(sequence);
                let words = format!("put: {error}");
                self.notes.lock().unwrap_or_else(PoisonError::into_inner).add(&words);
            }
        }
    }

    /// One line for each tick until `now_ns`: `lost` for what Zenoh got, which is all that is known here, `dropped` for the rest.
    fn records(&self, arguments: &Arguments, now_ns: u64) -> Vec<Record> {
        let given = self.given.load(Ordering::Acquire);
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let line = |sequence| {
            let is_given = sequence < given && refused.binary_search(&sequence).is_err();
            let outcome = if is_given { Outcome::Lost } else { Outcome::Dropped };
            outcome::record(self.number, sequence, arguments.tick_ns(sequence), None, outcome)
        };
        // A sender that is ended early has offered nothing of the ticks that were still to come.
        (0..arguments.samples).filter(|tick| arguments.tick_ns(*tick) <= now_ns).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::tests::arguments;

    #[test]
    fn a_sender_has_a_line_for_each_tick_that_came_and_none_for_those_to_come() {
        // PEER-21: ticks at 1, 11, 21, 31 and 41 ms.
        let (camera, arguments) = (Camera::new(2), arguments("send", &[]).unwrap());
        camera.given.store(2, Ordering::Release);
        camera.refused.lock().unwrap().push(0);
        let outcomes = |now_ns| -> Vec<Outcome> {
            camera.records(&arguments, now_ns).iter().map(|record| record.outcome).collect()
        };
        assert_eq!(outcomes(999_999), []);
        assert_eq!(outcomes(21_000_000), [Outcome::Dropped, Outcome::Lost, Outcome::Dropped]);
        assert_eq!(outcomes(u64::MAX).len(), 5);
    }
}
