//! `pthread_mutex_t` and `pthread_once_t`, as glibc lays them out: all zero is a free mutex.
//!
//! ```text
//!  byte   0        4        8        12      16
//!         word    times    owner    -       kind
//! ```

use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use tokkyu_callbacks::port::port;

/// `PTHREAD_MUTEX_RECURSIVE_NP`
const RECURSIVE: u32 = 1;
pub(crate) const EPERM: i32 = 1;
pub(crate) const EBUSY: i32 = 16;

#[repr(C)]
pub(crate) struct Mutex {
    /// The port's lock.
    word: AtomicU32,
    /// How often who has it has taken it beyond the first time.
    times: AtomicU32,
    owner: AtomicU32,
    _users: AtomicU32,
    kind: AtomicU32,
}

/// The number of the running task.
pub(crate) fn own() -> u32 {
    port().number() as u32
}

impl Mutex {
    fn is_taken_again(&self) -> bool {
        let again = self.kind.load(Relaxed) & 3 == RECURSIVE && self.owner.load(Relaxed) == own();
        if again {
            self.times.store(self.times.load(Relaxed) + 1, Relaxed);
        }
        again
    }

    pub(crate) fn lock(&self) {
        if !self.is_taken_again() {
            port().lock(&self.word);
            self.owner.store(own(), Relaxed);
        }
    }

    pub(crate) fn unlock(&self) {
        let times = self.times.load(Relaxed);
        if times > 0 {
            self.times.store(times - 1, Relaxed);
            return;
        }
        self.owner.store(0, Relaxed);
        port().unlock(&self.word);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_init(mutex: *mut Mutex, attributes: *const u32) -> i32 {
    // SAFETY: room for one, and attributes or NULL.
    unsafe {
        mutex.write_bytes(0, 1);
        (*mutex).kind.store(attributes.as_ref().copied().unwrap_or(0), Relaxed);
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_lock(mutex: *const Mutex) -> i32 {
    // SAFETY: a mutex.
    unsafe { &*mutex }.lock();
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_trylock(mutex: *const Mutex) -> i32 {
    // SAFETY: a mutex.
    let mutex = unsafe { &*mutex };
    if mutex.is_taken_again() {
        return 0;
    }
    // A free lock of the port's is 0, a taken one the number of its task (node/rtos/SPEC.md NRT-3).
    if mutex.word.compare_exchange(0, own(), Acquire, Relaxed).is_err() {
        return EBUSY;
    }
    mutex.owner.store(own(), Relaxed);
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_unlock(mutex: *const Mutex) -> i32 {
    // SAFETY: a mutex.
    let mutex = unsafe { &*mutex };
    if mutex.owner.load(Relaxed) != own() {
        return EPERM;
    }
    mutex.unlock();
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutex_destroy(_: *mut Mutex) -> i32 {
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_init(kind: *mut u32) -> i32 {
    // SAFETY: attributes.
    unsafe { kind.write(0) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutexattr_settype(kind: *mut u32, wanted: u32) -> i32 {
    // SAFETY: attributes.
    unsafe { kind.write(wanted) };
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_mutexattr_destroy(_: *mut u32) -> i32 {
    0
}

/// States of a `pthread_once_t`.
const NOT_YET: u32 = 0;
const NOW: u32 = 1;
const DONE: u32 = 2;

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_once(once: *const AtomicU32, act: extern "C" fn()) -> i32 {
    // SAFETY: a word that stays.
    let once = unsafe { &*once };
    loop {
        match once.compare_exchange(NOT_YET, NOW, Acquire, Acquire) {
            Ok(_) => {
                act();
                once.store(DONE, Release);
                port().wake(once, u32::MAX);
                return 0;
            }
            Err(DONE) => return 0,
            Err(_) => port().wait(once, NOW, None),
        }
    }
}
