//! The guest's interrupts: its timer, one that a processor sends to itself, and one of no device, which is any processor's.

use core::arch::asm;
use core::sync::atomic::AtomicU64;
use core::sync::atomic::Ordering::Relaxed;

use crate::processor::here;
use crate::say;

/// The virtual timer's (PPI), one that is sent, and an SPI that QEMU's `virt` has no device for.
pub const TIMER: u32 = 27;
const SENT: u32 = 1;
pub const OF_NO_DEVICE: u32 = 200;
/// Numbers from here on say that there is none.
const NONE: u32 = 1020;

const DISTRIBUTOR: usize = 0x0800_0000;
/// Each processor's frame about its own interrupts.
const OWN_FRAMES: usize = 0x080b_0000;
const REDISTRIBUTOR_BYTES: usize = 0x2_0000;
/// Registers (IHI 0069): set enable, set pending, a bit for each interrupt; where an SPI goes, 8 bytes for each.
const SET_ENABLE: usize = 0x100;
const SET_PENDING: usize = 0x200;
const ROUTE: usize = 0x6000;

/// How many were taken, and ticks from one of the timer's to the next; 0: it is not to come again.
static TAKEN: AtomicU64 = AtomicU64::new(0);
static PERIOD: AtomicU64 = AtomicU64::new(0);

fn write(address: usize, word: u32) {
    // SAFETY: registers of the interrupt controller, which are the guest's.
    unsafe { (address as *mut u32).write_volatile(word) }
}

/// This processor takes interrupts of group 1 as soon as they are not masked; its timer and the one that it sends are enabled.
pub fn open() {
    // Group 1 is given out (GICD_CTLR of this world: ARE_NS, EnableGrp1A).
    write(DISTRIBUTOR, 1 << 4 | 1 << 1);
    write(OWN_FRAMES + here() * REDISTRIBUTOR_BYTES + SET_ENABLE, 1 << TIMER | 1 << SENT);
    // SAFETY: ICC_IGRPEN1_EL1, ICC_PMR_EL1.
    unsafe {
        asm!("msr s3_0_c12_c12_7, {}", "msr s3_0_c4_c6_0, {}", "isb", in(reg) 1_u64, in(reg) 0xf0_u64, options(nostack))
    };
}

/// Masked from here on, or not.
pub fn mask(is_masked: bool) {
    match is_masked {
        // SAFETY: interrupts are handled in `on_interrupt`.
        true => unsafe { asm!("msr daifset, #2") },
        // SAFETY: as above.
        false => unsafe { asm!("msr daifclr, #2") },
    }
}

/// The timer is due in so many ticks; again each time that it was taken, if `again`.
pub fn set_timer(ticks: u64, again: bool) {
    PERIOD.store(if again { ticks } else { 0 }, Relaxed);
    // SAFETY: the virtual timer, which is the guest's.
    unsafe {
        asm!("msr cntv_tval_el0, {}", "msr cntv_ctl_el0, {}", "isb", in(reg) ticks, in(reg) 1_u64, options(nostack))
    };
}

pub fn stop_timer() {
    PERIOD.store(0, Relaxed);
    // SAFETY: as above.
    unsafe { asm!("msr cntv_ctl_el0, xzr", "isb", options(nostack)) };
}

/// This processor interrupts itself.
pub fn send() {
    // SAFETY: ICC_SGI1R_EL1, to the processor of that affinity 0.
    unsafe {
        asm!("msr s3_0_c12_c11_5, {}", "isb", in(reg) u64::from(SENT) << 24 | 1 << here(), options(nostack))
    };
}

/// The one of no device goes to that processor.
pub fn route(to: u64) {
    write(DISTRIBUTOR + ROUTE + 8 * OF_NO_DEVICE as usize, to as u32);
    write_bit(SET_ENABLE);
}

/// It comes.
pub fn raise() {
    write_bit(SET_PENDING);
}

fn write_bit(registers: usize) {
    write(DISTRIBUTOR + registers + OF_NO_DEVICE as usize / 32 * 4, 1 << (OF_NO_DEVICE % 32));
}

/// Takes an interrupt, masked or not, and ends it.
pub fn take() -> Option<u32> {
    let number: u64;
    // SAFETY: ICC_IAR1_EL1.
    unsafe { asm!("mrs {}, s3_0_c12_c12_0", "dsb sy", out(reg) number, options(nostack)) };
    let number = Some(number as u32).filter(|number| *number < NONE)?;
    if number == TIMER {
        match PERIOD.load(Relaxed) {
            0 => stop_timer(),
            ticks => set_timer(ticks, true),
        }
    }
    // SAFETY: ICC_EOIR1_EL1, of what was taken.
    unsafe { asm!("msr s3_0_c12_c12_1, {}", "isb", in(reg) u64::from(number), options(nostack)) };
    Some(number)
}

/// An interrupt that is not masked.
pub fn on_interrupt() {
    match take() {
        Some(TIMER | SENT) => {
            TAKEN.fetch_add(1, Relaxed);
        }
        Some(other) => say!("FAILED an interrupt that is nobody's: {other}"),
        None => {}
    }
}

pub fn taken() -> u64 {
    TAKEN.load(Relaxed)
}
