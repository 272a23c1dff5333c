//! What a system sees of the Linux beside it (RTA-65, RTA-66). An image that has the machine to itself sees none.

use core::ops::Range;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use smccc::smc64;

use crate::secure;

/// The monitor's calls (monitor/SPEC.md, MON-70), and how many ranges of memory it has for Linux.
const MEMORY_BASE: u32 = 0xf200_0001;
const MEMORY_BYTES: u32 = 0xf200_0002;
const RANGES: usize = 4;
/// A physical address has 36 bits here (memory.rs).
const END: u64 = 1 << 36;
/// Of what is read.
const WORD: u64 = 8;

struct Memory {
    base: AtomicU64,
    bytes: AtomicU64,
}

impl Memory {
    const fn new() -> Memory {
        Memory { base: AtomicU64::new(0), bytes: AtomicU64::new(0) }
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
        self.base.store(base, Relaxed);
        self.bytes.store(bytes, Relaxed);
        Some(base as usize..end as usize)
    }

    #[inline]
    fn holds(&self, physical: u64) -> bool {
        let bytes = self.bytes.load(Relaxed);
        bytes >= WORD && physical.wrapping_sub(self.base.load(Relaxed)) <= bytes - WORD
    }
}

static SHARED: Memory = Memory::new();
static LINUX: [Memory; RANGES] = [const { Memory::new() }; RANGES];

/// For [`memory::make`](crate::memory): the shared memory, and Linux's.
pub(crate) fn ask() -> Option<(Range<usize>, impl Iterator<Item = Range<usize>>)> {
    let shared = SHARED.ask(0)?;
    Some((shared, LINUX.iter().zip(1..).map_while(|(memory, number)| memory.ask(number))))
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
    let is_there = LINUX.iter().any(|memory| memory.holds(physical)) || SHARED.holds(physical);
    // SAFETY: memory that is there, mapped as it is addressed, and read as a whole, whatever Linux writes meanwhile.
    (physical.is_multiple_of(WORD) && is_there)
        .then(|| unsafe { (*(physical as *const AtomicU64)).load(Relaxed) })
}

/// A word of what both have, this many bytes from its beginning: a multiple of 8. `None` as for [`word`]. Linux may write there
/// whatever it likes.
#[inline]
pub fn shared(offset: u64) -> Option<&'static AtomicU64> {
    let physical = SHARED.base.load(Relaxed).checked_add(offset)?;
    // SAFETY: as in `word`, and mapped to be written.
    (physical.is_multiple_of(WORD) && SHARED.holds(physical))
        .then(|| unsafe { &*(physical as *const AtomicU64) })
}
