//! What the boot loader says: words `NAME=VALUE` of `/chosen/bootargs` in the device tree.

use core::ops::Range;

use dtoolkit::fdt::Fdt;
use dtoolkit::{Node, Property};

/// Where QEMU puts the device tree of an image that is no Linux: at the beginning of memory, board.ld leaves it room.
pub(crate) const TREE: Range<usize> = 0x4000_0000..0x4010_0000;

fn all() -> Option<&'static str> {
    // SAFETY: it is mapped (`Parts::memory`), nobody writes there, and a tree that is longer than its room is not put there.
    let tree = unsafe { Fdt::from_raw(TREE.start as *const u8) }.ok()?;
    let chosen = tree.find_node("/chosen")?;
    let property = chosen.properties().find(|property| property.name() == "bootargs")?;
    property.value_as().ok()
}

/// The words.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    all().unwrap_or_default().split_ascii_whitespace()
}

/// The value of a name.
pub(crate) fn find(name: &str) -> Option<&'static str> {
    words().filter_map(|word| word.split_once('=')).find(|(found, _)| *found == name).map(|(_, value)| value)
}
