//! What is kept for each time that Linux begins (MON-1, MON-2): the loader, and the machine's device tree.

use alloc::format;
use alloc::string::{String, ToString};
use core::{ptr, slice};

use tokkyu_monitor_boot::{TREE_HEADER_WORDS, memory_of, processors_of, shared_of, used_bytes};
use tokkyu_monitor_core::{Handoff, KEPT_BYTES, LOADER_KEPT, LOADING_BYTES, TREE, TREE_KEPT};
use tokkyu_monitor_machine::fw_cfg;

use crate::rtos;

unsafe extern "C" {
    /// The loader's file, in flash.
    static loader_file: u8;
}

/// How the loader begins (tokkyu-monitor-loader's entry.rs).
#[repr(C)]
struct Header {
    code: u64,
    magic: [u8; 8],
    bytes: u64,
}

/// Keeps both, and brings the RTOS; what the resident part has to know of it.
pub(crate) fn bring() -> Result<Handoff, String> {
    let told = |error: &dyn core::fmt::Display| format!("{error}");
    let tree = keep_tree()?;
    let memory = memory_of(tree).map_err(|error| told(&error))?;
    let processors = processors_of(tree).map_err(|error| told(&error))?;
    let first = memory.iter().find(|range| range.holds(TREE, LOADING_BYTES)).copied();
    let (first, shared) = first
        .and_then(|first| Some((first, shared_of(first)?)))
        .ok_or_else(|| "the machine has too little memory from 0x40000000 on: QEMU's -m".to_string())?;
    if !fw_cfg::is_there() {
        return Err("the machine has no fw_cfg with DMA".to_string());
    }
    let rtos = rtos::bring(first, TREE as usize)?;
    // SAFETY: memory that nobody has yet.
    unsafe { ptr::write_bytes(shared.base as *mut u8, 0, shared.bytes as usize) };
    let mut handoff = Handoff {
        loader_bytes: keep_loader()?,
        tree_bytes: tree.len() as u64,
        rtos: rtos.unwrap_or(0),
        shared: shared.base,
        processors: processors as u64,
        ranges: memory.len() as u64,
        budgets: rtos::budgets_of(processors)?,
        ..Handoff::NONE
    };
    handoff.memory[..memory.len()].copy_from_slice(&memory);
    Ok(handoff)
}

/// QEMU puts it, for a firmware, at the beginning of memory; its length says then how much room it has.
fn keep_tree() -> Result<&'static [u8], String> {
    // SAFETY: memory of the machine, as long as the tree says, and secure memory that is set aside for it.
    unsafe {
        let header = (TREE as *const [u32; TREE_HEADER_WORDS]).read_volatile();
        let bytes = used_bytes(header)
            .map_err(|error| format!("no device tree at {TREE:#x}, is it QEMU's virt? {error}"))?;
        ptr::copy_nonoverlapping(TREE as *const u8, TREE_KEPT as *mut u8, bytes);
        (TREE_KEPT as *mut u32).add(1).write((bytes as u32).to_be());
        Ok(slice::from_raw_parts(TREE_KEPT as *const u8, bytes))
    }
}

fn keep_loader() -> Result<u64, String> {
    let file = &raw const loader_file;
    // SAFETY: flash, which the image of all three reaches to; secure memory that is set aside for it.
    unsafe {
        let header = file.cast::<Header>().read_unaligned();
        if &header.magic != b"TOKKYUL1" || header.bytes > KEPT_BYTES {
            return Err("the image has no loader: monitor/build makes one that has".to_string());
        }
        ptr::copy_nonoverlapping(file, LOADER_KEPT as *mut u8, header.bytes as usize);
        Ok(header.bytes)
    }
}
