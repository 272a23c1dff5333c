//! The interrupt controller's interface to a processor (MON-13). Distributor and redistributors are the boot part's, but for what makes
//! an interrupt pending.

use core::arch::asm;

/// The monitor's own, of group 0: a processor that is off is to look.
const WAKE: u64 = 15;
/// Numbers from here on say that there is none.
const NONE: u64 = 1020;
const OF_RTOS: u64 = 1020;
/// Registers of the distributor (IHI 0069, GICD_ISPENDR<n>).
const SET_PENDING: usize = 0x0800_0200;
/// As many interrupts can be handled at once, each more urgent than the one before.
const LEVELS: u64 = 32;

/// On each processor: system registers, for all levels and both worlds; group 0 comes here.
pub(crate) fn begin() {
    // SAFETY: registers of this level, whose values leave memory as it is. SRE, no bypass, and lower levels may use theirs. Those of EL1
    // are two, of which NS in SCR_EL3 chooses; it is set when this returns as it was.
    unsafe {
        asm!(
            "msr s3_6_c12_c12_5, {all}", // ICC_SRE_EL3
            "isb",
            "mrs {scr}, scr_el3",
            "bic {secure}, {scr}, #1",
            "msr scr_el3, {secure}",
            "isb",
            "msr s3_0_c12_c12_5, {own}", // ICC_SRE_EL1, secure
            "isb",
            "msr scr_el3, {scr}",
            "isb",
            "msr s3_0_c12_c12_5, {own}", // and not
            "isb",
            "msr s3_0_c4_c6_0, {lowest}", // ICC_PMR_EL1
            "msr s3_0_c12_c12_6, {one}",  // ICC_IGRPEN0_EL1
            "isb",
            all = in(reg) 0xf_u64,
            own = in(reg) 7_u64,
            lowest = in(reg) 0xff_u64,
            one = in(reg) 1_u64,
            scr = out(reg) _,
            secure = out(reg) _,
            options(nostack)
        );
    }
}

/// Has a processor look, which waits for interrupts.
pub(crate) fn wake(index: usize) {
    // ICC_SGI0R_EL1: the number, and a bit for the processor among those of affinity 1 to 3 that are 0.
    // SAFETY: an interrupt that `acknowledge` takes.
    unsafe {
        asm!("dsb ishst", "msr s3_0_c12_c11_7, {}", "isb", in(reg) WAKE << 24 | 1 << index, options(nostack))
    };
}

/// An interrupt that all processors have becomes pending, whoever's it is.
pub(crate) fn raise(number: u32) {
    let register = SET_PENDING + number as usize / 32 * 4;
    // SAFETY: a register of the distributor, mapped as a device; a bit that is 0 changes nothing, so nobody else's is lost.
    unsafe { (register as *mut u32).write_volatile(1 << (number % 32)) };
}

/// Whether the most urgent interrupt that waits is the RTOS's.
pub(crate) fn is_of_rtos() -> bool {
    let number: u64;
    // SAFETY: ICC_HPPIR0_EL1; reading it changes nothing. At this level it says 1020 of one of group 1, secure.
    unsafe { asm!("mrs {}, s3_0_c12_c8_2", out(reg) number, options(nomem, nostack)) };
    number == OF_RTOS
}

/// Takes an interrupt of group 0, if there is one: it has done what it should.
pub(crate) fn acknowledge() {
    let number: u64;
    // SAFETY: ICC_IAR0_EL1.
    unsafe { asm!("mrs {}, s3_0_c12_c8_0", out(reg) number, options(nostack)) };
    if number < NONE {
        // SAFETY: ICC_EOIR0_EL1, of what was taken.
        unsafe { asm!("msr s3_0_c12_c8_1, {}", "isb", in(reg) number, options(nostack)) };
    }
}

/// Linux has not, or not yet, this processor: its interrupts are not signalled, and when it begins it finds none of before that is being
/// handled: it would keep out all that are not more urgent. Where the register of those cannot be written (QEMU ignores it of the non-secure ones), each is ended.
pub(crate) fn forget_linux() {
    // SAFETY: registers of the interface, whose values leave memory as it is: ICC_AP1R0_EL1, ICC_IGRPEN1_EL1, ICC_RPR_EL1 and
    // ICC_EOIR1_EL1, non-secure, which NS in SCR_EL3 chooses; it is as it was when this returns. The RTOS is idle here, and the monitor
    // handles none: whatever has a priority now was Linux's.
    unsafe {
        asm!(
            "mrs {scr}, scr_el3",
            "orr {other}, {scr}, #1",
            "msr scr_el3, {other}",
            "isb",
            "msr s3_0_c12_c9_0, xzr",
            "msr s3_0_c12_c12_7, xzr",
            "isb",
            "2:",
            "mrs {other}, s3_0_c12_c11_3",
            "and {other}, {other}, #0xff",
            "cmp {other}, #0xff",
            "b.eq 3f",
            "msr s3_0_c12_c12_1, xzr",
            "isb",
            "subs {most}, {most}, #1",
            "b.ne 2b",
            "3:",
            "msr scr_el3, {scr}",
            "isb",
            scr = out(reg) _,
            other = out(reg) _,
            most = inout(reg) LEVELS => _,
            options(nostack)
        );
    }
}

/// Until there is an interrupt, masked or not.
pub(crate) fn wait() {
    // SAFETY: it waits.
    unsafe { asm!("dsb sy", "wfi", options(nostack)) };
}
