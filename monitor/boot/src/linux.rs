//! Brings Linux into memory (MON-10, MON-11), and before it the RTOS.

use alloc::format;
use alloc::string::{String, ToString};
use core::slice;

use tokkyu_monitor_boot::{Changes, HEADER_BYTES, Kernel, Places, edit, memory_of, processors_of};
use tokkyu_monitor_core::{Handoff, Range, SHARED_BYTES};

use crate::{fw_cfg, rtos};

/// Where QEMU puts the machine's device tree for a firmware: at the beginning of memory, 1 MiB at most.
const TREE: usize = 0x4000_0000;
const TREE_BYTES_MAX: usize = 1 << 20;
/// Behind it, before the kernel: for what the device writes and nobody keeps.
const SCRATCH: usize = TREE + TREE_BYTES_MAX;

/// The machine's device tree; it is copied, for Linux's lies where it is.
fn tree() -> Result<alloc::vec::Vec<u8>, String> {
    // SAFETY: memory of the machine. Two words in big-endian order: magic, and length of all (Devicetree Specification, section 5.2).
    let words: [u32; 2] = unsafe { (TREE as *const [u32; 2]).read_volatile() };
    let bytes = u32::from_be(words[1]) as usize;
    if u32::from_be(words[0]) != 0xd00d_feed || bytes > TREE_BYTES_MAX {
        return Err("the machine has no device tree at 0x40000000: is it QEMU's virt?".to_string());
    }
    // SAFETY: as long as it says, in memory of the machine that nobody writes to.
    Ok(unsafe { slice::from_raw_parts(TREE as *const u8, bytes) }.to_vec())
}

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

/// Everything in its place; what the resident part has to know of it.
pub(crate) fn bring() -> Result<Handoff, String> {
    let told = |error: &dyn core::fmt::Display| format!("{error}");
    let tree = tree()?;
    let memory = memory_of(&tree).map_err(|error| told(&error))?;
    let processors = processors_of(&tree).map_err(|error| told(&error))?;
    if !fw_cfg::is_there() {
        return Err("the machine has no fw_cfg with DMA".to_string());
    }
    let first = memory.iter().find(|range| range.holds(TREE as u64, 1)).copied().unwrap_or_default();
    // In memory that gets Linux's files below.
    let rtos = rtos::bring(first, SCRATCH)?;
    let (kernel_file, initrd_file) = (fw_cfg::kernel(), fw_cfg::initrd());
    let kernel = Kernel::read(&kernel_file.begin(HEADER_BYTES)).map_err(|error| told(&error))?;
    let (kernel_bytes, initrd_bytes) = (kernel_file.bytes.into(), initrd_file.bytes.into());
    let places = Places::find(first, &kernel, kernel_bytes, initrd_bytes).map_err(|error| told(&error))?;
    let line = command_line()?;
    let initrd = (initrd_bytes > 0).then_some(Range { base: places.initrd, bytes: initrd_bytes });
    let shared = Range { base: places.shared, bytes: SHARED_BYTES };
    let changes = Changes { command_line: line.as_deref(), initrd, shared: Some(shared) };
    let edited = edit(&tree, &changes).map_err(|error| told(&error))?;
    // SAFETY: memory that is there for them (`Places`), apart from each other and from scratch; the old tree is not needed any more.
    unsafe {
        if !kernel_file.write_to(places.kernel, SCRATCH)
            || (initrd_bytes > 0 && !initrd_file.write_to(places.initrd, SCRATCH))
        {
            return Err("QEMU did not give kernel and initrd out".to_string());
        }
        core::ptr::write_bytes(shared.base as *mut u8, 0, SHARED_BYTES as usize);
        core::ptr::copy_nonoverlapping(edited.as_ptr(), places.tree as *mut u8, edited.len());
    }
    let mut handoff = Handoff {
        entry: places.kernel,
        tree: places.tree,
        rtos: rtos.unwrap_or(0),
        shared: shared.base,
        processors: processors as u64,
        ranges: memory.len() as u64,
        ..Handoff::NONE
    };
    handoff.memory[..memory.len()].copy_from_slice(&memory);
    Ok(handoff)
}
