//! Memory for what is not known before: connections, registrations, messages that grow. Given and taken back in a bounded time (TLSF, crate rlsf).

use core::alloc::{GlobalAlloc, Layout};
use core::arch::asm;
use core::cell::UnsafeCell;
use core::ptr::NonNull;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicUsize};

use rlsf::Tlsf;

use crate::machine;

/// Sizes from 32 bytes to 2^24, each power of two in 16 classes.
type Lists = Tlsf<'static, u32, u32, 20, 16>;

struct Heap {
    lists: UnsafeCell<Lists>,
    is_taken: AtomicBool,
    used: AtomicUsize,
    most_used: AtomicUsize,
}

// SAFETY: the lists are reached with the lock alone.
unsafe impl Sync for Heap {}

#[global_allocator]
static HEAP: Heap = Heap {
    lists: UnsafeCell::new(Lists::new()),
    is_taken: AtomicBool::new(false),
    used: AtomicUsize::new(0),
    most_used: AtomicUsize::new(0),
};

impl Heap {
    /// A few steps, with this processor's interrupts out: who had the lock would not go on while a more urgent task waits for it.
    fn with<T>(&self, act: impl FnOnce(&mut Lists) -> T) -> T {
        let flags: u64;
        // SAFETY: the flags are put back below.
        unsafe { asm!("mrs {}, daif", "msr daifset, #2", out(reg) flags, options(nostack)) };
        while self.is_taken.compare_exchange_weak(false, true, Acquire, Relaxed).is_err() {
            tokkyu_rtos_aarch64::give_way();
        }
        // SAFETY: this is the one that has the lock.
        let answer = act(unsafe { &mut *self.lists.get() });
        self.is_taken.store(false, Release);
        // SAFETY: as they were.
        unsafe { asm!("msr daif, {}", in(reg) flags, options(nostack)) };
        answer
    }
}

// SAFETY: what is given is the lists', which give nothing twice and as it is asked for.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(given) = self.with(|lists| lists.allocate(layout)) else { return core::ptr::null_mut() };
        let used = self.used.fetch_add(layout.size(), Relaxed) + layout.size();
        self.most_used.fetch_max(used, Relaxed);
        given.as_ptr()
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        self.used.fetch_sub(layout.size(), Relaxed);
        if let Some(memory) = NonNull::new(memory) {
            // SAFETY: it was given with that alignment.
            self.with(|lists| unsafe { lists.deallocate(memory, layout.align()) });
        }
    }
}

/// Before anybody wants memory, once.
pub(crate) fn begin() {
    if let Some(memory) = NonNull::new(machine::heap()) {
        // SAFETY: it is mapped, and nobody else's.
        HEAP.with(|lists| unsafe { lists.insert_free_block_ptr(memory) });
    }
}

/// Bytes of all of it.
pub(crate) fn bytes() -> usize {
    machine::heap().len()
}

/// Bytes that are given now, and the most that were.
pub(crate) fn used() -> (usize, usize) {
    (HEAP.used.load(Relaxed), HEAP.most_used.load(Relaxed))
}
