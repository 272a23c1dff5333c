//! Memory that is counted, for targets that are to take no more of it than they may.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's memory. A program that runs targets has it as its `#[global_allocator]`; without it they count nothing.
pub struct Counted;

// Of each thread, as tests run beside each other. Targets have one thread, and no destructor: they can be read at a thread's end.
thread_local! {
    static TAKEN: Cell<usize> = const { Cell::new(0) };
    static GIVEN_BACK: Cell<usize> = const { Cell::new(0) };
}

/// Bytes that this thread took since it began, given back or not.
pub fn taken() -> usize {
    TAKEN.get()
}

/// Bytes that this thread holds just now, if it gave back what it took itself.
pub fn held() -> usize {
    taken().wrapping_sub(GIVEN_BACK.get())
}

// SAFETY: the system's allocator does everything; counting takes no memory.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        TAKEN.set(TAKEN.get().wrapping_add(layout.size()));
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        GIVEN_BACK.set(GIVEN_BACK.get().wrapping_add(layout.size()));
        // SAFETY: passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}
