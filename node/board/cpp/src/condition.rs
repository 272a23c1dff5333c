//! `pthread_cond_t`: a word that counts how often it was told. All zero is one that nobody waits for.

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Release};

use tokkyu_callbacks::port::port;
use tokkyu_contract::MonoTime;

use crate::mutex::Mutex;
use crate::time::{REALTIME, Timespec, until};

const ETIMEDOUT: i32 = 110;

fn wait(told: &AtomicU32, mutex: &Mutex, until: Option<MonoTime>) -> i32 {
    let before = told.load(Acquire);
    mutex.unlock();
    port().wait(told, before, until);
    mutex.lock();
    let is_late = until.is_some_and(|until| port().now() >= until);
    if is_late && told.load(Acquire) == before { ETIMEDOUT } else { 0 }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_init(told: *const AtomicU32, _: *const u8) -> i32 {
    // SAFETY: room for one.
    unsafe { &*told }.store(0, Release);
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_cond_destroy(_: *const AtomicU32) -> i32 {
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_wait(told: *const AtomicU32, mutex: *const Mutex) -> i32 {
    // SAFETY: a condition, and a mutex that is the caller's.
    unsafe { wait(&*told, &*mutex, None) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_clockwait(
    told: *const AtomicU32,
    mutex: *const Mutex,
    clock: i32,
    time: *const Timespec,
) -> i32 {
    // SAFETY: as above, and a time.
    unsafe { wait(&*told, &*mutex, Some(until(clock, &*time))) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_timedwait(
    told: *const AtomicU32,
    mutex: *const Mutex,
    time: *const Timespec,
) -> i32 {
    // SAFETY: as above.
    unsafe { wait(&*told, &*mutex, Some(until(REALTIME, &*time))) }
}

fn tell(told: &AtomicU32, most: u32) -> i32 {
    told.fetch_add(1, Release);
    port().wake(told, most);
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_signal(told: *const AtomicU32) -> i32 {
    // SAFETY: a condition.
    tell(unsafe { &*told }, 1)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_broadcast(told: *const AtomicU32) -> i32 {
    // SAFETY: a condition.
    tell(unsafe { &*told }, u32::MAX)
}
