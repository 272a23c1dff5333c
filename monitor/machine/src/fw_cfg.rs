//! What QEMU's command line names (MON-10, MON-50): its firmware configuration device (QEMU, docs/specs/fw_cfg.rst).

use alloc::vec::Vec;
use core::ptr::{read_volatile, write_volatile};

const DATA: usize = 0x0902_0000;
const SELECTOR: usize = DATA + 8;
const ADDRESS: usize = DATA + 16;

/// Items by their number (QEMU, include/standard-headers/linux/qemu_fw_cfg.h and hw/nvram/fw_cfg_keys.h).
const SIGNATURE: u16 = 0x00;
const FEATURES: u16 = 0x01;
/// In the features: memory is written by the device.
const HAS_DMA: u32 = 1 << 1;
/// In an access: this item, read; what went wrong.
const SELECT: u32 = 1 << 3;
const READ: u32 = 1 << 1;
const ERROR: u32 = 1 << 0;

/// One of QEMU's files: how long it is, 0 if there is none, and the number of its bytes.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// How long it is; 0: there is none.
    pub bytes: u32,
    data: u16,
}

/// The directory of files with names: their number, then an entry for each, big-endian: length, number, nothing, name.
const DIRECTORY: u16 = 0x19;
const ENTRY_BYTES: usize = 64;
const FILES_MAX: usize = 1 << 16;

/// `-kernel`.
pub fn kernel() -> File {
    File { bytes: number(0x08), data: 0x11 }
}

/// `-initrd`.
pub fn initrd() -> File {
    File { bytes: number(0x0b), data: 0x12 }
}

/// `-append`, which ends with a zero.
pub fn command_line() -> File {
    File { bytes: number(0x14), data: 0x15 }
}

/// The file of a name, if QEMU was given one: `-fw_cfg name=NAME,file=FILE`.
pub fn named(name: &str) -> Option<File> {
    let count = item(DIRECTORY, 4).try_into().map_or(0, u32::from_be_bytes) as usize;
    let directory = item(DIRECTORY, 4 + count.min(FILES_MAX) * ENTRY_BYTES);
    let entry = directory.get(4..)?.chunks_exact(ENTRY_BYTES).find(|entry| {
        let words = entry[8..].split(|byte| *byte == 0).next();
        words == Some(name.as_bytes())
    })?;
    let bytes = u32::from_be_bytes(entry[..4].try_into().ok()?);
    Some(File { bytes, data: u16::from_be_bytes(entry[4..6].try_into().ok()?) })
}

/// The beginning of an item.
fn item(number: u16, bytes: usize) -> Vec<u8> {
    // SAFETY: a device of the machine. It is big-endian, and gives the next byte each time.
    unsafe {
        write_volatile(SELECTOR as *mut u16, number.to_be());
        (0..bytes).map(|_| read_volatile(DATA as *const u8)).collect()
    }
}

fn number(item_number: u16) -> u32 {
    item(item_number, 4).try_into().map_or(0, u32::from_le_bytes)
}

/// Whether the machine has one that can write to memory.
pub fn is_there() -> bool {
    item(SIGNATURE, 4) == b"QEMU" && number(FEATURES) & HAS_DMA != 0
}

impl File {
    /// The first bytes, as many as there are at most.
    pub fn begin(self, most: usize) -> Vec<u8> {
        item(self.data, most.min(self.bytes as usize))
    }

    /// Has the device write it all to memory. False: it did not.
    ///
    /// # Safety
    /// Nobody has that memory, nor the 16 bytes at `scratch`, which the device sees too.
    pub unsafe fn write_to(self, address: u64, scratch: usize) -> bool {
        let (control, length) = (u32::from(self.data) << 16 | SELECT | READ, self.bytes);
        let words = scratch as *mut u32;
        // SAFETY: the caller's. The device reads the words when it is told where they are, and writes the first when it has done it all.
        unsafe {
            write_volatile(words, control.to_be());
            write_volatile(words.add(1), length.to_be());
            write_volatile(words.add(2), ((address >> 32) as u32).to_be());
            write_volatile(words.add(3), (address as u32).to_be());
            core::arch::asm!("dsb sy", options(nostack));
            write_volatile(ADDRESS as *mut u64, (scratch as u64).to_be());
            loop {
                match u32::from_be(read_volatile(words)) {
                    0 => return true,
                    state if state & ERROR != 0 => return false,
                    _ => {}
                }
            }
        }
    }
}
