//! `pthread_key_t`: values of each task by number. When a thread ends its values go, with what their keys say is to be done then: its task
//! runs another thread later.

use alloc::collections::BTreeMap;
use core::ptr::null_mut;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicPtr, AtomicU32};

use tokkyu_callbacks::sync::Mutex;

use crate::mutex::own;

type End = extern "C" fn(*mut u8);

static NEXT: AtomicU32 = AtomicU32::new(0);
static ENDS: Mutex<BTreeMap<u32, End>> = Mutex::new(BTreeMap::new());
static VALUES: Mutex<BTreeMap<(u32, u32), AtomicPtr<u8>>> = Mutex::new(BTreeMap::new());

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_key_create(key: *mut u32, end: Option<End>) -> i32 {
    let this = NEXT.fetch_add(1, Relaxed);
    if let Some(end) = end {
        ENDS.lock().insert(this, end);
    }
    // SAFETY: room for one.
    unsafe { key.write(this) };
    0
}

/// glibc has it by this name too, by which the GNU C++ library asks whether there are threads.
#[unsafe(no_mangle)]
unsafe extern "C" fn __pthread_key_create(key: *mut u32, end: Option<End>) -> i32 {
    // SAFETY: as above.
    unsafe { pthread_key_create(key, end) }
}

#[unsafe(no_mangle)]
extern "C" fn pthread_key_delete(key: u32) -> i32 {
    VALUES.lock().retain(|(_, of), _| *of != key);
    ENDS.lock().remove(&key);
    0
}

/// The calling task's thread ends.
pub(crate) fn end_of_thread() {
    let task = own();
    // With no lock held: what is to be done may ask for values.
    while let Some(((_, key), value)) = take_one(task) {
        let end = ENDS.lock().get(&key).copied();
        if let Some(end) = end
            && !value.load(Relaxed).is_null()
        {
            end(value.load(Relaxed));
        }
    }
}

fn take_one(task: u32) -> Option<((u32, u32), AtomicPtr<u8>)> {
    let mut values = VALUES.lock();
    let first = *values.range((task, 0)..=(task, u32::MAX)).next()?.0;
    values.remove_entry(&first)
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
