//! What programs print, in whole lines, so that those of several tasks do not mix; and what they read, from the serial line.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use tokkyu_callbacks::Level;
use tokkyu_callbacks::port::port;
use tokkyu_callbacks::sync::Mutex;
use tokkyu_rtos_aarch64::Console;

/// A line that is longer is printed in parts.
const LONGEST: usize = 1024;

static LINE: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// One byte of standard output or standard error.
#[unsafe(no_mangle)]
extern "C" fn tokkyu_put(byte: u8) {
    let mut line = LINE.lock();
    if byte != b'\n' {
        line.push(byte);
        if line.len() < LONGEST {
            return;
        }
    }
    let whole = String::from_utf8_lossy(&line).into_owned();
    line.clear();
    drop(line);
    port().print(Level::Info, &whole);
}

/// Between two looks whether somebody has sent a byte.
const LOOK: Duration = Duration::from_millis(5);

/// One byte of standard input: waits for it.
#[unsafe(no_mangle)]
extern "C" fn tokkyu_get() -> i32 {
    loop {
        if let Some(byte) = Console.read() {
            // A terminal's key for the end of a line.
            return i32::from(if byte == b'\r' { b'\n' } else { byte });
        }
        port().sleep_until(port().now() + LOOK);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn write(file: i32, bytes: *const u8, len: usize) -> isize {
    if file != 1 && file != 2 {
        return -1;
    }
    for at in 0..len {
        // SAFETY: so many bytes.
        tokkyu_put(unsafe { *bytes.add(at) });
    }
    len as isize
}
