//! Locks with priority inheritance (NRT-3, NRT-4).
//!
//! ```text
//!            lock: 0 → own number            another waits: bit, under the mutex            unlock: own number → 0
//!   free ───────────────────────► taken ───────────────────────────────► waited for    taken ──────────────────────► free
//!                                                                            │ unlock: under the mutex
//!                                                  handed to the most urgent ◄┘ which is woken
//! ```
//!
//! Once the bit is there the word changes under the mutex alone, so that who has it cannot go while it is lent a priority.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use tokkyu_callbacks::port::Lock;
use tokkyu_rtos::OWN_PRIORITY;

use crate::system::{Rtos, System};
use crate::waiters::{Queued, Waiter};

/// Somebody waits for it.
const WAITED: u32 = 1 << 31;

impl<S: System> Lock for Rtos<S> {
    fn lock(&self, word: &AtomicU32) {
        let own = self.task();
        if word.compare_exchange(0, own as u32, Acquire, Relaxed).is_err() {
            self.wait_for(word, own);
        }
    }

    fn unlock(&self, word: &AtomicU32) {
        let own = self.task();
        if word.compare_exchange(own as u32, 0, Release, Relaxed).is_err() {
            self.hand_over(word, own);
        }
    }
}

impl<S: System> Rtos<S> {
    /// With the mutex, whose ceiling keeps who has it from being held up.
    fn with_mutex<T>(&self, act: impl FnOnce() -> T) -> T {
        let (kernel, mutex) = (self.0.kernel(), self.0.mutex());
        let locked = kernel.loc_mtx(mutex);
        assert!(locked.is_ok(), "a lock of nodes is waited for where nothing can wait (NRT-5): {locked:?}");
        let answer = act();
        let unlocked = kernel.unl_mtx(mutex);
        debug_assert_eq!(unlocked, Ok(()), "it was locked by this task");
        answer
    }

    fn queued(&self, task: i32) -> &'static Queued {
        &self.0.waiters().of(task).queued
    }

    #[cold]
    fn wait_for(&self, word: &AtomicU32, own: i32) {
        let queued = self.queued(own);
        // Not with the mutex, at whose ceiling it runs.
        if queued.base.load(Relaxed) == 0 {
            queued.begin(self.0.kernel().get_pri(own).unwrap_or(1) as u8);
        }
        if !self.with_mutex(|| self.queue_up(word, own)) {
            return;
        }
        while !queued.word.load(Acquire).is_null() {
            // A wake-up that was for something else is one for nothing here.
            let _ = self.0.kernel().slp_tsk();
        }
    }

    /// False: it was free meanwhile, and is the task's own.
    fn queue_up(&self, word: &AtomicU32, own: i32) -> bool {
        loop {
            let now = word.load(Relaxed);
            let after = if now == 0 { own as u32 } else { now | WAITED };
            if word.compare_exchange(now, after, Acquire, Relaxed).is_err() {
                continue;
            }
            if now == 0 {
                return false;
            }
            break;
        }
        let queued = self.queued(own);
        let others = self.0.waiters().iter(self.0.kernel()).map(|(_, waiter)| &waiter.queued);
        let last =
            others.filter(|other| !other.word.load(Relaxed).is_null()).map(|other| other.turn.load(Relaxed));
        queued.turn.store(last.max().map_or(0, |turn| turn + 1), Relaxed);
        queued.word.store(core::ptr::from_ref(word).cast_mut(), Relaxed);
        self.lend(word, queued.level.load(Relaxed));
        true
    }

    /// Has who has a lock, and whoever that one waits for, run with this priority at least.
    fn lend(&self, word: &AtomicU32, level: u8) {
        let mut word = core::ptr::from_ref(word);
        while !word.is_null() {
            // SAFETY: somebody waits for it, so that it is where it was (the mutex keeps all of them waiting).
            let owner = (unsafe { &*word }.load(Relaxed) & !WAITED) as i32;
            let queued = self.queued(owner);
            if queued.base.load(Relaxed) == 0 {
                queued.begin(self.0.kernel().get_pri(owner).unwrap_or(1) as u8);
            }
            if queued.level.load(Relaxed) <= level {
                return;
            }
            self.run_with(owner, level);
            word = queued.word.load(Relaxed);
        }
    }

    fn run_with(&self, task: i32, level: u8) {
        self.queued(task).level.store(level, Relaxed);
        let changed = self.0.kernel().chg_pri(task, i32::from(level));
        debug_assert!(changed.is_ok(), "priority {level} of task {task}: {changed:?}");
    }

    #[cold]
    fn hand_over(&self, word: &AtomicU32, own: i32) {
        self.with_mutex(|| {
            let urgency = |waiter: &Waiter| {
                let Queued { level, turn, .. } = &waiter.queued;
                (level.load(Relaxed), turn.load(Relaxed))
            };
            let waits = |(_, waiter): &(i32, &Waiter)| waiter.queued.waits_for(word);
            let (next, waiter) = self
                .0
                .waiters()
                .iter(self.0.kernel())
                .filter(waits)
                .min_by_key(|(_, waiter)| urgency(waiter))?;
            // It owns the word before it is told so.
            let is_last = self.0.waiters().iter(self.0.kernel()).filter(waits).count() == 1;
            word.store(next as u32 | if is_last { 0 } else { WAITED }, Release);
            waiter.queued.word.store(core::ptr::null_mut(), Release);
            // Before this one is less urgent: somebody in between would have the processor first. One that is awake, or about to be, looks.
            let _ = self.0.kernel().wup_tsk(next);
            self.give_back_priority(own);
            Some(())
        });
    }

    /// The priority of those that wait for what a task still has, or its own.
    fn give_back_priority(&self, own: i32) {
        let has = |waiter: &Waiter| {
            // SAFETY: as in `lend`.
            let word = unsafe { waiter.queued.word.load(Relaxed).as_ref() };
            word.is_some_and(|word| word.load(Relaxed) & !WAITED == own as u32)
        };
        let waiting = self.0.waiters().iter(self.0.kernel()).filter(|(_, waiter)| has(waiter));
        let lent = waiting.map(|(_, waiter)| waiter.queued.level.load(Relaxed)).min();
        let base = self.queued(own).base.load(Relaxed);
        let level = lent.map_or(base, |lent| lent.min(base));
        if base != 0 && level != self.queued(own).level.load(Relaxed) {
            self.run_with(own, level);
        }
    }
}

const _: () = assert!(OWN_PRIORITY == 0, "no level of a task");
