//! Serial lines: PL011 (ARM DDI 0183, section 3.2).

use core::fmt;

const FLAGS: usize = 0x18;
const CONTROL: usize = 0x30;
/// In the flags: it cannot take more now.
const FULL: u32 = 1 << 5;
/// In the control: on, and sending.
const ON: u32 = 1 << 0 | 1 << 8;

/// A line, by the address of its device.
#[derive(Clone, Copy, Debug)]
pub struct Serial(usize);

/// The first, which is Linux's.
pub const FIRST: Serial = Serial(0x0900_0000);
/// The one that the secure world alone sees.
pub const SECURE: Serial = Serial(0x0904_0000);

impl Serial {
    /// Where its device is.
    pub const fn address(self) -> usize {
        self.0
    }

    /// Sends a byte.
    pub fn put(self, byte: u8) {
        // SAFETY: a device of the machine; what several write at once is mixed.
        unsafe {
            ((self.0 + CONTROL) as *mut u32).write_volatile(ON);
            while ((self.0 + FLAGS) as *const u32).read_volatile() & FULL != 0 {}
            (self.0 as *mut u32).write_volatile(byte.into());
        }
    }
}

impl fmt::Write for Serial {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        words.bytes().for_each(|byte| self.put(byte));
        Ok(())
    }
}
