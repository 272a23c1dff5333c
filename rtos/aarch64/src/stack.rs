//! Stacks of tasks, each with a page below it that nobody can touch (RTA-4).

use core::cell::UnsafeCell;

/// A page of memory.
pub(crate) const PAGE_BYTES: usize = 4096;

/// A stack of so many bytes, a multiple of 4096, for one task.
#[repr(C, align(4096))]
#[derive(Debug)]
pub struct Stack<const BYTES: usize> {
    guard: [u8; PAGE_BYTES],
    bytes: UnsafeCell<[u8; BYTES]>,
}

// SAFETY: nobody reaches its bytes but the task that it is given to.
unsafe impl<const BYTES: usize> Sync for Stack<BYTES> {}

impl<const BYTES: usize> Stack<BYTES> {
    /// Does not build where `BYTES` is no multiple of a page. Put it in the section `.stacks`, which is not part of the image's file.
    pub const fn new() -> Self {
        const { assert!(BYTES > 0 && BYTES.is_multiple_of(PAGE_BYTES), "a stack is a multiple of 4096 bytes") };
        Stack { guard: [0; PAGE_BYTES], bytes: UnsafeCell::new([0; BYTES]) }
    }

    /// Where it is.
    pub const fn range(&'static self) -> StackRange {
        StackRange { guard: &raw const self.guard as *const u8, bytes: BYTES }
    }
}

impl<const BYTES: usize> Default for Stack<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

/// Where a stack is.
#[derive(Clone, Copy, Debug)]
pub struct StackRange {
    guard: *const u8,
    bytes: usize,
}

// SAFETY: it is a number; whoever uses it as a pointer says why.
unsafe impl Sync for StackRange {}

impl StackRange {
    /// The address that a task begins with.
    #[inline(always)]
    pub(crate) fn top(&self) -> usize {
        self.guard as usize + PAGE_BYTES + self.bytes
    }

    /// The page that nobody can touch.
    pub(crate) fn guard(&self) -> core::ops::Range<usize> {
        self.guard as usize..self.guard as usize + PAGE_BYTES
    }
}

/// Number of processors that an image has room for.
pub const PROCESSORS_MAX: usize = 8;

pub(crate) const HANDLER_STACK: usize = 8192;

/// Above the stack of each processor's own, beside Linux (RTA-65): a word with Linux's program state, and one that keeps the stack aligned.
pub(crate) const ABOVE_STACK: usize = if cfg!(feature = "secure") { 16 } else { 0 };

/// A processor's own: of its beginning, its handlers, and what it does when it has nothing to do.
pub type HandlerStack = Stack<HANDLER_STACK>;

unsafe extern "C" {
    /// One for each processor, the first first: an array that `system!` makes, whose beginning the assembly needs.
    safe static TOKKYU_HANDLER_STACKS: HandlerStack;
    /// How many those are.
    safe static TOKKYU_HANDLER_STACKS_COUNT: usize;
}

/// Those of all processors that the image has room for.
pub(crate) fn handler_stacks() -> &'static [HandlerStack] {
    // SAFETY: `system!` makes both.
    unsafe { core::slice::from_raw_parts(&raw const TOKKYU_HANDLER_STACKS, TOKKYU_HANDLER_STACKS_COUNT) }
}

pub(crate) const LAST_STACK: usize = 4096;

/// For what is told of a fault of a handler, whose own stack may be used up. The system ends then: one is enough.
#[unsafe(no_mangle)]
#[unsafe(link_section = ".stacks.last")]
static TOKKYU_LAST_STACK: Stack<LAST_STACK> = Stack::new();

/// Number of the processor, from 1, below whose own stack an address is.
pub(crate) fn guarded(address: usize) -> Option<usize> {
    let stacks = handler_stacks().iter();
    stacks.map(Stack::range).position(|stack| stack.guard().contains(&address)).map(|index| index + 1)
}

/// Where the stack of a processor of its own begins; what is above is RTA-65's.
pub(crate) fn handler_stack(index: usize) -> usize {
    handler_stacks().get(index).map_or(0, |stack| stack.range().top() - ABOVE_STACK)
}
