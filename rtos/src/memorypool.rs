//! A fixed-size memory pool: what it holds and who waits. Its calls are in `calls/memorypool.rs`.

use core::sync::atomic::AtomicPtr;
use core::sync::atomic::Ordering::Relaxed;

use crate::cell::Half;
use crate::lock::{Lock, RANK_OF_OBJECTS};
use crate::task::Task;
use crate::waiting::{Place, WaitQueue};

const NONE: u16 = u16::MAX;
/// In place of the next free one: the block is given out.
const TAKEN: u16 = u16::MAX - 1;

/// What the pool knows of a block; not kept in the block, whose owner may write anything into it.
#[derive(Debug)]
pub struct BlockCell(Half);

impl BlockCell {
    /// Of a free block.
    pub const fn new() -> BlockCell {
        BlockCell(Half::new(NONE))
    }
}

impl Default for BlockCell {
    fn default() -> Self {
        Self::new()
    }
}

/// A pool of blocks of one size.
#[derive(Debug)]
pub struct MemoryPool {
    memory: AtomicPtr<u8>,
    block_bytes: usize,
    blocks: &'static [BlockCell],
    pub(crate) lock: Lock,
    pub(crate) free: Half,
    pub(crate) count: Half,
    pub(crate) queue: WaitQueue,
}

/// What `ref_mpf` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPoolStatus {
    /// `wtskid`
    pub waiting: Option<i32>,
    /// `fblkcnt`
    pub free: u32,
}

impl MemoryPool {
    /// Of memory that is nobody else's, as long as all blocks together.
    pub const fn new(
        memory: *mut u8,
        block_bytes: usize,
        blocks: &'static [BlockCell],
        by_priority: bool,
    ) -> MemoryPool {
        MemoryPool {
            memory: AtomicPtr::new(memory),
            block_bytes,
            blocks,
            lock: Lock::new(RANK_OF_OBJECTS),
            free: Half::new(NONE),
            count: Half::new(0),
            queue: WaitQueue::new(by_priority),
        }
    }

    pub(crate) fn reset(&self) {
        self.fill();
        self.queue.clear();
    }

    pub(crate) fn fill(&self) {
        let count = self.blocks.len() as u16;
        for (number, block) in (1..).zip(self.blocks) {
            block.0.set(if number < count { number } else { NONE });
        }
        self.free.set(if count == 0 { NONE } else { 0 });
        self.count.set(count);
    }

    pub(crate) fn place(&'static self) -> Place {
        Place::new(&self.lock, &self.queue)
    }

    /// Its state, of a system that stands still.
    pub fn status(&self) -> MemoryPoolStatus {
        MemoryPoolStatus { waiting: self.queue.first().map(Task::id), free: u32::from(self.count.get()) }
    }

    /// Who waits, in order, of a system that stands still.
    pub fn waiting(&self) -> impl Iterator<Item = &'static Task> {
        self.queue.iter()
    }

    pub(crate) fn take(&self) -> Option<usize> {
        let index = usize::from(self.free.get());
        let block = self.blocks.get(index)?;
        self.free.set(block.0.get());
        block.0.set(TAKEN);
        self.count.set(self.count.get() - 1);
        Some(index)
    }

    pub(crate) fn address(&self, index: usize) -> *mut u8 {
        self.memory.load(Relaxed).wrapping_add(index * self.block_bytes)
    }

    /// The block at an address, if it is given out.
    pub(crate) fn taken_at(&self, address: *mut u8) -> Option<usize> {
        let offset = address.addr().checked_sub(self.memory.load(Relaxed).addr())?;
        let index = offset.checked_div(self.block_bytes)?;
        let block = self.blocks.get(index).filter(|block| block.0.get() == TAKEN)?;
        (offset == index * self.block_bytes).then_some(block)?;
        Some(index)
    }

    pub(crate) fn put(&self, index: usize) {
        if let Some(block) = self.blocks.get(index) {
            block.0.set(self.free.get());
            self.free.set(index as u16);
            self.count.set(self.count.get() + 1);
        }
    }
}
