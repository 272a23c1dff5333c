//! The target's side of a topic: the link gives, DDS takes. ROS2-13, ROS2-16, ROS2-36.
//!
//! One thread for each topic: a slow DDS reader of a keep_all topic holds it up for 100 ms at a time, and nobody else.

use std::sync::Arc;

use tokkyu_bridge::target::{Incoming, Intake, TargetThread, age_of};
use tokkyu_link::carrier::clock;
use tokkyu_link::core::Delivered;

use super::figures::{TargetCount, add, count};
use super::notice::{Notice, Notices};
use super::source::wall_now;
use crate::dds::{WriteError, Writer};

/// What a topic's thread works with.
pub(super) struct Sink {
    /// The topic, without leading slash.
    pub(super) topic: String,
    pub(super) writer: Writer,
    pub(super) count: Arc<TargetCount>,
    pub(super) notices: Notices,
}

/// Starts the thread that writes one topic.
pub(super) fn start(incoming: Incoming, sink: Sink) -> std::io::Result<TargetThread> {
    TargetThread::start("ros2-target", incoming, move |intake| sink.run(intake))
}

impl Sink {
    fn run(self, mut intake: Intake) {
        while let Some(turn) = intake.turn() {
            add(&self.count.received, turn.delivered);
            let has_time = |_: &&Delivered| turn.until.is_none_or(|until| clock::now() < until);
            turn.due.iter().take_while(has_time).for_each(|delivered| self.write(delivered));
            add(&self.count.stale, turn.stale);
        }
    }

    fn write(&self, delivered: &Delivered) {
        let source = wall_now().saturating_sub(age_of(delivered, clock::now()));
        match self.writer.write(&delivered.payload, source) {
            Ok(()) => {
                count(&self.count.written);
                add(&self.count.bytes, delivered.payload.len() as u64);
            }
            Err(error) => {
                count(&self.count.refused);
                self.complain(&error);
            }
        }
    }

    fn complain(&self, error: &WriteError) {
        let what = match error {
            WriteError::Full => "a reader takes no more samples: they are lost to it".to_owned(),
            other => other.to_string(),
        };
        self.notices.post(Notice::Topic { topic: self.topic.clone(), what });
    }
}
