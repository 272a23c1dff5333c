//! Brings Linux into memory (MON-10, MON-11).

use alloc::format;
use alloc::string::{String, ToString};
use core::{ptr, slice};

use tokkyu_monitor_boot::{
    Changes, HEADER_BYTES, Kernel, Places, TREE_HEADER_WORDS, edit, memory_of, used_bytes,
};
use tokkyu_monitor_core::{Range, SHARED_BYTES, TREE};
use tokkyu_monitor_machine::fw_cfg::{self, File};
use tokkyu_monitor_placement::TELLING_AT;

/// For what the device reads and writes of an access, and nobody keeps.
#[repr(C, align(16))]
struct Scratch([u8; 16]);

static mut SCRATCH: Scratch = Scratch([0; 16]);

fn command_line() -> Result<Option<String>, String> {
    let mut line = fw_cfg::command_line().begin(usize::MAX);
    while line.last() == Some(&0) {
        line.pop();
    }
    if line.is_empty() {
        return Ok(None);
    }
    String::from_utf8(line).map(Some).map_err(|_| "the command line (-append) is no UTF-8".to_string())
}

/// Everything in its place; where Linux begins, and its device tree.
pub(crate) fn bring() -> Result<(u64, u64), String> {
    let told = |error: &dyn core::fmt::Display| format!("{error}");
    // SAFETY: the resident part has put the machine's tree there, as long as it says; it is written when it is not needed any more.
    let tree = unsafe {
        let header = (TREE as *const [u32; TREE_HEADER_WORDS]).read_volatile();
        slice::from_raw_parts(TREE as *const u8, used_bytes(header).map_err(|error| told(&error))?)
    };
    let memory = memory_of(tree).map_err(|error| told(&error))?;
    let first = memory.iter().find(|range| range.holds(TREE, 1)).copied().unwrap_or_default();
    let (kernel_file, initrd_file) = (fw_cfg::kernel(), fw_cfg::initrd());
    let kernel = Kernel::read(&kernel_file.begin(HEADER_BYTES)).map_err(|error| told(&error))?;
    let (kernel_bytes, initrd_bytes) = (kernel_file.bytes.into(), initrd_file.bytes.into());
    let places = Places::find(first, &kernel, kernel_bytes, initrd_bytes).map_err(|error| told(&error))?;
    let line = command_line()?;
    let initrd = (initrd_bytes > 0).then_some(Range { base: places.initrd, bytes: initrd_bytes });
    let shared = Range { base: places.shared, bytes: SHARED_BYTES };
    let changes = Changes { command_line: line.as_deref(), initrd, shared: Some(shared) };
    let edited = edit(tree, &changes).map_err(|error| told(&error))?;
    // What the Linux of before has told the RTOS is of no use any more (MON-71).
    // SAFETY: in memory that is set aside for it; the RTOS reads it meanwhile.
    unsafe { ((places.shared + TELLING_AT) as *mut u64).write_volatile(0) };
    write(kernel_file, places.kernel)?;
    if initrd_bytes > 0 {
        write(initrd_file, places.initrd)?;
    }
    // SAFETY: room of 2 MiB, of which the loader has the second half and the tree is never longer than the first.
    unsafe { ptr::copy_nonoverlapping(edited.as_ptr(), places.tree as *mut u8, edited.len()) };
    Ok((places.kernel, places.tree))
}

/// To memory that `Places` has found for it.
fn write(file: File, to: u64) -> Result<(), String> {
    // SAFETY: that memory is there, and nobody's.
    match unsafe { file.write_to(to, &raw mut SCRATCH as usize) } {
        true => Ok(()),
        false => Err("QEMU did not give kernel and initrd out".to_string()),
    }
}
