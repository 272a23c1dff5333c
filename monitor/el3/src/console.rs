//! Words on the secure serial line: a PL011 (ARM DDI 0183, section 3.2).

const DEVICE: usize = 0x0904_0000;
const FLAGS: usize = 0x18;
const CONTROL: usize = 0x30;
/// In the flags: it cannot take more now.
const FULL: u32 = 1 << 5;
/// In the control: on, and sending.
const ON: u32 = 1 << 0 | 1 << 8;

fn put(byte: u8) {
    // SAFETY: the device is mapped, and is the monitor's alone.
    unsafe {
        ((DEVICE + CONTROL) as *mut u32).write_volatile(ON);
        while ((DEVICE + FLAGS) as *const u32).read_volatile() & FULL != 0 {}
        (DEVICE as *mut u32).write_volatile(byte.into());
    }
}

pub(crate) fn print(words: &str) {
    words.bytes().for_each(put);
}

/// In hexadecimal.
pub(crate) fn print_number(number: u64) {
    print("0x");
    let digits = (0..16).rev().map(|at| (number >> (4 * at)) as usize & 0xf);
    digits.for_each(|digit| put(b"0123456789abcdef"[digit]));
}
