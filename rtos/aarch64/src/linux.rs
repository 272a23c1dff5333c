//! What a system sees of the Linux beside it (RTA-65, RTA-66), and what it may take of processors (RTA-67). An image that has the machine to itself sees none.

use core::ops::Range;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicU32, AtomicU64};
use core::{iter, ptr, slice};

use smccc::smc64;

use crate::{gic, secure};

pub use crate::budget::{Budget, budget};

/// The monitor's calls (monitor/SPEC.md, MON-70), and how many ranges of memory it has for Linux.
const MEMORY_BASE: u32 = 0xf200_0001;
const MEMORY_BYTES: u32 = 0xf200_0002;
const RANGES: usize = 4;
/// Linux's interrupt for what the RTOS has written, and the RTOS's for what Linux has (MON-93, MON-94).
const OF_TOPICS: u32 = 233;
/// See [`OF_TOPICS`]: an image that reads topics of Linux's has it among its lines.
pub const BELL: u32 = 232;
/// A physical address has 36 bits here (memory.rs).
const END: u64 = 1 << 36;
/// Of what is read.
const WORD: u64 = 8;

/// Where it begins, and how many words it has: none before anybody has asked.
struct Memory {
    base: AtomicU64,
    words: AtomicU64,
}

impl Memory {
    const fn new() -> Memory {
        Memory { base: AtomicU64::new(0), words: AtomicU64::new(0) }
    }

    /// Once, on the first processor, before others are up.
    fn ask(&self, number: u64) -> Option<Range<usize>> {
        let [base, bytes] = [MEMORY_BASE, MEMORY_BYTES].map(|what| {
            let mut arguments = [0; 17];
            arguments[0] = number;
            let [answer, ..] = smc64(what, arguments);
            (answer as i64 >= 0).then_some(answer)
        });
        let (base, bytes) = (base?, bytes?);
        let end = base.checked_add(bytes).filter(|end| *end <= END)?;
        if !base.is_multiple_of(WORD) {
            return None;
        }
        self.base.store(base, Relaxed);
        self.words.store(bytes / WORD, Relaxed);
        Some(base as usize..end as usize)
    }

    /// A whole word there. What is left of an address that is not a multiple of 8 goes to the uppermost bits: more than any word's number.
    #[inline(always)]
    fn holds(&self, physical: u64) -> bool {
        let number = physical.wrapping_sub(self.base.load(Relaxed)).rotate_right(WORD.trailing_zeros());
        number < self.words.load(Relaxed)
    }
}

static SHARED: Memory = Memory::new();
static FIRST: Memory = Memory::new();
static OTHERS: [Memory; RANGES - 1] = [const { Memory::new() }; RANGES - 1];

/// For [`memory::make`](crate::memory): the shared memory, and Linux's.
pub(crate) fn ask() -> Option<(Range<usize>, impl Iterator<Item = Range<usize>>)> {
    let shared = SHARED.ask(0)?;
    let linux = iter::once(&FIRST).chain(&OTHERS);
    Some((shared, linux.zip(1..).map_while(|(memory, number)| memory.ask(number))))
}

/// Whether Linux was in user mode when it was last interrupted on this processor, or has it not.
#[inline]
pub fn is_in_user_mode() -> bool {
    secure::is_linux_in_user_mode()
}

/// Eight bytes of Linux's memory, or of what both have, from a physical address on, as they are now. `None`: it has none there, or the
/// address is not a multiple of 8; so it is where the system does not see Linux ([`Programs::SEES_LINUX`](crate::Programs::SEES_LINUX)).
#[inline]
pub fn word(physical: u64) -> Option<u64> {
    let is_there = FIRST.holds(physical) || is_elsewhere(physical);
    // SAFETY: memory that is there, mapped as it is addressed, and read as a whole, whatever Linux writes meanwhile.
    is_there.then(|| unsafe { (*(physical as *const AtomicU64)).load(Relaxed) })
}

/// As a rule a machine's memory is one.
#[cold]
fn is_elsewhere(physical: u64) -> bool {
    SHARED.holds(physical) || OTHERS.iter().any(|memory| memory.holds(physical))
}

/// All of what both have, in words of 32 bits, which Linux may write whenever it likes; none where the system does not see Linux.
pub fn shared_words() -> &'static [AtomicU32] {
    let (base, words) = (SHARED.base.load(Relaxed), SHARED.words.load(Relaxed));
    let first = ptr::with_exposed_provenance::<AtomicU32>(base as usize);
    if words == 0 {
        return &[];
    }
    // SAFETY: as in `word`, mapped to be written for as long as the system runs; there is nobody but reads and writes words.
    unsafe { slice::from_raw_parts(first, 2 * words as usize) }
}

/// Linux gets the interrupt by which its driver of topics looks (monitor/SPEC.md, MON-93).
pub fn ring() {
    gic::raise(0, OF_TOPICS);
}

/// A word of what both have, this many bytes from its beginning: a multiple of 8. `None` as for [`word`]. Linux may write there
/// whatever it likes.
#[inline]
pub fn shared(offset: u64) -> Option<&'static AtomicU64> {
    let physical = SHARED.base.load(Relaxed).checked_add(offset)?;
    // SAFETY: as in `word`, and mapped to be written.
    SHARED.holds(physical).then(|| unsafe { &*(physical as *const AtomicU64) })
}
