//! Who subscribes to a topic of ours, and who wants to know.

use alloc::boxed::Box;
use core::sync::atomic::{AtomicU32, Ordering};

use tokkyu_graph::Audience;

use crate::port::{Runner, port};
use crate::sync::{Condition, Mutex, MutexGuard};

/// How many subscribe, and who wants to know.
#[derive(Default)]
pub(crate) struct Subscribers {
    pub(crate) count: AtomicU32,
    on_change: Option<OnChange>,
    telling: Mutex<Telling>,
    /// Told when `on_change` has returned.
    told: Condition,
}

#[derive(Default)]
struct Telling {
    /// The thread that is in `on_change`: the network's.
    by: Option<Runner>,
    /// The publisher was dropped.
    is_over: bool,
}

/// Called with the name of who came (true) or left, in the network's thread, until the last copy of the publisher is dropped.
pub type OnChange = Box<dyn Fn(&str, bool) + Send + Sync>;

impl Subscribers {
    pub(crate) fn new(on_change: Option<OnChange>) -> Subscribers {
        Subscribers { on_change, ..Subscribers::default() }
    }

    fn telling(&self) -> MutexGuard<'_, Telling> {
        self.telling.lock()
    }

    fn tell(&self, callerid: &str, is_new: bool, count: u32) {
        self.count.store(count, Ordering::Relaxed);
        let Some(on_change) = &self.on_change else { return };
        let mut telling = self.telling();
        if telling.is_over {
            return;
        }
        telling.by = Some(port().me());
        drop(telling);
        let _told = Told(self);
        on_change(callerid, is_new);
    }

    /// Nobody is told any more, and no other thread is telling.
    pub(crate) fn end(&self) {
        let mut telling = self.telling();
        telling.is_over = true;
        let me = port().me();
        while telling.by.is_some_and(|by| by != me) {
            telling = self.told.wait(telling);
        }
    }
}

/// Somebody is being told, also if that panics.
struct Told<'s>(&'s Subscribers);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        self.0.telling().by = None;
        self.0.told.notify_all();
    }
}

impl Audience for Subscribers {
    fn on_subscriber(&self, callerid: &str, count: u32) {
        self.tell(callerid, true, count);
    }

    fn on_left(&self, callerid: &str, count: u32) {
        self.tell(callerid, false, count);
    }
}
