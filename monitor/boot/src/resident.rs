//! Puts the resident part into secure memory (MON-1, MON-2).

use alloc::string::{String, ToString};
use core::ptr;

use tokkyu_monitor_core::Handoff;

use crate::header::{BYTES_MAX, Header, PLACE};
use crate::tables;

unsafe extern "C" {
    /// Its file, in flash.
    static resident_file: u8;
}

/// Copies it, clears what is to be zero, makes its tables, and tells it what it has to know. Answers its first instruction.
pub(crate) fn place(handoff: &Handoff) -> Result<u64, String> {
    let file = &raw const resident_file;
    // SAFETY: flash, which the image of both parts reaches to.
    let header = unsafe { file.cast::<Header>().read_unaligned() };
    let end = (PLACE + BYTES_MAX) as u64;
    if &header.magic != b"TOKKYUM1"
        || header.file_end < PLACE as u64
        || header.file_end > header.memory_end
        || header.memory_end > end
    {
        return Err("the image has no resident part: monitor/build makes one that has".to_string());
    }
    let bytes = header.file_end as usize - PLACE;
    // SAFETY: secure memory that is set aside for it and nobody else has.
    unsafe {
        ptr::copy_nonoverlapping(file, PLACE as *mut u8, bytes);
        ptr::write_bytes((PLACE + bytes) as *mut u8, 0, header.memory_end as usize - PLACE - bytes);
        (header.handoff as *mut Handoff).write(*handoff);
    }
    tables::make(&header, handoff.memory())?;
    Ok(header.entry)
}
