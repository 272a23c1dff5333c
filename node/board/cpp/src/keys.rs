//! `pthread_key_t`: values of each task by number. What is to be done with one at a task's end is not: tasks of nodes do not end.

use alloc::collections::BTreeMap;
use core::ptr::null_mut;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicPtr, AtomicU32};

use tokkyu_callbacks::sync::Mutex;

use crate::mutex::own;

static NEXT: AtomicU32 = AtomicU32::new(0);
static VALUES: Mutex<BTreeMap<(u32, u32), AtomicPtr<u8>>> = Mutex::new(BTreeMap::new());

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_key_create(key: *mut u32, _: Option<extern "C" fn(*mut u8)>) -> i32 {
    // SAFETY: room for one.
    unsafe { key.write(NEXT.fetch_add(1, Relaxed)) };
    0
}

/// glibc has it by this name too, by which the GNU C++ library asks whether there are threads.
#[unsafe(no_mangle)]
unsafe extern "C" fn __pthread_key_create(key: *mut u32, end: Option<extern "C" fn(*mut u8)>) -> i32 {
    // SAFETY: as above.
    unsafe { pthread_key_create(key, end) }
}

#[unsafe(no_mangle)]
extern "C" fn pthread_key_delete(key: u32) -> i32 {
    VALUES.lock().retain(|(_, of), _| *of != key);
    0
}

#[unsafe(no_mangle)]
extern "C" fn pthread_getspecific(key: u32) -> *mut u8 {
    VALUES.lock().get(&(own(), key)).map_or(null_mut(), |value| value.load(Relaxed))
}

#[unsafe(no_mangle)]
extern "C" fn pthread_setspecific(key: u32, value: *mut u8) -> i32 {
    VALUES.lock().insert((own(), key), AtomicPtr::new(value));
    0
}
