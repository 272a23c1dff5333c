//! Which interrupts are whose (MON-13), and the sign that all is ready (MON-3).

use alloc::string::{String, ToString};
use core::ptr::NonNull;

use arm_gic::gicv3::registers::{Gicd, GicrSgi};
use arm_gic::gicv3::{GicV3, Group, SecureIntGroup};
use arm_gic::{IntId, UniqueMmioPointer};

/// Of QEMU's machine `virt`.
pub(crate) const DISTRIBUTOR: usize = 0x0800_0000;
const REDISTRIBUTORS: usize = 0x080a_0000;
/// The monitor's own interrupt, with which it wakes a processor.
const WAKE: u32 = 15;
/// Its priority: the last of the secure world's (RTA-62), before all of Linux's. Linux may have it sent to a processor (MON-62), as often as
/// it likes and by several processors at once: if it went first, nothing of the RTOS's would come in meanwhile.
const WAKE_PRIORITY: u8 = 0x78;
/// The other secure ones: SGI 8 to 14, and the secure physical timer (PPI 29).
const FIRST_SECURE: u32 = 8;
const TIMER: u32 = 29 - 16;

/// Everything is Linux's, group 1 and non-secure, but these. At the end the distributor gives group 0 out.
pub(crate) fn set_up(processors: usize) -> Result<(), String> {
    let told = |_| {
        "the interrupt controller is not that of QEMU's virt: -M virt,secure=on,gic-version=3".to_string()
    };
    let (Some(distributor), Some(redistributors)) =
        (NonNull::new(DISTRIBUTOR as *mut Gicd), NonNull::new(REDISTRIBUTORS as *mut GicrSgi))
    else {
        return Err("the interrupt controller is nowhere".to_string());
    };
    // SAFETY: they are there on this machine, and nobody else uses them yet.
    let mut gic = unsafe { GicV3::new(UniqueMmioPointer::new(distributor), redistributors, processors) }
        .map_err(told)?;
    gic.distributor().configure_default_settings();
    gic.distributor().enable_affinity_routing_non_secure(true);
    gic.distributor().enable_group1_secure(true);
    for processor in 0..processors {
        gic.redistributor_mark_core_awake(processor).map_err(told)?;
        gic.redistributor(processor).map_err(told)?.configure_default_settings();
        let secure = (FIRST_SECURE..WAKE).map(IntId::sgi).chain([IntId::ppi(TIMER)]);
        for id in secure {
            gic.set_group(id, Some(processor), Group::Secure(SecureIntGroup::Group1S)).map_err(told)?;
        }
        let wake = IntId::sgi(WAKE);
        gic.set_group(wake, Some(processor), Group::Secure(SecureIntGroup::Group0)).map_err(told)?;
        gic.set_interrupt_priority(wake, Some(processor), WAKE_PRIORITY).map_err(told)?;
        gic.enable_interrupt(wake, Some(processor), true).map_err(told)?;
    }
    // SAFETY: a barrier.
    unsafe { core::arch::asm!("dsb sy", options(nostack)) };
    gic.distributor().enable_group0(true);
    Ok(())
}
