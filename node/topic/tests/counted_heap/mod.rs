//! A heap that counts, for each thread, how often memory is taken from it. It is the heap of the test program that has this module.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    // Made before the thread runs and without an end, so that the heap itself may use it at any time.
    static TAKEN: Cell<u32> = const { Cell::new(0) };
}

/// How often this thread has taken memory so far.
pub fn taken() -> u32 {
    TAKEN.get()
}

struct Counted;

fn count() {
    TAKEN.set(TAKEN.get().wrapping_add(1));
}

// SAFETY: all is the system's own heap; what is counted beside it takes no memory and does not unwind.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static HEAP: Counted = Counted;
