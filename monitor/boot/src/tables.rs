//! The resident part's translation tables: its code is run and not written, its data written and not run, three
//! devices, what is kept for Linux's beginnings, and Linux's memory, where that is copied to and Linux is told things. Nothing else.

use alloc::string::String;
use core::ptr::NonNull;

use aarch64_paging::Mapping;
use aarch64_paging::descriptor::{El23Attributes as Attributes, PhysicalAddress};
use aarch64_paging::paging::{Constraints, El3, MemoryRegion, PageTable, Translation};

use tokkyu_monitor_core::{KEPT_BYTES, LOADER_KEPT, Range};

use crate::header::{Header, PLACE};
use crate::stop::stop;

/// The table whose entries are 1 GiB each is the first.
const ROOT_LEVEL: usize = 1;
/// The interrupt controller's distributor, the secure serial line and GPIO, a page each.
const DEVICES: [usize; 3] = [0x0800_0000, 0x0904_0000, 0x090b_0000];
const PAGE_BYTES: usize = 4096;

/// As in the resident part's `MAIR_EL3`: 0 a device's registers, 1 memory, cached, the same for all processors.
const DEVICE: Attributes = Attributes::ATTRIBUTE_INDEX_0.union(Attributes::XN);
const CODE: Attributes =
    Attributes::ATTRIBUTE_INDEX_1.union(Attributes::INNER_SHAREABLE).union(Attributes::READ_ONLY);
const CONSTANTS: Attributes = CODE.union(Attributes::XN);
const DATA: Attributes =
    Attributes::ATTRIBUTE_INDEX_1.union(Attributes::INNER_SHAREABLE).union(Attributes::XN);

/// Tables in the resident part's memory, given out once.
struct Tables {
    next: u64,
    end: u64,
}

impl Translation<Attributes> for Tables {
    fn allocate_table(&mut self) -> (NonNull<PageTable<Attributes>>, PhysicalAddress) {
        let table = self.next as *mut PageTable<Attributes>;
        self.next += size_of::<PageTable<Attributes>>() as u64;
        if self.next > self.end {
            stop(format_args!("Linux's memory is in more pieces than there are tables for: QEMU's -numa"));
        }
        // SAFETY: set aside for a table, which is given for the first time.
        unsafe { table.write_bytes(0, 1) };
        (NonNull::new(table).expect("none is at address 0"), PhysicalAddress(table as usize))
    }

    unsafe fn deallocate_table(&mut self, _: NonNull<PageTable<Attributes>>) {}

    fn physical_to_virtual(&self, address: PhysicalAddress) -> NonNull<PageTable<Attributes>> {
        NonNull::new(address.0 as *mut _).expect("a table that was given")
    }
}

/// Makes them; the root is the first.
pub(crate) fn make(header: &Header, linux: &[Range]) -> Result<(), String> {
    let tables = Tables { next: header.tables_begin, end: header.tables_end };
    let mut map = Mapping::new(tables, ROOT_LEVEL, El3);
    let mut put = |from: usize, to: usize, attributes: Attributes| {
        let attributes = attributes | Attributes::VALID | Attributes::ACCESSED | Attributes::USER_RES1;
        let region = MemoryRegion::new(from, to);
        map.map_range(&region, PhysicalAddress(from), attributes, Constraints::empty())
            .map_err(|_| alloc::format!("no translation table can have the memory at {from:#x}"))
    };
    let [text, rodata, end] = [header.text_end, header.rodata_end, header.memory_end].map(|end| end as usize);
    put(PLACE, text, CODE)?;
    put(text, rodata, CONSTANTS)?;
    put(rodata, end, DATA)?;
    DEVICES.iter().try_for_each(|device| put(*device, device + PAGE_BYTES, DEVICE))?;
    let kept = LOADER_KEPT as usize;
    put(kept, kept + 2 * KEPT_BYTES as usize, CONSTANTS)?;
    for memory in linux {
        let from = memory.base as usize;
        put(from, from + memory.bytes as usize, DATA | Attributes::NS)?;
    }
    // They stay.
    core::mem::forget(map);
    Ok(())
}
