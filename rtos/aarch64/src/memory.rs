//! Translation: every address is what it is, with the rights that what is there needs (RTA-2 to RTA-4).

use core::arch::global_asm;
use core::ops::Range;
use core::ptr::NonNull;

use aarch64_paging::descriptor::{El1Attributes as Attributes, PhysicalAddress};
use aarch64_paging::paging::{Constraints, El1And0, MemoryRegion, PageTable, Translation, VaRange};
use aarch64_paging::{MapError, Mapping};

/// The table whose entries are 1 GiB each is the first.
const ROOT_LEVEL: usize = 1;
/// Interrupt controller, serial lines and virtio devices of QEMU's machine `virt`.
const DEVICES: Range<usize> = 0x0800_0000..0x0c00_0000;

/// As in `MAIR_EL1`, below: 0 a device's registers, in order and one by one; 1 memory, cached, the same for all processors.
const DEVICE: Attributes = Attributes::ATTRIBUTE_INDEX_0.union(Attributes::UXN).union(Attributes::PXN);
const MEMORY: Attributes = Attributes::ATTRIBUTE_INDEX_1.union(Attributes::INNER_SHAREABLE);
const CODE: Attributes = MEMORY.union(Attributes::READ_ONLY);
const CONSTANTS: Attributes = CODE.union(Attributes::UXN).union(Attributes::PXN);
const DATA: Attributes = MEMORY.union(Attributes::UXN).union(Attributes::PXN);

/// Of the normal world.
const SHARED: Attributes = DATA.union(Attributes::NS);
const LINUX: Attributes = SHARED.union(Attributes::READ_ONLY);

/// What is mapped beside the image.
pub(crate) struct Beside<'a> {
    /// Data.
    pub(crate) data: &'a [Range<usize>],
    /// What both have, and Linux's memory (RTA-66).
    pub(crate) shared: Option<Range<usize>>,
    pub(crate) linux: &'a mut dyn Iterator<Item = Range<usize>>,
}

/// Tables to be given out once, as many as layout.ld has room for; nobody gives one back.
struct Tables {
    given: usize,
}

impl Translation<Attributes> for Tables {
    fn allocate_table(&mut self) -> (NonNull<PageTable<Attributes>>, PhysicalAddress) {
        let (begin, end) = (&raw mut tables_begin, &raw const tables_end);
        let room = (end as usize - begin as usize) / size_of::<PageTable<Attributes>>();
        assert!(self.given < room, "what is mapped needs more than {room} tables");
        let table = begin.cast::<PageTable<Attributes>>().wrapping_add(self.given);
        self.given += 1;
        // SAFETY: room of the linker's for a table, aligned as one, of which this one is given for the first time. Only the first
        // processor is up while tables are made.
        unsafe { table.write(PageTable::EMPTY) };
        (NonNull::new(table).expect("no table is at address 0"), PhysicalAddress(table as usize))
    }

    unsafe fn deallocate_table(&mut self, _: NonNull<PageTable<Attributes>>) {}

    fn physical_to_virtual(&self, address: PhysicalAddress) -> NonNull<PageTable<Attributes>> {
        NonNull::new(address.0 as *mut _).expect("a table of the pool")
    }
}

unsafe extern "C" {
    static text_begin: u8;
    static text_end: u8;
    static rodata_begin: u8;
    static rodata_end: u8;
    static data_begin: u8;
    static data_end: u8;
    static mut tables_begin: u8;
    static tables_end: u8;
    /// Turns translation off, and on again with this root.
    fn tokkyu_translate(root: usize);
}

/// On the first processor, before others are up: makes the tables, with more `beside` the image and `guards` left out. Answers the root, for [`enter`].
pub(crate) fn make(
    beside: Beside<'_>,
    guards: impl Iterator<Item = Range<usize>>,
) -> Result<usize, MapError> {
    let mut map =
        Mapping::with_asid_and_va_range(Tables { given: 0 }, 0, ROOT_LEVEL, El1And0, VaRange::Lower);
    let mut put = |range: Range<usize>, attributes: Attributes| {
        let attributes = attributes | Attributes::VALID | Attributes::ACCESSED;
        map.map_range(
            &MemoryRegion::new(range.start, range.end),
            PhysicalAddress(range.start),
            attributes,
            Constraints::empty(),
        )
    };
    put(DEVICES, DEVICE)?;
    put(&raw const text_begin as usize..&raw const text_end as usize, CODE)?;
    put(&raw const rodata_begin as usize..&raw const rodata_end as usize, CONSTANTS)?;
    put(&raw const data_begin as usize..&raw const data_end as usize, DATA)?;
    for range in beside.data {
        put(range.clone(), DATA)?;
    }
    for range in beside.linux {
        put(range, LINUX)?;
    }
    // It is in Linux's.
    if let Some(shared) = beside.shared {
        put(shared, SHARED)?;
    }
    for guard in guards {
        let page = MemoryRegion::new(guard.start, guard.end);
        map.map_range(&page, PhysicalAddress(0), Attributes::empty(), Constraints::NO_BLOCK_MAPPINGS)?;
    }
    Ok(map.root_address().0)
}

/// On each processor: goes over to these tables.
pub(crate) fn enter(root: usize) {
    // SAFETY: the tables of `make` map all that an image has; what may not be done with some of it nobody does.
    unsafe { tokkyu_translate(root) };
}

// What is there from the first instruction on: devices, and memory with every right, until `make` has made better tables. Nobody writes to
// them: processors that come up begin with them. A GiB of each, or, where both are in one GiB, by 2 MiB: 64 MiB of devices from 0x08000000
// on and the secure memory from 0x0e000000 on.
#[cfg(not(feature = "secure"))]
global_asm!(
    ".section .rodata.first_table, \"a\"",
    ".balign 4096",
    "tokkyu_first_table:",
    ".quad 0x0060000000000401", // UXN, PXN; accessed; attribute 0; a block
    ".quad 0x0000000040000705", // accessed; inner shareable; attribute 1; a block
    ".zero 4096 - 16",
);
#[cfg(feature = "secure")]
global_asm!(
    ".section .rodata.first_table, \"a\"",
    ".balign 4096",
    "tokkyu_first_table:",
    ".quad tokkyu_second_table + 3",
    ".zero 4096 - 8",
    "tokkyu_second_table:",
    ".zero 64 * 8",
    ".set block, 0x0060000008000401",
    ".rept 32",
    ".quad block",
    ".set block, block + 0x200000",
    ".endr",
    ".zero 16 * 8",
    ".set block, 0x000000000e000705",
    ".rept 8",
    ".quad block",
    ".set block, block + 0x200000",
    ".endr",
    ".zero (512 - 120) * 8",
);
global_asm!(
    ".section .text.entry, \"ax\"",
    // x0: the root. Changes x0 to x2 alone.
    "tokkyu_translate:",
    "mrs x1, sctlr_el1",
    "bic x2, x1, #1",
    "msr sctlr_el1, x2",
    "isb",
    "tlbi vmalle1",
    "dsb nsh",
    "msr ttbr0_el1, x0",
    "isb",
    // Attributes 0 and 1; 39 bits of addresses of 36, tables cached and shared, no upper half (DDI 0487, MAIR_EL1, TCR_EL1).
    "mov x2, #0xff00",
    "msr mair_el1, x2",
    "ldr x2, =0x100803519",
    "msr tcr_el1, x2",
    "isb",
    // Translation, data cache, instruction cache, stack alignment. Not that of data: C++ reads words where they are.
    "bic x1, x1, #2",
    "mov x2, #0x100d",
    "orr x1, x1, x2",
    "msr sctlr_el1, x1",
    "isb",
    "ret",
    ".ltorg",
);
