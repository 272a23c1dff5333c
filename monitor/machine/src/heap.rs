//! Memory for as long as a program of one processor runs: it is given out and never taken back.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::Cell;
use core::ptr::null_mut;

/// From `heap_begin` to `heap_end`, which the linker says; a program makes it its `#[global_allocator]`.
#[derive(Debug)]
pub struct Heap(Cell<usize>);

impl Heap {
    /// Nothing is given out yet.
    pub const fn new() -> Heap {
        Heap(Cell::new(0))
    }
}

impl Default for Heap {
    fn default() -> Heap {
        Heap::new()
    }
}

// SAFETY: one processor runs the program.
unsafe impl Sync for Heap {}

unsafe extern "C" {
    static heap_begin: u8;
    static heap_end: u8;
}

// SAFETY: each piece is within the heap, aligned, and behind all that were given before.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (begin, end) = (&raw const heap_begin as usize, &raw const heap_end as usize);
        let at = (begin + self.0.get()).next_multiple_of(layout.align());
        match at.checked_add(layout.size()).filter(|next| *next <= end) {
            Some(next) => {
                self.0.set(next - begin);
                at as *mut u8
            }
            None => null_mut(),
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
