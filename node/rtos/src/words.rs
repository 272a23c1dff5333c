//! Sleeping at words, and waking who does (NRT-2).
//!
//! ```text
//!  wait: lock ─ the word is as it was? ─ note it ─ unlock ─ slp_tsk ──┐
//!  wake:        change the word ─ lock ─ strike it out ─ unlock ─ wup_tsk: kept, if it comes before slp_tsk
//! ```

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

use tokkyu_callbacks::port::Sleeper;
use tokkyu_contract::MonoTime;
use tokkyu_rtos::Timeout;

use crate::system::{Rtos, System};
use crate::waiters::Waiter;

fn address(word: &AtomicU32) -> usize {
    core::ptr::from_ref(word).addr()
}

impl<S: System> Sleeper for Rtos<S> {
    fn sleep_until(&self, time: MonoTime) {
        loop {
            match self.left_us(time) {
                0 => return,
                // A wait that another task ends is begun again.
                left_us => drop(self.0.kernel().dly_tsk(left_us)),
            }
        }
    }

    fn wait(&self, word: &AtomicU32, is: u32, until: Option<MonoTime>) {
        let kernel = self.0.kernel();
        let task = self.task();
        let own = self.0.waiters().of(task);
        let timeout = match until.map(|until| self.left_us(until)) {
            None => Timeout::Forever,
            Some(0) => return,
            Some(left_us) => Timeout::After(left_us),
        };
        let level = match own.queued.level.load(Relaxed) {
            0 => kernel.get_pri(task).unwrap_or(1) as u8,
            level => level,
        };
        own.priority.store(level, Relaxed);
        if kernel.loc_spn(self.0.spin_lock()).is_err() {
            return;
        }
        let rests = word.load(Acquire) == is;
        own.word.store(if rests { address(word) } else { 0 }, Relaxed);
        // It was locked by this very task.
        let _ = kernel.unl_spn(self.0.spin_lock());
        if rests {
            let _ = kernel.tslp_tsk(timeout);
            // Nobody looks for it there any more. Who has found it already wakes it once for nothing later.
            own.word.store(0, Relaxed);
        }
    }

    fn wake(&self, word: &AtomicU32, most: u32) {
        let mut left = most;
        while left > 0
            && let Some(task) = self.strike_out(address(word))
        {
            // One that has been woken since is told already.
            let _ = self.0.kernel().wup_tsk(task);
            left -= 1;
        }
    }
}

impl<S: System> Rtos<S> {
    /// The most urgent that sleeps at that word, which is noted no more.
    fn strike_out(&self, word: usize) -> Option<i32> {
        let sleeps = |(_, waiter): &(i32, &Waiter)| waiter.word.load(Relaxed) == word;
        self.0.kernel().loc_spn(self.0.spin_lock()).ok()?;
        let all = self.0.waiters().iter(self.0.kernel()).filter(sleeps);
        let first = all.min_by_key(|(_, waiter)| waiter.priority.load(Relaxed));
        if let Some((_, waiter)) = first {
            waiter.word.store(0, Relaxed);
        }
        let _ = self.0.kernel().unl_spn(self.0.spin_lock());
        first.map(|(task, _)| task)
    }
}
