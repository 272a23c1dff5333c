//! Words for whoever looks on: a PL011 serial line.

use core::fmt;

/// Of QEMU's machine `virt`.
const UART: *mut u32 = 0x0900_0000 as *mut u32;
/// Flag register, in words, and its bit "transmit FIFO is full" (PL011 reference manual, 3.3.3).
const FLAGS: usize = 6;
const FULL: u32 = 1 << 5;

/// The serial line. What several processors write at once is mixed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Console;

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
