//! Threads for callbacks that others must not delay (NODE-66).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokkyu_contract::Class;
use tokkyu_contract::class::LinuxSched;

use crate::log::Log;
use crate::posix;
use crate::queue::Queue;

/// A queue with its thread for each class that has one.
#[derive(Default)]
pub(crate) struct Threads {
    of: Mutex<BTreeMap<Class, Own>>,
}

type Own = (Arc<Queue>, JoinHandle<()>);

/// Whether callbacks of that class have a thread of their own.
pub(crate) fn has_own(class: Class) -> bool {
    matches!(class, Class::Control | Class::Realtime)
}

impl Threads {
    /// The queue of a class. Its thread is started with the first one who asks; nothing: the system gives no thread.
    pub(crate) fn queue(&self, class: Class, log: &Arc<Log>) -> Option<Arc<Queue>> {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((queue, _)) = of.get(&class) {
            return Some(queue.clone());
        }
        let queue = Queue::new();
        let (own, log) = (queue.clone(), log.clone());
        let run = move || {
            take_priority(class, &log);
            own.spin();
        };
        let name = format!("tokkyu-{}", class.as_str());
        let thread = std::thread::Builder::new().name(name).spawn(run).ok()?;
        of.insert(class, (queue.clone(), thread));
        Some(queue)
    }

    pub(crate) fn stop(&self) {
        let of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        of.values().for_each(|(queue, _)| queue.stop());
    }

    /// Waits for all of them to end, but for the one that asks.
    pub(crate) fn join(&self) {
        let of = std::mem::take(&mut *self.of.lock().unwrap_or_else(PoisonError::into_inner));
        for (_, thread) in of.into_values() {
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

fn take_priority(class: Class, log: &Log) {
    let LinuxSched::Fifo(priority) = class.priorities().linux else { return };
    if let Err(error) = posix::be_fifo(priority) {
        log.write(
            tokkyu_graph::Level::Info,
            format_args!(
                "callbacks of class {} have a thread, but not SCHED_FIFO {priority}: {error}; allow it with ulimit -r",
                class.as_str()
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;
    use crate::queue::{Step, Work};

    /// Tells the scheduling of the thread that it is called in, once.
    struct Scheduling(Option<Sender<(i32, i32)>>);

    impl Work for Scheduling {
        fn step(&mut self) -> Step {
            let Some(tell) = self.0.take() else { return Step::Idle };
            let mut parameters = libc::sched_param { sched_priority: -1 };
            // SAFETY: 0 is the calling thread, and there is room for the parameters.
            let policy = unsafe {
                libc::sched_getparam(0, &raw mut parameters);
                libc::sched_getscheduler(0)
            };
            tell.send((policy, parameters.sched_priority)).expect("the test hears");
            Step::Called
        }

        fn has_waiting(&mut self) -> bool {
            false
        }

        fn discard(&mut self) {}
    }

    /// NODE-66.
    #[test]
    fn callbacks_of_a_class_are_called_with_its_priority() {
        let refused = std::thread::spawn(|| posix::be_fifo(1)).join().expect("it ends").err();
        for class in [Class::Control, Class::Realtime] {
            let (threads, (tell, hear)) = (Threads::default(), channel());
            let log = Arc::new(Log::new("/test", Arc::default()));
            let queue = threads.queue(class, &log).expect("a thread");
            queue.add(queue.source(), class, Box::new(Scheduling(Some(tell))));
            let found = hear.recv().expect("it is called, with the priority or without");
            threads.stop();
            threads.join();
            let LinuxSched::Fifo(priority) = class.priorities().linux else { panic!("{class} has none") };
            match &refused {
                None => assert_eq!(found, (libc::SCHED_FIFO, priority.into()), "{class}"),
                Some(error) => println!("skipped: SCHED_FIFO of {class}: {error}"),
            }
        }
    }
}
