//! What a Linux of before has left, of what is Linux's (MON-43). After a reset of the machine there is nothing, and it is taken away too.

/// The interrupt controller: distributor, redistributors with two frames each, translation service (QEMU, hw/arm/virt.c).
const DISTRIBUTOR: usize = 0x0800_0000;
const TRANSLATION: usize = 0x0808_0000;
const REDISTRIBUTORS: usize = 0x080a_0000;
const REDISTRIBUTOR_BYTES: usize = 0x2_0000;
const OWN_FRAME: usize = 0x1_0000;
/// Control, in each of them; in a redistributor it is whether LPIs are on.
const CONTROL: usize = 0;
/// In the distributor's control as this world sees it (IHI 0069, GICD_CTLR, ARE_NS).
const AFFINITY_ROUTING: u32 = 1 << 4;
/// In a redistributor's type (IHI 0069, GICR_TYPER): it is the last.
const TYPE: usize = 8;
const LAST: u32 = 1 << 4;
/// Clear enable, clear pending, clear active: a bit for each interrupt.
const CLEAR: [usize; 3] = [0x180, 0x280, 0x380];
/// Words of 32 interrupts that the distributor has; the first is the redistributors'.
const WORDS: core::ops::Range<usize> = 1..32;
/// Devices of virtio: their status, of which 0 resets (Virtual I/O Device, version 1.2, section 4.2.2).
const VIRTIO: usize = 0x0a00_0000;
const VIRTIO_BYTES: usize = 0x200;
const VIRTIO_DEVICES: usize = 32;
const STATUS: usize = 0x70;

fn write(address: usize, word: u32) {
    // SAFETY: registers of devices that are there, and of which nobody uses any: this is the only processor that Linux has.
    unsafe { (address as *mut u32).write_volatile(word) }
}

fn read(address: usize) -> u32 {
    // SAFETY: as above; reading changes nothing.
    unsafe { (address as *const u32).read_volatile() }
}

pub(crate) fn all() {
    for device in 0..VIRTIO_DEVICES {
        write(VIRTIO + device * VIRTIO_BYTES + STATUS, 0);
    }
    write(TRANSLATION + CONTROL, 0);
    let mut redistributor = REDISTRIBUTORS;
    loop {
        write(redistributor + CONTROL, 0);
        CLEAR.iter().for_each(|register| write(redistributor + OWN_FRAME + register, u32::MAX));
        if read(redistributor + TYPE) & LAST != 0 {
            break;
        }
        redistributor += REDISTRIBUTOR_BYTES;
    }
    for register in CLEAR {
        // Words of interrupts that the machine has not are ignored.
        WORDS.for_each(|word| write(DISTRIBUTOR + register + 4 * word, u32::MAX));
    }
    // No group is on; affinity routing stays.
    write(DISTRIBUTOR + CONTROL, AFFINITY_ROUTING);
}
