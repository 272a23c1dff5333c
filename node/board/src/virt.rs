//! The devices of QEMU's machine `virt`.

use alloc::format;
use alloc::string::String;

use tokkyu_rtos_virtio::{Network, Slots};

use crate::image::Found;

/// The real-time clock, a PL031: seconds since 1970 (ARM DDI 0224, section 3.3.1).
const CLOCK: *const u32 = 0x0901_0000 as *const u32;

/// Seconds since 1970.
pub fn epoch_seconds() -> u64 {
    // SAFETY: the device is mapped, and reading it changes nothing.
    u64::from(unsafe { CLOCK.read_volatile() })
}

/// Finds the network. By the first task alone.
///
/// # Errors
///
/// There is none, for people.
pub fn find() -> Result<Found<Network>, String> {
    // SAFETY: the slots are this machine's, mapped as devices, and this is the only one who looks for devices.
    let device = unsafe { Network::find(&Slots::VIRT) }
        .map_err(|error| format!("{error}; QEMU needs -device virtio-net-device"))?;
    let (hardware, line) = (device.hardware(), Some(device.line()));
    Ok(Found { device, hardware, line })
}

/// Its interrupt has come.
pub fn acknowledge(line: u32) {
    // SAFETY: its line was enabled because a device is there.
    unsafe { tokkyu_rtos_virtio::acknowledge(Slots::VIRT.address(line)) };
}
