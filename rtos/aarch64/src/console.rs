//! Words for whoever looks on: a PL011 serial line.

use core::fmt;

use crate::secure::SECURE;

/// Of QEMU's machine `virt`: the first serial line, or the one that the secure world alone has.
const UART: *mut u32 = (if SECURE { 0x0904_0000 } else { 0x0900_0000 }) as *mut u32;
/// Flag register, in words, and its bits "transmit FIFO is full" and "receive FIFO is empty" (PL011 reference manual, 3.3.3).
const FLAGS: usize = 6;
const FULL: u32 = 1 << 5;
const EMPTY: u32 = 1 << 4;

/// The serial line. What several processors write at once is mixed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Console;

impl Console {
    /// A byte that somebody has sent, if there is one.
    pub fn read(self) -> Option<u8> {
        // SAFETY: as below; a read of the data register takes the byte that has come.
        unsafe { (UART.add(FLAGS).read_volatile() & EMPTY == 0).then(|| UART.read_volatile() as u8) }
    }
}

impl fmt::Write for Console {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        for byte in words.bytes() {
            // SAFETY: the device is mapped (memory.rs) and always there; a write to its data register sends a byte.
            unsafe {
                while UART.add(FLAGS).read_volatile() & FULL != 0 {}
                UART.write_volatile(u32::from(byte));
            }
        }
        Ok(())
    }
}
