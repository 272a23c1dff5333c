//! The end of what cannot go on (MON-4).

use core::fmt::Write;

use tokkyu_monitor_machine::{gpio, serial};

/// Says why, once, and switches the machine off.
pub(crate) fn stop(words: core::fmt::Arguments<'_>) -> ! {
    let mut line = serial::FIRST;
    let _ = write!(line, "monitor: {words}\r\n");
    gpio::off()
}
