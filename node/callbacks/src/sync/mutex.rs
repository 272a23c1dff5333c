//! A lock around what it protects.

use core::cell::UnsafeCell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::AtomicU32;

use crate::port::port;

/// What one thread at a time may look at. Who waits for it lends its priority to who has it (NODE-112). A panic with it gives it back: whatever
/// happens with one locked leaves it as it was, or whole.
#[derive(Default)]
pub struct Mutex<T> {
    word: AtomicU32,
    value: UnsafeCell<T>,
}

// SAFETY: the value goes from thread to thread with the lock, and no two have it.
unsafe impl<T: Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// Nobody has it.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex { word: AtomicU32::new(0), value: UnsafeCell::new(value) }
    }

    /// Waits until nobody else has it.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        port().lock(&self.word);
        MutexGuard { mutex: self, _of_this_thread: PhantomData }
    }
}

impl<T> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mutex")
    }
}

/// The lock, until it is dropped. Of the thread that took it: the system knows it by that.
pub struct MutexGuard<'m, T> {
    mutex: &'m Mutex<T>,
    _of_this_thread: PhantomData<*const ()>,
}

// SAFETY: what is shared of it is the value.
unsafe impl<T: Sync> Sync for MutexGuard<'_, T> {}

impl<'m, T> MutexGuard<'m, T> {
    /// Its lock, for who gives it back for a while.
    pub(super) fn mutex(&self) -> &'m Mutex<T> {
        self.mutex
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: this thread has the lock.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this thread has the lock, and nobody else has this guard.
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        port().unlock(&self.mutex.word);
    }
}
