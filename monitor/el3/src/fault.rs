//! What should not happen (MON-41).

use core::arch::asm;
use core::panic::PanicInfo;

use tokkyu_monitor_machine::gpio;
use tokkyu_monitor_machine::serial::SECURE;

fn print(words: &str) {
    words.bytes().for_each(|byte| SECURE.put(byte));
}

/// In hexadecimal.
fn print_number(number: u64) {
    print("0x");
    let digits = (0..16).rev().map(|at| (number >> (4 * at)) as usize & 0xf);
    digits.for_each(|digit| SECURE.put(b"0123456789abcdef"[digit]));
}

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
    gpio::off()
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    print("monitor: a fault of its own, line ");
    print_number(info.location().map_or(0, |location| location.line().into()));
    print("\r\n");
    gpio::off()
}
