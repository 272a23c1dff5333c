//! Which function is whose.

use core::fmt::Write;

use tokkyu_rtos::{Handler, Objects};
use tokkyu_rtos_aarch64::{Console, Line, Programs, StackRange, exit, system};

use crate::system::{BEGIN, ECHO, KERNEL, PROCESSORS, Parts, RANGES, objects};
use crate::{due, echo, report, start, work};

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
            BEGIN => {
                let _ = writeln!(Console, "load: begins");
                for home in 1..=PROCESSORS as i32 {
                    let _ = KERNEL.sta_alm(home, 0);
                }
                report::task();
            }
            ECHO => echo::task(),
            of_home => work::of_home(of_home as usize - 1),
        }
    }

    fn lines(&self) -> &'static [Line] {
        &echo::LINES
    }

    fn line(&self, _number: u32) {
        echo::on_bell();
    }

    fn handler(&self, handler: Handler) {
        if let Handler::Alarm(id) = handler {
            due::on_alarm(usize::from(id) - 1);
        }
    }

    #[inline(always)]
    fn masked(&self) {
        start::masked();
    }
}

system!(crate::system::KERNEL, processors: PROCESSORS);

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    let _ = writeln!(Console, "panic: {info}");
    exit(1)
}
