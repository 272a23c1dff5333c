//! A clock that goes on when a scenario says so, and each processor's timer by it.

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::SeqCst;

use tokkyu_rtos_aarch64::{TIMER, raise};
use tokkyu_ttsp::plan::PROCESSORS;

static NOW_US: AtomicU64 = AtomicU64::new(0);
static TIMERS_US: [AtomicU64; PROCESSORS] = [const { AtomicU64::new(u64::MAX) }; PROCESSORS];

pub(crate) fn now_us() -> u64 {
    NOW_US.load(SeqCst)
}

/// Of this processor.
pub(crate) fn set(processor: usize, at_us: Option<u64>) {
    TIMERS_US[processor].store(at_us.unwrap_or(u64::MAX), SeqCst);
    look(processor);
}

pub(crate) fn advance(us: u64) {
    NOW_US.fetch_add(us, SeqCst);
    (0..PROCESSORS).for_each(look);
}

/// Has the timer go off, once, if it is time.
fn look(processor: usize) {
    let now_us = now_us();
    let due =
        TIMERS_US[processor].fetch_update(SeqCst, SeqCst, |at_us| (at_us <= now_us).then_some(u64::MAX));
    if due.is_ok() {
        raise(processor, TIMER);
    }
}
