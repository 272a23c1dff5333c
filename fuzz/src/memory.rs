//! Memory that is counted, for targets that are to take no more of it than they may.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's memory. A target that counts has it as its `#[global_allocator]`.
pub struct Counted;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static GIVEN_BACK: AtomicUsize = AtomicUsize::new(0);

/// Bytes that were taken since the program began, given back or not.
pub fn taken() -> usize {
    TAKEN.load(Ordering::Relaxed)
}

/// Bytes that are taken just now.
pub fn held() -> usize {
    taken().wrapping_sub(GIVEN_BACK.load(Ordering::Relaxed))
}

// SAFETY: the system's allocator does everything; counting takes no memory.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        GIVEN_BACK.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}
