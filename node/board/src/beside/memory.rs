//! Memory of an image beside Linux: all that it has is in it, in secure memory, and no boot loader says anything.

use core::cell::UnsafeCell;
use core::ops::Range;

/// The RTOS has 6 MiB in all (MON-50).
const HEAP_BYTES: usize = 3 << 20;

#[repr(C, align(4096))]
struct Heap(UnsafeCell<[u8; HEAP_BYTES]>);

// SAFETY: its address is all that anybody takes of it here.
unsafe impl Sync for Heap {}

/// Not cleared when the image starts, as stacks.
#[unsafe(link_section = ".stacks.heap")]
static HEAP: Heap = Heap(UnsafeCell::new([0; HEAP_BYTES]));

/// What is to be mapped beside the image.
pub(crate) static MEMORY: [Range<usize>; 0] = [];

/// For the heap; nobody else's.
pub(crate) fn heap() -> *mut [u8] {
    HEAP.0.get()
}

/// What the boot loader says.
pub(crate) fn words() -> Option<&'static str> {
    None
}
