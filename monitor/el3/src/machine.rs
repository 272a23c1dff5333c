//! What the machine does for all (MON-40): QEMU's `virt`.

use core::arch::asm;

/// A PL061 that the secure world alone sees; its pin 0 switches off, pin 1 resets (QEMU, hw/arm/virt.c; ARM DDI 0190, section 3.3).
const GPIO: usize = 0x090b_0000;
const DIRECTION: usize = 0x400;
const RESET: u32 = 1 << 1;
const OFF: u32 = 1 << 0;

/// A pin goes up.
fn raise(pin: u32) -> ! {
    // Bits 2 to 9 of the address say which bits of the data count.
    let data = (GPIO + ((pin as usize) << 2)) as *mut u32;
    // SAFETY: the device is mapped, and what it does ends everything.
    unsafe {
        ((GPIO + DIRECTION) as *mut u32).write_volatile(RESET | OFF);
        data.write_volatile(0);
        data.write_volatile(pin);
    }
    loop {
        wait_for_interrupt();
    }
}

pub(crate) fn off() -> ! {
    raise(OFF)
}

pub(crate) fn reset() -> ! {
    raise(RESET)
}

/// Until there is one, masked or not.
pub(crate) fn wait_for_interrupt() {
    // SAFETY: it waits.
    unsafe { asm!("dsb sy", "wfi", options(nostack)) };
}
