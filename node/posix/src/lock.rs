//! Locks with priority inheritance: `FUTEX_LOCK_PI`. The word is 0, or the number of the thread that has the lock, with a bit of the kernel's while others wait.
//!
//! Without contention no system call is made. The kernel changes the word too, unseen by tools that look for races: so each side says once more, with
//! an access that changes nothing, what it hands over.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::io::Errno;
use rustix::thread::futex;
use tokkyu_callbacks::port::Lock;

use super::Posix;

/// The calling thread, as the kernel has it.
fn thread() -> u32 {
    thread_local!(static NUMBER: Cell<u32> = const { Cell::new(0) });
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(rustix::thread::gettid().as_raw_nonzero().get() as u32);
        }
        number.get()
    })
}

impl Lock for Posix {
    #[inline]
    fn lock(&self, word: &AtomicU32) {
        if word.compare_exchange(0, thread(), Ordering::Acquire, Ordering::Relaxed).is_err() {
            wait(word);
        }
    }

    #[inline]
    fn unlock(&self, word: &AtomicU32) {
        if word.compare_exchange(thread(), 0, Ordering::Release, Ordering::Relaxed).is_err() {
            give(word);
        }
    }
}

#[cold]
fn wait(word: &AtomicU32) {
    // Interrupted, or the owner is just giving it back, or ending: once more.
    while let Err(error) = futex::lock_pi(word, futex::Flags::PRIVATE, None) {
        assert!(
            matches!(error, Errno::INTR | Errno::AGAIN),
            "a lock of a node is damaged, or taken twice by one thread: {error}"
        );
    }
    word.fetch_or(0, Ordering::Acquire);
}

#[cold]
fn give(word: &AtomicU32) {
    word.fetch_or(0, Ordering::Release);
    let given = futex::unlock_pi(word, futex::Flags::PRIVATE);
    debug_assert_eq!(given, Ok(()), "the lock is another thread's");
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};

    use super::*;

    /// Something has gone wrong if it takes longer. It is no promise.
    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn one_thread_at_a_time_has_it() {
        static WORD: AtomicU32 = AtomicU32::new(0);
        static INSIDE: AtomicBool = AtomicBool::new(false);
        let work = || {
            for _ in 0..20_000 {
                Posix.lock(&WORD);
                assert!(!INSIDE.swap(true, Ordering::Relaxed));
                INSIDE.store(false, Ordering::Relaxed);
                Posix.unlock(&WORD);
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
        assert_eq!(WORD.load(Ordering::Relaxed), 0);
    }

    /// The priority that the calling thread has just now, as proc(5) has it: -1 less that of `SCHED_FIFO`.
    fn priority() -> i32 {
        let stat =
            std::fs::read_to_string(format!("/proc/self/task/{}/stat", thread())).expect("it is there");
        let rest = stat.rsplit_once(')').expect("a name").1;
        rest.split_whitespace().nth(15).and_then(|field| field.parse().ok()).expect("a number")
    }

    /// Whether it has that priority before patience ends.
    fn gets(wanted: i32) -> bool {
        let begun = Instant::now();
        while priority() != wanted {
            if begun.elapsed() > PATIENCE {
                return false;
            }
        }
        true
    }

    /// NODE-112.
    #[test]
    fn who_has_it_runs_with_the_priority_of_who_waits() {
        static WORD: AtomicU32 = AtomicU32::new(0);
        let low = || {
            if let Err(error) = super::super::tasks::be_fifo(1) {
                return println!("skipped: SCHED_FIFO: {error}");
            }
            Posix.lock(&WORD);
            let waits = std::thread::spawn(|| {
                super::super::tasks::be_fifo(3).expect("as the other one");
                Posix.lock(&WORD);
                Posix.unlock(&WORD);
            });
            let is_lent = gets(-1 - 3);
            Posix.unlock(&WORD);
            waits.join().expect("it gets the lock");
            assert!(is_lent && gets(-1 - 1), "{}", priority());
        };
        std::thread::spawn(low).join().expect("it ends");
    }
}
