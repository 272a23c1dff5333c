//! Memory: `malloc` and its like. A block has its size in the 16 bytes before it.

use alloc::alloc::{alloc, dealloc};
use core::alloc::Layout;
use core::ptr::null_mut;

/// What the ABI aligns memory to, and room for the size.
const HEAD: usize = 16;

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(HEAD)?, HEAD).ok()
}

#[unsafe(no_mangle)]
extern "C" fn malloc(bytes: usize) -> *mut u8 {
    let Some(layout) = layout(bytes) else { return null_mut() };
    // SAFETY: it is not empty.
    let block = unsafe { alloc(layout) };
    if block.is_null() {
        return block;
    }
    // SAFETY: the block is longer than that, and so aligned.
    unsafe {
        block.cast::<usize>().write(bytes);
        block.add(HEAD)
    }
}

/// How long a block was asked to be.
unsafe fn len(memory: *mut u8) -> usize {
    // SAFETY: of `malloc`.
    unsafe { memory.sub(HEAD).cast::<usize>().read() }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(memory: *mut u8) {
    if memory.is_null() {
        return;
    }
    // SAFETY: of `malloc`, which made the same layout of the same length.
    unsafe {
        if let Some(layout) = layout(len(memory)) {
            dealloc(memory.sub(HEAD), layout);
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn calloc(count: usize, each: usize) -> *mut u8 {
    let Some(bytes) = count.checked_mul(each) else { return null_mut() };
    let memory = malloc(bytes);
    if !memory.is_null() {
        // SAFETY: so long.
        unsafe { memory.write_bytes(0, bytes) };
    }
    memory
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(memory: *mut u8, bytes: usize) -> *mut u8 {
    let other = malloc(bytes);
    if !memory.is_null() && !other.is_null() {
        // SAFETY: of `malloc` both, and not the same.
        unsafe {
            other.copy_from_nonoverlapping(memory, len(memory).min(bytes));
            free(memory);
        }
    }
    other
}
