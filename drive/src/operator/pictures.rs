//! The threads that receive pictures, one for each camera.
//!
//! Run at the real-time priority of pictures, because a subscription keeps as few samples as its history says. A sample
//! is checked and handed on; nothing here waits but for the next one, at most [`LONGEST_WAIT`]. It has arrived when this
//! thread has it (DRV-85).

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bytes::Bytes;
use tokkyu_link::carrier::clock;
use tokkyu_link::runtime::{Sample, Subscriber};

use super::sight::Sight;
use crate::camera::dummy;
use crate::control::Age;
use crate::picture::{Encoding, Picture};
use crate::program::wiring::make_real_time;
use crate::program::{Arrived, DriveError, Mail, RealTimeGrant, StopFlag, captured};
use crate::save::{self, Saver};

/// Longest time between two looks at the flag.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// What the threads tell the main thread.
#[derive(Debug)]
pub(super) enum Report {
    /// A picture arrived.
    Picture {
        arrived: Arrived,
        bytes: usize,
        /// What is wrong with its content.
        fault: Option<String>,
        /// Bound of the error of its age; `Duration::MAX` before the link knows the peer's clock.
        age_error: Duration,
    },
    /// The thread of a camera ended, after so many samples gave way because it was slow.
    Ended { overrun: u64 },
    /// What the scheduler granted.
    RealTime(Vec<RealTimeGrant>),
}

/// One thread's belongings.
pub(super) struct Pictures {
    pub(super) stream: usize,
    pub(super) name: Arc<str>,
    pub(super) subscriber: Subscriber,
    pub(super) saver: Option<Arc<Saver>>,
    pub(super) sight: Arc<Sight>,
    pub(super) same_clock: bool,
    pub(super) fifo_priority: Option<u8>,
    pub(super) mail: Mail<Report>,
    pub(super) stop: StopFlag,
}

impl Pictures {
    /// Starts the thread.
    pub(super) fn start(self) -> Result<JoinHandle<()>, DriveError> {
        let thread = thread::Builder::new().name(format!("pic-{}", self.name));
        thread.spawn(move || self.run()).map_err(DriveError::Thread)
    }

    fn run(self) {
        self.mail.post(Report::RealTime(make_real_time(&self.name, self.fifo_priority)));
        while !self.stop.is_set() && !self.subscriber.is_closed() {
            if let Some(sample) = self.subscriber.receive(LONGEST_WAIT) {
                self.on_sample(&sample);
            }
        }
        // What arrived before the end still counts.
        while let Some(sample) = self.subscriber.receive(Duration::ZERO) {
            self.on_sample(&sample);
        }
        self.mail.post(Report::Ended { overrun: self.subscriber.overrun() });
    }

    fn on_sample(&self, sample: &Sample) {
        let arrival = clock::now();
        let delivered = &sample.delivered;
        let (number, fault) = read(&delivered.payload);
        let arrived = Arrived {
            stream: self.stream,
            session: sample.session,
            id: delivered.id,
            number,
            capture: captured(delivered, self.same_clock),
            arrival,
        };
        if fault.is_none() {
            self.tell_sight(&arrived, delivered.age_error);
        }
        if let Some(saver) = &self.saver {
            saver.offer(save::Arrived {
                camera: Arc::clone(&self.name),
                sequence: u64::from(number.unwrap_or(delivered.id.sequence)),
                captured: arrived.capture,
                arrived: arrival,
                sample: delivered.payload.clone(),
            });
        }
        let (bytes, age_error) = (delivered.payload.len(), delivered.age_error);
        self.mail.post(Report::Picture { arrived, bytes, fault, age_error });
    }

    /// A stamp on a clock that both ends share is exact.
    fn tell_sight(&self, arrived: &Arrived, age_error: Duration) {
        let estimate = arrived.arrival.since(arrived.capture);
        let error = if self.same_clock { Duration::ZERO } else { age_error };
        self.sight.on_picture(self.stream, arrived.session, arrived.arrival, Age { estimate, error });
    }
}

/// Number of the picture in `sample`, and what is wrong with it.
fn read(sample: &Bytes) -> (Option<u32>, Option<String>) {
    match Picture::decode(sample) {
        Err(error) => (None, Some(error.to_string())),
        Ok(picture) if picture.encoding == Encoding::Opaque && !dummy::verify(&picture.data) => {
            (Some(picture.sequence), Some("the content is not what was sent".to_owned()))
        }
        Ok(picture) => (Some(picture.sequence), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Camera, Dummy};
    use tokkyu_contract::MonoTime;

    #[test]
    fn one_changed_byte_of_a_dummy_is_a_fault_and_the_number_is_still_read() {
        let frame = Dummy::new(1_000).unwrap().next(MonoTime::ZERO).unwrap();
        let sample = Picture { sequence: 7, ..Picture::from(frame) }.encode().unwrap();
        assert_eq!(read(&sample), (Some(7), None));
        let mut changed = sample.to_vec();
        changed[300] ^= 1;
        let (number, fault) = read(&changed.into());
        assert!(number == Some(7) && fault.is_some());
        assert_eq!(read(&Bytes::from_static(b"no picture at all, is it?")).0, None);
    }
}
