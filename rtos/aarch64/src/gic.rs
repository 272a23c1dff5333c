//! The interrupt controller, a GICv3 (RTA-20 to RTA-23, RTA-61). Set up with the crate arm-gic; what each interrupt needs is one access to
//! a system register here.

use core::arch::asm;
use core::ptr::NonNull;

use arm_gic::gicv3::registers::{Gicd, GicrSgi};
use arm_gic::gicv3::{GicCpuInterface, GicV3, Group, SecureIntGroup};
use arm_gic::{IntId, UniqueMmioPointer};

use crate::line::Line;
use crate::priority::{self, of as priority};
use crate::secure::SECURE;

/// Of QEMU's machine `virt`.
const DISTRIBUTOR: usize = 0x0800_0000;
const REDISTRIBUTORS: usize = 0x080a_0000;
/// Each processor's has two frames of 64 KiB; the second is about its own interrupts.
const REDISTRIBUTOR_BYTES: usize = 0x2_0000;
const OWN_FRAME: usize = 0x1_0000;
/// Registers "set enable", "clear enable", "set pending" and "clear pending", a bit for each interrupt (IHI 0069, GICD_ISENABLER<n> and
/// following).
const SET_ENABLE: usize = 0x100;
const CLEAR_ENABLE: usize = 0x180;
const SET_PENDING: usize = 0x200;
const CLEAR_PENDING: usize = 0x280;

/// Interrupt of one processor to another.
pub(crate) const CALL: u32 = if SECURE { 8 } else { 0 };
/// The timer's, each processor's own: the virtual one's, or the secure physical one's.
pub const TIMER: u32 = if SECURE { 29 } else { 27 };
/// ITRON's priority of the timer.
const TIMER_PRIORITY: i32 = -4;
/// Numbers from here on say that there is none.
pub(crate) const NONE: u32 = 1020;

fn with<T>(processors: usize, what: impl FnOnce(&mut GicV3) -> T) -> Option<T> {
    let distributor = NonNull::new(DISTRIBUTOR as *mut Gicd)?;
    let redistributors = NonNull::new(REDISTRIBUTORS as *mut GicrSgi)?;
    // SAFETY: they are there on this machine, mapped as a device. Processors come up one after the other (boot.rs), and afterwards
    // `enable` alone reaches them, with registers in which each bit is written by itself.
    let gic = unsafe { GicV3::new(UniqueMmioPointer::new(distributor), redistributors, processors) };
    gic.ok().map(|mut gic| what(&mut gic))
}

/// On the first processor, before the others.
pub(crate) fn set_up(processors: usize, lines: &[Line]) -> Option<()> {
    priority::set_up(lines.iter().map(|line| line.priority).chain([TIMER_PRIORITY]))?;
    with(processors, |gic| {
        // Beside Linux, distributor and groups are the monitor's.
        if !SECURE {
            gic.setup(0);
        }
        for processor in 0..processors {
            claim(gic, IntId::sgi(CALL), processor, 0, true)?;
            claim(gic, IntId::ppi(TIMER - 16), processor, priority(TIMER_PRIORITY), true)?;
        }
        for line in lines {
            let processor = usize::from(line.processor) - 1;
            let id =
                if line.number < 32 { IntId::ppi(line.number - 16) } else { IntId::spi(line.number - 32) };
            if line.number >= 32 {
                gic.distributor().set_routing(id, Some(processor as u64)).ok()?;
            }
            claim(gic, id, processor, priority(line.priority), line.enabled)?;
        }
        Some(())
    })?
}

/// An interrupt becomes the kernel's.
fn claim(gic: &mut GicV3, id: IntId, processor: usize, priority: u8, enabled: bool) -> Option<()> {
    if SECURE {
        gic.set_group(id, Some(processor), Group::Secure(SecureIntGroup::Group1S)).ok()?;
    }
    gic.set_interrupt_priority(id, Some(processor), priority).ok()?;
    gic.enable_interrupt(id, Some(processor), enabled).ok()
}

/// On each processor: its interface.
pub(crate) fn start(index: usize, processors: usize) -> Option<()> {
    with(processors, |gic| gic.init_cpu(index))?;
    GicCpuInterface::enable_group1(true);
    set_mask(0);
    Some(())
}

/// Keeps out what has this priority of ITRON's or a lower one; 0: nothing.
#[inline]
pub(crate) fn set_mask(itron: i32) {
    GicCpuInterface::set_priority_mask(if itron == 0 { 0xff } else { priority(itron) });
}

/// A line of this processor's, or of all.
pub(crate) fn enable(index: usize, number: u32, enabled: bool) {
    write_bit(index, number, if enabled { SET_ENABLE } else { CLEAR_ENABLE });
}

fn frame_of(index: usize, number: u32) -> usize {
    match number {
        0..32 => REDISTRIBUTORS + index * REDISTRIBUTOR_BYTES + OWN_FRAME,
        _ => DISTRIBUTOR,
    }
}

fn write_bit(index: usize, number: u32, registers: usize) {
    let register = frame_of(index, number) + registers + number as usize / 32 * 4;
    // SAFETY: a register of the controller, mapped as a device; a bit that is 0 changes nothing.
    unsafe { (register as *mut u32).write_volatile(1 << (number % 32)) };
}

/// A line, or the timer of a processor, is pending as if it had gone up.
pub fn raise(index: usize, number: u32) {
    write_bit(index, number, SET_PENDING);
}

/// What was asked for of a line, and not yet taken, is taken back.
pub(crate) fn clear(index: usize, number: u32) {
    write_bit(index, number, CLEAR_PENDING);
}

/// Whether a line is enabled.
pub fn is_enabled(index: usize, number: u32) -> bool {
    read_bit(index, number, SET_ENABLE)
}

/// Whether an interrupt of a line has not been taken yet.
pub(crate) fn is_pending(index: usize, number: u32) -> bool {
    read_bit(index, number, SET_PENDING)
}

fn read_bit(index: usize, number: u32, registers: usize) -> bool {
    let register = (frame_of(index, number) + registers + number as usize / 32 * 4) as *const u32;
    // SAFETY: a register of the controller, mapped as a device; reading it changes nothing.
    unsafe { register.read_volatile() >> (number % 32) & 1 != 0 }
}

/// Which interrupt has come; its priority is this processor's from now on.
#[inline(always)]
pub(crate) fn acknowledge() -> u32 {
    let id: u64;
    // SAFETY: ICC_IAR1_EL1. Reading it changes the interface alone.
    unsafe { asm!("mrs {}, s3_0_c12_c12_0", out(reg) id) };
    id as u32
}

/// It has been handled.
#[inline(always)]
pub(crate) fn end(id: u32) {
    // SAFETY: ICC_EOIR1_EL1, of an interrupt that was acknowledged last.
    unsafe { asm!("msr s3_0_c12_c12_1, {}", in(reg) u64::from(id)) };
}

/// Interrupts another processor. What was written before is seen by it.
#[inline(always)]
pub(crate) fn call(index: usize) {
    // SAFETY: ICC_SGI1R_EL1: the interrupt's number, to those of affinity 0.0.0 whose bit is set.
    unsafe { asm!("dsb ishst", "msr s3_0_c12_c11_5, {}", in(reg) (CALL as u64) << 24 | 1u64 << index) };
}
