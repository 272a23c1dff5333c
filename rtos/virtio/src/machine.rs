//! Where devices and memory are: every address is what it is translated to, and caches are the same for devices.

use alloc::alloc::{alloc_zeroed, dealloc, handle_alloc_error};
use core::alloc::Layout;
use core::ops::Range;
use core::ptr::NonNull;

use virtio_drivers::transport::mmio::{MmioTransport, VirtIOHeader};
use virtio_drivers::transport::{DeviceType, Transport};
use virtio_drivers::{BufferDirection, Hal, PAGE_SIZE, PhysAddr};

/// Registers "interrupt status" and "interrupt acknowledge" (virtio 1.2, section 4.2.2).
const STATUS: usize = 0x60;
const ACKNOWLEDGE: usize = 0x64;

/// Where devices may be: slots of the same size, one after the other, an interrupt line each.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// Address of the first.
    pub first: usize,
    /// Bytes of each.
    pub bytes: usize,
    /// How many.
    pub count: usize,
    /// The interrupt controller's number of the first one's line.
    pub line: u32,
}

impl Slots {
    /// Of QEMU's machine `virt`.
    pub const VIRT: Slots = Slots { first: 0x0a00_0000, bytes: 0x200, count: 32, line: 48 };

    /// Interrupt lines of all slots.
    pub const fn lines(&self) -> Range<u32> {
        self.line..self.line + self.count as u32
    }

    /// Address of the registers whose line that is.
    pub const fn address(&self, line: u32) -> usize {
        self.first + (line - self.line) as usize * self.bytes
    }

    /// The line and the registers of the first network device.
    ///
    /// # Safety
    ///
    /// The slots are there, mapped as devices, and nobody else uses them.
    pub(crate) unsafe fn find_network(&self) -> Option<(u32, MmioTransport<'static>)> {
        self.lines().find_map(|line| {
            let header = NonNull::new(self.address(line) as *mut VirtIOHeader)?;
            // SAFETY: the caller's promise. A slot that nobody is in says so itself.
            let transport = unsafe { MmioTransport::new(header, self.bytes) }.ok()?;
            (transport.device_type() == DeviceType::Network).then_some((line, transport))
        })
    }
}

/// The device at that address has been heard: its line goes down.
///
/// # Safety
///
/// A virtio device's registers are there, mapped as a device.
pub unsafe fn acknowledge(address: usize) {
    // SAFETY: the caller's promise. Which bits are set is told, and those are acknowledged.
    unsafe {
        let status = ((address + STATUS) as *const u32).read_volatile();
        ((address + ACKNOWLEDGE) as *mut u32).write_volatile(status);
    }
}

pub(crate) struct Machine;

fn layout(pages: usize) -> Layout {
    // Queues are a few pages: no number of them is too large for a layout.
    Layout::from_size_align(pages * PAGE_SIZE, PAGE_SIZE).unwrap_or(Layout::new::<[u8; PAGE_SIZE]>())
}

// SAFETY: pages are from the heap, aligned and zeroed, and nobody else's until they are given back; addresses are what they are.
unsafe impl Hal for Machine {
    fn dma_alloc(pages: usize, _: BufferDirection) -> (PhysAddr, NonNull<u8>) {
        // SAFETY: it is not empty.
        let memory = unsafe { alloc_zeroed(layout(pages)) };
        match NonNull::new(memory) {
            Some(memory) => (memory.addr().get() as PhysAddr, memory),
            None => handle_alloc_error(layout(pages)),
        }
    }

    unsafe fn dma_dealloc(_: PhysAddr, memory: NonNull<u8>, pages: usize) -> i32 {
        // SAFETY: it is from `dma_alloc`, with as many pages.
        unsafe { dealloc(memory.as_ptr(), layout(pages)) };
        0
    }

    unsafe fn mmio_phys_to_virt(address: PhysAddr, _: usize) -> NonNull<u8> {
        // SAFETY: a device is nowhere near null.
        unsafe { NonNull::new_unchecked(address as usize as *mut u8) }
    }

    unsafe fn share(buffer: NonNull<[u8]>, _: BufferDirection) -> PhysAddr {
        buffer.cast::<u8>().addr().get() as PhysAddr
    }

    unsafe fn unshare(_: PhysAddr, _: NonNull<[u8]>, _: BufferDirection) {}
}
