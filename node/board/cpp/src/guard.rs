//! Guards of variables that are made when somebody first comes to them (Itanium C++ ABI, 3.3.2): the first byte says that one is there,
//! the second word who makes it.

use core::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use core::sync::atomic::{AtomicU8, AtomicU32};

use tokkyu_callbacks::port::port;

#[repr(C)]
struct Guard {
    is_there: AtomicU8,
    is_made: AtomicU32,
}

/// 1: the caller makes it, and says so by one of the two below.
#[unsafe(no_mangle)]
unsafe extern "C" fn __cxa_guard_acquire(guard: *const Guard) -> i32 {
    // SAFETY: a guard, which stays.
    let guard = unsafe { &*guard };
    while guard.is_there.load(Acquire) == 0 {
        if guard.is_made.swap(1, AcqRel) == 0 {
            // Another may have made it between the look and the swap.
            if guard.is_there.load(Acquire) == 0 {
                return 1;
            }
            end(guard);
        } else {
            port().wait(&guard.is_made, 1, None);
        }
    }
    0
}

fn end(guard: &Guard) {
    guard.is_made.store(0, Release);
    port().wake(&guard.is_made, u32::MAX);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cxa_guard_release(guard: *const Guard) {
    // SAFETY: a guard, which stays.
    let guard = unsafe { &*guard };
    guard.is_there.store(1, Release);
    end(guard);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cxa_guard_abort(guard: *const Guard) {
    // SAFETY: a guard, which stays.
    end(unsafe { &*guard });
}
