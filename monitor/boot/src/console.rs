//! Words on the first serial line, which is Linux's later: a PL011 (ARM DDI 0183).

use core::fmt::{self, Write};

pub(crate) const DEVICE: usize = 0x0900_0000;
const FLAGS: usize = 0x18;
const CONTROL: usize = 0x30;
const FULL: u32 = 1 << 5;
const ON: u32 = 1 << 0 | 1 << 8;

struct Line;

impl Write for Line {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        for byte in words.bytes() {
            // SAFETY: a device of the machine that nobody else uses yet.
            unsafe {
                ((DEVICE + CONTROL) as *mut u32).write_volatile(ON);
                while ((DEVICE + FLAGS) as *const u32).read_volatile() & FULL != 0 {}
                (DEVICE as *mut u32).write_volatile(byte.into());
            }
        }
        Ok(())
    }
}

pub(crate) fn print(words: fmt::Arguments<'_>) {
    let _ = Line.write_fmt(words);
}
