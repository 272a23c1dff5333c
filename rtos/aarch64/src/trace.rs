//! What happens on each processor, in rings (RTA-50): switches, interrupts, calls. For systems that declare it; whoever stops the machine reads
//! them in its memory.
//!
//! ```text
//!  Trace   "TKTRACE1" │ frequency of the counter, Hz │ rings' length │ address of the rings, one for each of 8 processors
//!  ring    how many records were written │ records, the newest at (written - 1) modulo length
//!  record  virtual counter │ kind, 8 bits │ call, 24 bits │ number of task, interrupt, object or what programs say, 32 bits
//! ```

use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use aarch64_cpu::registers::{CNTFRQ_EL0, Readable};
use tokkyu_rtos::Call;

use crate::clock;
use crate::stack::PROCESSORS_MAX;

/// Records of a ring, a power of two.
const LENGTH: usize = 4096;

#[repr(C)]
struct Ring {
    written: AtomicU64,
    records: [[AtomicU64; 2]; LENGTH],
}

#[repr(C)]
struct Trace {
    magic: [u8; 8],
    frequency: AtomicU64,
    length: u64,
    rings: &'static [Ring; PROCESSORS_MAX],
}

static RINGS: [Ring; PROCESSORS_MAX] = [const {
    Ring { written: AtomicU64::new(0), records: [const { [const { AtomicU64::new(0) }; 2] }; LENGTH] }
}; PROCESSORS_MAX];

#[unsafe(no_mangle)]
static TOKKYU_TRACE: Trace =
    Trace { magic: *b"TKTRACE1", frequency: AtomicU64::new(0), length: LENGTH as u64, rings: &RINGS };

/// What is written down.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// The processor goes over to a task; 0: it idles.
    Switch = 1,
    /// An interrupt has come.
    Interrupt = 2,
    /// Its handler has ended.
    End = 3,
    /// A call begins.
    Called = 4,
    /// Something of the programs' begins, by its number.
    Begins = 5,
    /// It has ended.
    Ends = 6,
}

/// On the first processor, at the start.
pub(crate) fn begin() {
    TOKKYU_TRACE.frequency.store(CNTFRQ_EL0.get(), Relaxed);
}

/// On a processor, with interrupts masked: nobody else writes to its ring.
#[inline(always)]
pub(crate) fn record(processor: usize, kind: Kind, call: u32, number: u32) {
    let ring = &RINGS[processor % PROCESSORS_MAX];
    let written = ring.written.load(Relaxed);
    let place = &ring.records[written as usize % LENGTH];
    place[0].store(clock::ticks(), Relaxed);
    place[1].store(kind as u64 | u64::from(call) << 8 | u64::from(number) << 32, Relaxed);
    ring.written.store(written + 1, Relaxed);
}

/// A call begins.
#[inline(always)]
pub(crate) fn called(processor: usize, call: Call, id: i32) {
    record(processor, Kind::Called, call as u32, id as u32);
}
