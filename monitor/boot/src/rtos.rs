//! Brings the RTOS into its memory (MON-50), and reads what it may take of each processor (MON-81).

use alloc::format;
use alloc::string::{String, ToString};
use core::{ptr, slice};

use tokkyu_monitor_boot::{BUDGETS, BUDGETS_BYTES_MOST, Image, Part, budgets};
use tokkyu_monitor_core::{Budget, PROCESSORS_MAX, Range};
use tokkyu_monitor_machine::fw_cfg;

const NAME: &str = "opt/org.tokkyu/rtos";
/// From scratch to where the file is while it is looked at: the device sees no secure memory.
const PAGE_BYTES: usize = 4096;

/// Answers its first instruction; nothing: QEMU has no such file. Uses `memory` from `scratch` on, of which nothing is needed yet.
pub(crate) fn bring(memory: Range, scratch: usize) -> Result<Option<u64>, String> {
    let Some(file) = fw_cfg::named(NAME) else {
        return Ok(None);
    };
    let at = (scratch + PAGE_BYTES) as u64;
    if !memory.holds(at, file.bytes.into()) {
        return Err(format!("the RTOS's file has {} bytes, more than there is memory", file.bytes));
    }
    // SAFETY: memory of the machine, as long as the file is, that nobody has.
    let bytes = unsafe {
        if !file.write_to(at, scratch) {
            return Err("QEMU did not give the RTOS out".to_string());
        }
        slice::from_raw_parts(at as *const u8, file.bytes as usize)
    };
    let image = Image::read(bytes).map_err(|error| format!("{error}"))?;
    image.parts().for_each(load);
    Ok(Some(image.entry()))
}

/// None of any processor, where QEMU has no such file.
pub(crate) fn budgets_of(processors: usize) -> Result<[Budget; PROCESSORS_MAX], String> {
    // One byte more than there may be is seen to be too many.
    let text = fw_cfg::named(BUDGETS).map(|file| file.begin(BUDGETS_BYTES_MOST + 1)).unwrap_or_default();
    budgets(&text, processors).map_err(|error| format!("{error}"))
}

fn load(part: Part<'_>) {
    let Part { bytes, memory } = part;
    // SAFETY: `Image` gives what lies in the RTOS's memory, which nobody has yet.
    unsafe {
        ptr::copy_nonoverlapping(bytes.as_ptr(), memory.base as *mut u8, bytes.len());
        let rest = memory.bytes as usize - bytes.len();
        ptr::write_bytes((memory.base as usize + bytes.len()) as *mut u8, 0, rest);
    }
}
