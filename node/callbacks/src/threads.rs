//! Threads for callbacks that others must not delay (NODE-66).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;

use tokkyu_contract::Class;

use crate::log::Log;
use crate::port::{Task, port};
use crate::queue::Queue;
use crate::sync::Mutex;

/// A queue with its thread for each class that has one.
#[derive(Default)]
pub(crate) struct Threads {
    of: Mutex<BTreeMap<Class, Own>>,
}

type Own = (Arc<Queue>, Box<dyn Task>);

/// Whether callbacks of that class have a thread of their own.
pub(crate) fn has_own(class: Class) -> bool {
    matches!(class, Class::Control | Class::Realtime)
}

impl Threads {
    /// The queue of a class. Its thread is started with the first one who asks; nothing: the system gives no thread.
    pub(crate) fn queue(&self, class: Class, log: &Arc<Log>) -> Option<Arc<Queue>> {
        let mut of = self.of.lock();
        if let Some((queue, _)) = of.get(&class) {
            return Some(queue.clone());
        }
        let queue = Queue::new();
        let (own, log) = (queue.clone(), log.clone());
        let run = move |has_priority| {
            tell(class, has_priority, &log);
            own.spin();
        };
        let name = format!("tokkyu-{}", class.as_str());
        let thread = port().spawn(&name, Some(class), Box::new(run)).ok()?;
        of.insert(class, (queue.clone(), thread));
        Some(queue)
    }

    pub(crate) fn stop(&self) {
        let of = self.of.lock();
        of.values().for_each(|(queue, _)| queue.stop());
    }

    /// Waits for all of them to end, but for the one that asks.
    pub(crate) fn join(&self) {
        let of = core::mem::take(&mut *self.of.lock());
        for (_, thread) in of.into_values() {
            if !thread.is_me() {
                thread.join();
            }
        }
    }
}

fn tell(class: Class, has_priority: Result<(), String>, log: &Log) {
    if let Err(error) = has_priority {
        log.write(
            tokkyu_graph::Level::Info,
            format_args!("callbacks of class {} have a thread, but not {error}", class.as_str()),
        );
    }
}
