//! Words on the first serial line.

use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

/// Something was not as it should be.
pub static FAILED: AtomicBool = AtomicBool::new(false);

/// One line.
#[macro_export]
macro_rules! say {
    ($($word:tt)*) => {{
        let mut line = tokkyu_monitor_machine::serial::FIRST;
        let _ = core::fmt::Write::write_fmt(&mut line, format_args!($($word)*));
        let _ = core::fmt::Write::write_str(&mut line, "\r\n");
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
