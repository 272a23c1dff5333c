//! Words on the first serial line, a PL011.

use core::fmt::{self, Write};
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

const DEVICE: usize = 0x0900_0000;
const FLAGS: usize = 0x18;
const FULL: u32 = 1 << 5;

/// Something was not as it should be.
pub static FAILED: AtomicBool = AtomicBool::new(false);

pub struct Line;

impl Write for Line {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        for byte in words.bytes() {
            // SAFETY: a device of the machine.
            unsafe {
                while ((DEVICE + FLAGS) as *const u32).read_volatile() & FULL != 0 {}
                (DEVICE as *mut u32).write_volatile(byte.into());
            }
        }
        Ok(())
    }
}

/// One line.
#[macro_export]
macro_rules! say {
    ($($word:tt)*) => {{
        let _ = core::fmt::Write::write_fmt(&mut $crate::console::Line, format_args!($($word)*));
        let _ = core::fmt::Write::write_str(&mut $crate::console::Line, "\r\n");
    }};
}

/// What is to be so.
#[macro_export]
macro_rules! expect {
    ($name:expr, $is:expr, $wanted:expr) => {{
        let (is, wanted) = ($is, $wanted);
        if is != wanted {
            $crate::console::FAILED.store(true, core::sync::atomic::Ordering::Relaxed);
            $crate::say!("FAILED {}: {:#x?} in place of {:#x?}", $name, is, wanted);
        }
    }};
}

pub fn has_failed() -> bool {
    FAILED.load(Relaxed)
}
