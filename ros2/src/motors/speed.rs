//! The speed that a base tells: a reader, and the thread that waits for it. DRV-117.
//!
//! A thread of its own sees a sample when it comes; whoever looked now and then would take an old one for new.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokkyu_contract::yaml::output::{Ros, SpeedMessage, SpeedTopic};
use tokkyu_contract::{History, Qos, Reliability, WallTime};

use super::error::MotorsError;
use super::messages;
use crate::bridge::wall_now;
use crate::dds::{DdsError, Participant, Reader, WaitSet};
use crate::endpoint::Representation;
use crate::names::{dds_topic, dds_type};

/// For the types' names; no domain matters to them.
const ROS: Ros = Ros::Two { domain: None };
/// Between two looks at whether it is over, while nothing comes.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// What was written so long ago says nothing about now. Writer and reader are on one host, and have one clock.
const WORTH: Duration = Duration::from_millis(300);
/// Of a reader that DDS refuses to wait for.
const AFTER_ERROR: Duration = Duration::from_millis(10);

/// Dropping it waits for its thread.
pub(super) struct SpeedReader {
    is_over: Arc<AtomicBool>,
    bell: Arc<WaitSet>,
    thread: Option<JoinHandle<()>>,
}

impl SpeedReader {
    pub(super) fn start(
        participant: &Arc<Participant>,
        speed: &SpeedTopic,
        on_speed: impl Fn(f32) + Send + 'static,
    ) -> Result<SpeedReader, MotorsError> {
        // Any writer serves it, and a speed that is lost is followed by another.
        let qos = Qos {
            reliability: Reliability::BestEffort,
            history: History::KeepLast { depth: 1 },
            ..Qos::default()
        };
        let type_name = dds_type(speed.message.type_name(ROS)).unwrap_or_default();
        let topic = dds_topic(&speed.topic);
        let reader = Reader::new(participant, &topic, &type_name, &qos, Representation::Xcdr1, b"")?;
        let bell = Arc::new(WaitSet::new(participant)?);
        bell.attach(&reader, 0)?;
        let (is_over, message) = (Arc::new(AtomicBool::new(false)), speed.message);
        let (ends, waits) = (Arc::clone(&is_over), Arc::clone(&bell));
        let run = move || {
            while !ends.load(Ordering::Relaxed) {
                // A reader that cannot be waited for tells no speed, and a vehicle without one stops for the longest time.
                if waits.wait(LOOK_EVERY).and_then(|_| take(&reader, message, &on_speed)).is_err() {
                    thread::sleep(AFTER_ERROR);
                }
            }
        };
        let thread = thread::Builder::new().name("ros2-speed".to_owned()).spawn(run);
        Ok(SpeedReader { is_over, bell, thread: Some(thread.map_err(MotorsError::Thread)?) })
    }
}

fn take(reader: &Reader, message: SpeedMessage, on_speed: &impl Fn(f32)) -> Result<(), DdsError> {
    while let Some(taken) = reader.take()? {
        let fresh = Some(&taken.payload).filter(|_| is_fresh(taken.source, wall_now()));
        if let Some(speed) = fresh.and_then(|payload| messages::speed_mps(payload, message)) {
            on_speed(speed);
        }
    }
    Ok(())
}

/// Whether what was written at `source` says something at `now`. One from a time to come tells that the clock was set: how old
/// it is nobody knows.
fn is_fresh(source: WallTime, now: WallTime) -> bool {
    let apart = source.as_nanos().abs_diff(now.as_nanos());
    Duration::from_nanos(apart) <= WORTH
}

impl Drop for SpeedReader {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.bell.ring();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_that_was_written_too_long_ago_or_in_a_time_to_come_is_none() {
        let at = |ms: u64| WallTime::from_nanos(ms * 1_000_000);
        let fresh = [0, 9_699, 9_700, 10_000, 10_300, 10_301].map(|ms| is_fresh(at(ms), at(10_000)));
        assert_eq!(fresh, [false, false, true, true, true, false]);
    }
}
