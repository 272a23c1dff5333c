//! Several boards at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does each piece of work in its order, `at_once` at a time, until all are done or `stop` says so; what has begun by then ends by itself.
pub(crate) fn each<T: Sync>(
    all: &[T],
    at_once: usize,
    stop: &(dyn Fn() -> bool + Sync),
    work: impl Fn(&T) + Sync,
) {
    let next = AtomicUsize::new(0);
    let one = || {
        while let Some(piece) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            if stop() {
                return;
            }
            work(piece);
        }
    };
    thread::scope(|scope| (0..at_once.max(1)).for_each(|_| drop(scope.spawn(one))));
}
