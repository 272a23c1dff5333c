//! Which program is whose.

use tokkyu_rtos::{Handler, Objects};
use tokkyu_rtos_aarch64::{Line, Programs, StackRange, system};

use crate::count;
use crate::kind::{FLOATS, MASKED, TRACED};
use crate::one;
use crate::system::{self, Parts};
use crate::two;

impl Programs for Parts {
    const EXTENDED: bool = FLOATS;
    const TRACED: bool = TRACED;

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
        if MASKED {
            count::masked();
        }
    }

    #[inline(always)]
    fn unmasked(&self) {
        if MASKED {
            count::unmasked();
        }
    }

    #[inline(always)]
    fn waited(&self) {
        if MASKED {
            count::waited();
        }
    }

    fn line(&self, _: u32) {
        one::line();
    }
}

system!(crate::system::KERNEL, processors: 2);

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    use core::fmt::Write;
    let _ = writeln!(tokkyu_rtos_aarch64::Console, "panic: {info}");
    tokkyu_rtos_aarch64::exit(1)
}
