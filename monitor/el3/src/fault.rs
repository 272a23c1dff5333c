//! What should not happen (MON-41).

use core::arch::asm;
use core::panic::PanicInfo;

use crate::console::{print, print_number};
use crate::machine;

/// An exception that nobody expects: it is told, and the machine goes off.
pub(crate) fn tell(vector: u64) -> ! {
    let (syndrome, place, address): (u64, u64, u64);
    // SAFETY: reading them changes nothing.
    unsafe {
        asm!("mrs {}, esr_el3", "mrs {}, elr_el3", "mrs {}, far_el3", out(reg) syndrome, out(reg) place, out(reg) address,
             options(nomem, nostack));
    }
    let words =
        [("exception ", vector), (", syndrome ", syndrome), (", at ", place), (", address ", address)];
    print("monitor: ");
    words.iter().for_each(|(word, number)| {
        print(word);
        print_number(*number);
    });
    print("\r\n");
    machine::off()
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    print("monitor: a fault of its own, line ");
    print_number(info.location().map_or(0, |location| location.line().into()));
    print("\r\n");
    machine::off()
}
