//! What an image has that has the machine to itself: QEMU's `virt`.

use core::ops::Range;

use dtoolkit::fdt::Fdt;
use dtoolkit::{Node, Property};
use tokkyu_rtos_aarch64::Line;
use tokkyu_rtos_virtio::Slots;

use crate::tables::LINE_PRIORITY;

const SLOTS: usize = Slots::VIRT.count;

/// Where QEMU puts the device tree of an image that is no Linux: at the beginning of memory, board.ld leaves it room.
const TREE: Range<usize> = 0x4000_0000..0x4010_0000;
/// Behind the image, in 2 MiB of the machine's memory each.
const HEAP: Range<usize> = 0x4040_0000..0x4140_0000;

/// What is to be mapped beside the image.
pub(crate) static MEMORY: [Range<usize>; 2] = [TREE, HEAP];

/// Of all slots: which one the network's device is in is found out later.
pub(crate) static LINES: [Line; SLOTS] = {
    let mut lines = [Line { number: 0, processor: 1, priority: LINE_PRIORITY, enabled: false }; SLOTS];
    let mut at = 0;
    while at < SLOTS {
        lines[at].number = Slots::VIRT.line + at as u32;
        at += 1;
    }
    lines
};

/// For the heap; nobody else's.
pub(crate) fn heap() -> *mut [u8] {
    core::ptr::slice_from_raw_parts_mut(HEAP.start as *mut u8, HEAP.len())
}

/// What the boot loader says.
pub(crate) fn words() -> Option<&'static str> {
    // SAFETY: it is mapped (`MEMORY`), nobody writes there, and a tree that is longer than its room is not put there.
    let tree = unsafe { Fdt::from_raw(TREE.start as *const u8) }.ok()?;
    let chosen = tree.find_node("/chosen")?;
    let property = chosen.properties().find(|property| property.name() == "bootargs")?;
    property.value_as().ok()
}
