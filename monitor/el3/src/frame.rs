//! What each processor has of its own here: a stack, and above it the frame that a world is kept in (MON-53, MON-54).
//!
//! `SP_EL3` is at the frame whenever a lower level runs, and `TPIDR_EL3` always.

use core::arch::asm;
use core::cell::UnsafeCell;

use tokkyu_monitor_core::PROCESSORS_MAX;

/// Calls are not deep, and nobody calls himself.
pub(crate) const STACK_BYTES: usize = 1024;

/// Registers of EL1 that both systems have, as Linux has them.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Linux {
    pub(crate) sctlr: u64,
    pub(crate) ttbr0: u64,
    pub(crate) tcr: u64,
    pub(crate) mair: u64,
    pub(crate) vbar: u64,
    pub(crate) tpidr_el1: u64,
    pub(crate) tpidr_el0: u64,
    pub(crate) sp_el0: u64,
    pub(crate) sp_el1: u64,
    pub(crate) elr: u64,
    pub(crate) spsr: u64,
    pub(crate) esr: u64,
    pub(crate) far: u64,
    pub(crate) cpacr: u64,
    pub(crate) priority_mask: u64,
    /// Whether the RTOS has changed floating-point registers, which are kept in `floats`.
    pub(crate) has_floats: u64,
}

/// What is the same whenever the RTOS goes on.
#[repr(C)]
pub(crate) struct Rtos {
    pub(crate) sctlr: u64,
    pub(crate) ttbr0: u64,
    pub(crate) tcr: u64,
    pub(crate) mair: u64,
    pub(crate) vbar: u64,
    pub(crate) tpidr_el1: u64,
    pub(crate) sp_el1: u64,
    pub(crate) place: u64,
}

/// What the RTOS has had of a processor while Linux had it too (MON-61).
#[repr(C)]
pub(crate) struct Stolen {
    /// When it has come in, in the counter's ticks, and what it had before that.
    pub(crate) since: u64,
    pub(crate) ticks: u64,
    /// Where Linux reads it, and nanoseconds in a tick, of 2^32.
    pub(crate) told: u64,
    pub(crate) scale: u64,
}

/// A processor's frame, of which assembly knows the order (switch.rs). What is in it is touched by that processor alone.
#[repr(C, align(64))]
pub(crate) struct Frame {
    /// `x0` to `x30` of Linux, program counter and state.
    pub(crate) general: [u64; 31],
    pub(crate) place: u64,
    pub(crate) state: u64,
    /// Whether Linux has this processor, and whether the RTOS has been idle on it: 0 or 1.
    pub(crate) has_linux: u64,
    pub(crate) has_rtos: u64,
    pub(crate) linux: Linux,
    pub(crate) rtos: Rtos,
    pub(crate) stolen: Stolen,
    /// Where Linux looks whether the RTOS has this processor (MON-62); where it does not, `nobody_looks`.
    pub(crate) who_has: u64,
    pub(crate) nobody_looks: u64,
    /// Of what Linux begins with, bytes that are copied; the first processor's.
    pub(crate) copied: u64,
    pub(crate) floats: Floats,
}

/// `q0` to `q31`, `FPSR`, `FPCR`.
#[repr(C, align(16))]
pub(crate) struct Floats([u64; 66]);

#[repr(C, align(64))]
struct Own {
    stack: UnsafeCell<[u8; STACK_BYTES]>,
    frame: UnsafeCell<Frame>,
}

// SAFETY: of each, one processor touches it.
unsafe impl Sync for Own {}

const NONE: Frame = Frame {
    general: [0; 31],
    place: 0,
    state: 0,
    has_linux: 0,
    has_rtos: 0,
    linux: Linux {
        sctlr: 0,
        ttbr0: 0,
        tcr: 0,
        mair: 0,
        vbar: 0,
        tpidr_el1: 0,
        tpidr_el0: 0,
        sp_el0: 0,
        sp_el1: 0,
        elr: 0,
        spsr: 0,
        esr: 0,
        far: 0,
        cpacr: 0,
        priority_mask: 0xff,
        has_floats: 0,
    },
    rtos: Rtos { sctlr: 0, ttbr0: 0, tcr: 0, mair: 0, vbar: 0, tpidr_el1: 0, sp_el1: 0, place: 0 },
    stolen: Stolen { since: 0, ticks: 0, told: 0, scale: 0 },
    who_has: 0,
    nobody_looks: 0,
    copied: 0,
    floats: Floats([0; 66]),
};

// Zero, all of it, and so no part of the file; `begin_linux` writes the mask.
#[unsafe(no_mangle)]
static TOKKYU_MONITOR_OWN: [Own; PROCESSORS_MAX] = [const {
    Own {
        stack: UnsafeCell::new([0; STACK_BYTES]),
        frame: UnsafeCell::new(Frame { linux: Linux { priority_mask: 0, ..NONE.linux }, ..NONE }),
    }
}; PROCESSORS_MAX];

/// From one processor's to the next.
pub(crate) const OWN_BYTES: usize = size_of::<Own>();

/// This processor's frame, while no lower level runs.
pub(crate) fn here() -> *mut Frame {
    let frame: *mut Frame;
    // SAFETY: entry.rs has written it.
    unsafe { asm!("mrs {}, tpidr_el3", out(reg) frame, options(nomem, nostack, preserves_flags)) };
    frame
}

impl Frame {
    /// As Linux begins on a processor: at `entry`, EL1, all exceptions masked, without translation, nothing of anybody else's in a register
    /// (MON-12).
    pub(crate) fn begin_linux(&mut self, entry: u64, context: u64) {
        self.general = [0; 31];
        self.general[0] = context;
        self.place = entry;
        self.state = EL1_MASKED;
        self.linux = Linux { sctlr: SCTLR_RESET, ..NONE.linux };
        self.has_linux = 1;
        self.tell_who_has(None);
    }

    /// Linux has the processor not any more: it is in user mode for the RTOS (MON-74).
    pub(crate) fn end_linux(&mut self) {
        self.has_linux = 0;
        self.state = 0;
        self.tell_who_has(None);
    }

    /// Linux is told there, which has been looked at; `None`: nowhere.
    pub(crate) fn tell_who_has(&mut self, address: Option<u64>) {
        self.who_has = address.unwrap_or(&raw const self.nobody_looks as u64);
    }
}

impl Stolen {
    /// Nothing yet; Linux is told there.
    pub(crate) fn begin(&mut self, told: u64) {
        let frequency: u64;
        // SAFETY: reading it changes nothing.
        unsafe { asm!("mrs {}, cntfrq_el0", out(reg) frequency, options(nomem, nostack, preserves_flags)) };
        // A counter has 1 MHz at least (DDI 0487, D12.1.2).
        let scale = (1_000_000_000 << 32) / frequency.max(1_000_000);
        *self = Stolen { since: 0, ticks: 0, told, scale };
    }
}

/// EL1 with `SP_EL1`, all masked.
pub(crate) const EL1_MASKED: u64 = 0x3c5;
/// What of `SCTLR_EL1` reads as one; no translation, no caches.
pub(crate) const SCTLR_RESET: u64 = 0x30d0_0800;
