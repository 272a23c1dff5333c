//! The target's side of a topic: the link gives, DDS takes. ROS2-13, ROS2-16, ROS2-36.
//!
//! One thread for each topic: a slow DDS reader of a keep_all topic holds it up for 100 ms at a time, and nobody else. What
//! waits for it meanwhile is the link's subscriber queue, which holds `depth` samples.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokkyu_bridge::order::{Numbered, Order};
use tokkyu_contract::{MonoTime, TraceId};
use tokkyu_link::carrier::clock;
use tokkyu_link::carrier::realtime::{self, RealTime};
use tokkyu_link::core::Delivered;
use tokkyu_link::runtime::{Sample, Subscriber};

use super::figures::{TargetCount, add, count};
use super::notice::{Notice, Notices};
use super::source::wall_now;
use crate::dds::{WriteError, Writer};
use crate::graph::Opening;

/// Between two looks at whether the thread is to end.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Between two looks while a sample waits for another.
const LOOK_SOON: Duration = Duration::from_millis(5);
/// Missed numbers that wait for the thread at most.
const MISSED: usize = 1024;
/// Longest time in which a topic that goes writes what waits.
const FINISH_MAX: Duration = Duration::from_secs(1);
/// An estimate of the age that may be off by more is none.
const ERROR_MAX: Duration = Duration::from_secs(1);

/// What a topic's thread works with.
pub(super) struct Sink {
    pub(super) opening: Opening,
    pub(super) subscriber: Subscriber,
    pub(super) writer: Writer,
    pub(super) count: Arc<TargetCount>,
    pub(super) fifo_priority: Option<u8>,
    pub(super) notices: Notices,
    /// The topic's thread before this one: it writes what it has first.
    pub(super) former: Option<TargetThread>,
}

/// The thread that writes one topic. Dropping it waits for its end.
pub(super) struct TargetThread {
    missed: SyncSender<TraceId>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TargetThread {
    pub(super) fn start(sink: Sink) -> std::io::Result<TargetThread> {
        let (missed, told) = sync_channel(MISSED);
        let is_over = Arc::new(AtomicBool::new(false));
        let writing = Writing {
            order: Order::new(&sink.opening.topic.qos, sink.opening.class),
            sink,
            told,
            is_over: Arc::clone(&is_over),
        };
        let thread =
            std::thread::Builder::new().name("ros2-target".to_owned()).spawn(move || writing.run())?;
        Ok(TargetThread { missed, is_over, thread: Some(thread) })
    }

    /// The topic goes: the thread writes what waits for it, then ends. Does not wait for that.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// A sample of the peer's will never come; it may be of this topic.
    pub(super) fn on_missed(&self, id: TraceId) {
        // A thread that is so far behind goes on after its hold time.
        let _ = self.missed.try_send(id);
    }
}

impl Drop for TargetThread {
    fn drop(&mut self) {
        self.end();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Writing {
    sink: Sink,
    order: Order<Delivered>,
    told: Receiver<TraceId>,
    is_over: Arc<AtomicBool>,
}

impl Writing {
    fn run(mut self) {
        let real_time =
            RealTime { fifo_priority: self.sink.fifo_priority, lock_memory: false, cores: Vec::new() };
        realtime::apply(&real_time);
        drop(self.sink.former.take());
        while !self.is_over.load(Ordering::Relaxed) {
            let wait = if self.order.deadline().is_some() { LOOK_SOON } else { LOOK_EVERY };
            let sample = self.sink.subscriber.receive(wait);
            self.turn(sample);
        }
        self.finish();
    }

    /// Writes what the link has given already: a writer may publish and go at once.
    fn finish(&mut self) {
        let until = clock::now() + FINISH_MAX;
        while clock::now() < until
            && let Some(sample) = self.sink.subscriber.receive(Duration::ZERO)
        {
            self.turn(Some(sample));
        }
        let rest = self.order.finish();
        rest.iter().take_while(|_| clock::now() < until).for_each(|delivered| self.write(delivered));
    }

    fn turn(&mut self, sample: Option<Sample>) {
        let now = clock::now();
        let mut due = match sample {
            Some(sample) => self.on_sample(now, sample),
            None => Vec::new(),
        };
        while let Ok(id) = self.told.try_recv() {
            due.extend(self.order.on_missed(id.flow, id.sequence));
        }
        due.extend(self.order.on_time(now));
        due.iter().for_each(|delivered| self.write(delivered));
        add(&self.sink.count.stale, self.order.take_stale());
    }

    fn on_sample(&mut self, now: MonoTime, sample: Sample) -> Vec<Delivered> {
        count(&self.sink.count.received);
        let Sample { session, delivered } = sample;
        let (TraceId { flow, sequence }, capture) = (delivered.id, delivered.capture);
        self.order.on_sample(now, Numbered { session, flow, sequence, capture, sample: delivered })
    }

    fn write(&self, delivered: &Delivered) {
        let count_of = &self.sink.count;
        let source = wall_now().saturating_sub(age_of(delivered));
        match self.sink.writer.write(&delivered.payload, source) {
            Ok(()) => {
                count(&count_of.written);
                add(&count_of.bytes, delivered.payload.len() as u64);
            }
            Err(error) => {
                count(&count_of.refused);
                self.complain(&error);
            }
        }
    }

    fn complain(&self, error: &WriteError) {
        let what = match error {
            WriteError::Full => "a reader takes no more samples: they are lost to it".to_owned(),
            other => other.to_string(),
        };
        self.sink.notices.post(Notice::Topic { topic: self.sink.opening.topic.name.clone(), what });
    }
}

/// A sample's age now. Before the peer's clock is known it counts as written now.
fn age_of(delivered: &Delivered) -> Duration {
    match delivered.age_error <= ERROR_MAX {
        true => delivered.age + clock::now().since(delivered.at),
        false => Duration::ZERO,
    }
}
