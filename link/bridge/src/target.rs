//! The thread of one topic at the target: what the link gives it, in its order. ROS2-16, ROS2-36, NODE-96, NODE-99.
//!
//! One thread for each topic: whatever holds one up holds up nobody else. What waits for it meanwhile is the link's
//! subscriber queue, which holds `depth` samples. It waits in [`Intake::turn`], and as long as its own work takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokkyu_contract::{Class, MonoTime, Qos, TraceId};
use tokkyu_link::carrier::clock;
use tokkyu_link::carrier::realtime::{self, RealTime};
use tokkyu_link::core::Delivered;
use tokkyu_link::runtime::{Sample, Subscriber};

use crate::deaths::Deaths;
use crate::order::{Numbered, Order};

/// Between two looks at whether the thread is to end.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Between two looks while a sample waits for another.
const LOOK_SOON: Duration = Duration::from_millis(5);
/// Missed numbers that wait for the thread at most.
const MISSED: usize = 1024;
/// Longest time in which a topic that goes takes what the link has given already.
const FINISH_MAX: Duration = Duration::from_secs(1);
/// An estimate of the age that may be off by more is none.
const ERROR_MAX: Duration = Duration::from_secs(1);

/// A topic to be given out.
pub struct Incoming {
    /// Where its samples come from.
    pub subscriber: Subscriber,
    /// Its QoS.
    pub qos: Qos,
    /// Class of the flow it belongs to.
    pub class: Class,
    /// The thread's `SCHED_FIFO` priority.
    pub fifo_priority: Option<u8>,
    /// The topic's thread before this one: it gives out what it has first.
    pub former: Option<TargetThread>,
    /// Where the thread tells that it died.
    pub deaths: Deaths,
}

/// The thread that gives out one topic. Dropping it waits for its end.
pub struct TargetThread {
    missed: SyncSender<TraceId>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TargetThread {
    /// Starts `run` in a thread called `name`, once the former one has ended.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(
        name: &str,
        incoming: Incoming,
        run: impl FnOnce(Intake) + Send + 'static,
    ) -> std::io::Result<TargetThread> {
        let Incoming { subscriber, qos, class, fifo_priority, former, deaths } = incoming;
        let (missed, told) = sync_channel(MISSED);
        let is_over = Arc::<AtomicBool>::default();
        let order = Order::new(&qos, class);
        let intake = Intake { subscriber, order, told, is_over: Arc::clone(&is_over), phase: Phase::Open };
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            // What is refused has been told by the link's own thread, which asks for more.
            realtime::apply(&RealTime { fifo_priority, lock_memory: false, cores: Vec::new() });
            let _watched = deaths.watch();
            drop(former);
            run(intake);
        })?;
        Ok(TargetThread { missed, is_over, thread: Some(thread) })
    }

    /// The topic goes: the thread gives out what waits for it, then ends. Does not wait for that.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Whether it did.
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// A sample of the peer's will never come; it may be of this topic.
    pub fn on_missed(&self, id: TraceId) {
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

/// What comes in of one topic.
pub struct Intake {
    subscriber: Subscriber,
    order: Order<Delivered>,
    told: Receiver<TraceId>,
    is_over: Arc<AtomicBool>,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// The topic goes: what is there is given out, until then at most.
    Closing {
        until: MonoTime,
    },
    /// It was.
    Closed,
}

/// What came in at one turn.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Samples the link gave.
    pub delivered: u64,
    /// Samples that came too late for their order, or for the second time.
    pub stale: u64,
    /// Those whose turn it is, in their order.
    pub due: Vec<Delivered>,
    /// Of the last turn: until when there is time for what waited for its order.
    pub until: Option<MonoTime>,
}

impl Intake {
    /// Waits a moment for what comes in. `None` once the topic goes, or the link is closed, and all that was there is
    /// given.
    pub fn turn(&mut self) -> Option<Turn> {
        let is_over = self.is_over.load(Ordering::Relaxed) || self.subscriber.is_closed();
        if self.phase == Phase::Open && is_over {
            self.phase = Phase::Closing { until: clock::now() + FINISH_MAX };
        }
        match self.phase {
            Phase::Open => {
                let wait = if self.order.deadline().is_some() { LOOK_SOON } else { LOOK_EVERY };
                let sample = self.subscriber.receive(wait);
                Some(self.take(sample))
            }
            Phase::Closing { until } => Some(self.take_what_is_there(until)),
            Phase::Closed => None,
        }
    }

    /// Who publishes once may go at once: what the link has given already is given out, then what waits for its order.
    fn take_what_is_there(&mut self, until: MonoTime) -> Turn {
        if clock::now() < until
            && let Some(sample) = self.subscriber.receive(Duration::ZERO)
        {
            return self.take(Some(sample));
        }
        self.phase = Phase::Closed;
        Turn { due: self.order.finish(), until: Some(until), ..Turn::default() }
    }

    fn take(&mut self, sample: Option<Sample>) -> Turn {
        let now = clock::now();
        let mut turn = Turn { delivered: u64::from(sample.is_some()), ..Turn::default() };
        if let Some(Sample { session, delivered }) = sample {
            let (TraceId { flow, sequence }, capture) = (delivered.id, delivered.capture);
            turn.due =
                self.order.on_sample(now, Numbered { session, flow, sequence, capture, sample: delivered });
        }
        while let Ok(id) = self.told.try_recv() {
            turn.due.extend(self.order.on_missed(id.flow, id.sequence));
        }
        turn.due.extend(self.order.on_time(now));
        turn.stale = self.order.take_stale();
        turn
    }
}

/// A sample's age at `now`. Before the peer's clock is known it counts as new.
pub fn age_of(delivered: &Delivered, now: MonoTime) -> Duration {
    match delivered.age_error <= ERROR_MAX {
        true => delivered.age + now.since(delivered.at),
        false => Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use tokkyu_contract::{FlowId, PeerTime};

    #[test]
    fn a_sample_ages_while_it_waits_here_and_is_new_while_the_clocks_are_not_known() {
        let id = TraceId { flow: FlowId(1), sequence: 0 };
        let of = |age_error| Delivered {
            subscription: FlowId(1),
            id,
            payload: Bytes::new(),
            capture: PeerTime::from_millis(9),
            age: Duration::from_millis(30),
            age_error,
            at: MonoTime::from_millis(100),
        };
        let age = |error_ms| age_of(&of(Duration::from_millis(error_ms)), MonoTime::from_millis(150));
        assert_eq!([age(0), age(1_000), age(1_001)].map(|age| age.as_millis()), [80, 80, 0]);
    }
}
