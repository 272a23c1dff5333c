//! Which function is whose.

use tokkyu_rtos::{Handler, Objects};
use tokkyu_rtos_aarch64::{Console, Line, Programs, StackRange, exit, system};

use crate::system::{ACROSS, PROCESSORS, Parts, RANGES, REPORT, WATCH, objects};
use crate::{control, place, report, topics};

impl Programs for Parts {
    const SEES_LINUX: bool = true;

    fn objects(&self) -> Objects {
        objects()
    }

    fn stacks(&self) -> &'static [StackRange] {
        &RANGES
    }

    fn task(&self, id: i32) {
        match id {
            REPORT => report::task(),
            WATCH => place::watch(),
            ACROSS => topics::task(),
            of_processor => control::task(of_processor as usize - 1),
        }
    }

    fn lines(&self) -> &'static [Line] {
        &topics::LINES
    }

    fn line(&self, _number: u32) {
        topics::on_bell();
    }

    fn handler(&self, handler: Handler) {
        if let Handler::Cyclic(id) = handler {
            control::activate(usize::from(id) - 1);
        }
    }
}

system!(crate::system::KERNEL, processors: PROCESSORS);

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    use core::fmt::Write;
    let _ = writeln!(Console, "panic: {info}");
    exit(1)
}
