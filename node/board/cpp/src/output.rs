//! What programs print: whole lines, so that those of several tasks do not mix.

use alloc::string::String;
use alloc::vec::Vec;

use tokkyu_callbacks::Level;
use tokkyu_callbacks::port::port;
use tokkyu_callbacks::sync::Mutex;

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
