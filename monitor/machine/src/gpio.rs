//! The end of the machine (MON-40): a PL061 that the secure world alone sees, whose pin 0 switches off and pin 1 resets (QEMU, hw/arm/virt.c;
//! ARM DDI 0190, section 3.3).

use core::arch::asm;

const DEVICE: usize = 0x090b_0000;
const DIRECTION: usize = 0x400;
const OFF: u32 = 1 << 0;
const RESET: u32 = 1 << 1;

/// A pin goes up.
fn raise(pin: u32) -> ! {
    // Bits 2 to 9 of the address say which bits of the data count.
    let data = (DEVICE + ((pin as usize) << 2)) as *mut u32;
    // SAFETY: the device is there, and what it does ends everything.
    unsafe {
        ((DEVICE + DIRECTION) as *mut u32).write_volatile(RESET | OFF);
        data.write_volatile(0);
        data.write_volatile(pin);
    }
    loop {
        // It rests: an emulator that counts instructions does not get to end a processor that spins.
        // SAFETY: it waits.
        unsafe { asm!("wfi", options(nomem, nostack)) };
    }
}

/// Off.
pub fn off() -> ! {
    raise(OFF)
}

/// Begins anew.
pub fn reset() -> ! {
    raise(RESET)
}
