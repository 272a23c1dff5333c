//! Memory for one life: it is given out, and given back by the reset.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::sync::atomic::AtomicUsize;
use core::sync::atomic::Ordering::Relaxed;

const BYTES: usize = 512 << 10;

#[repr(C, align(4096))]
struct Heap {
    bytes: UnsafeCell<[u8; BYTES]>,
    given: AtomicUsize,
}

// SAFETY: no byte is given out twice.
unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap { bytes: UnsafeCell::new([0; BYTES]), given: AtomicUsize::new(0) };

// SAFETY: what is given is within the heap, aligned as asked for, and nobody else's: the counter only grows.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let begin = self.bytes.get() as usize;
        let place = |given: usize| {
            let at = (begin + given).next_multiple_of(layout.align());
            (at, at + layout.size() - begin)
        };
        let given = self.given.fetch_update(Relaxed, Relaxed, |given| {
            let (_, after) = place(given);
            (after <= BYTES).then_some(after)
        });
        given.map_or(core::ptr::null_mut(), |before| place(before).0 as *mut u8)
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
