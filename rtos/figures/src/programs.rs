//! Which program is whose.

use tokkyu_rtos::{Handler, Objects};
use tokkyu_rtos_aarch64::{Line, Programs, StackRange, system};

use crate::count;
use crate::one;
use crate::system::{self, Parts};
use crate::two;

impl Programs for Parts {
    const EXTENDED: bool = crate::FLOATS;

    #[inline(always)]
    fn objects(&self) -> Objects {
        system::objects()
    }

    fn stacks(&self) -> &'static [StackRange] {
        &system::RANGES
    }

    fn lines(&self) -> &'static [Line] {
        &system::LINES
    }

    fn task(&self, id: i32) {
        match id {
            system::MAIN => one::main(),
            system::HIGH => one::high(),
            system::OTHER => two::other(),
            _ => {}
        }
    }

    fn handler(&self, _: Handler) {}

    #[inline(always)]
    fn masked(&self) {
        if crate::MASKED {
            count::masked();
        }
    }

    #[inline(always)]
    fn unmasked(&self) {
        if crate::MASKED {
            count::unmasked();
        }
    }

    #[inline(always)]
    fn waited(&self) {
        if crate::MASKED {
            count::waited();
        }
    }

    fn line(&self, _: u32) {
        one::line();
    }
}

system!(crate::system::KERNEL);

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    use core::fmt::Write;
    let _ = writeln!(tokkyu_rtos_aarch64::Console, "panic: {info}");
    tokkyu_rtos_aarch64::exit(1)
}
