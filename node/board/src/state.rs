//! What an image knows once it has started.

use alloc::format;
use core::fmt::Write;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64};

use tokkyu_callbacks::sync::Mutex;
use tokkyu_node_rtos::Stack;
use tokkyu_rtos_aarch64::Console;

use crate::image::Image;

/// Of the one image that there is.
static STACK: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
static BEGAN_AT_NANOS: AtomicU64 = AtomicU64::new(0);

/// The network, once it is there.
pub(crate) fn stack<I: Image>() -> Option<&'static Stack<I::Device>> {
    // SAFETY: it is set once, to what is never given back, by the same image: there is one.
    unsafe { STACK.load(Acquire).cast::<Stack<I::Device>>().as_ref() }
}

/// It is there.
pub(crate) fn set_stack<I: Image>(stack: &'static Stack<I::Device>) {
    STACK.store(core::ptr::from_ref(stack).cast_mut().cast(), Release);
}

/// Nanoseconds since 1970 when the kernel's time was 0.
pub(crate) fn began_at_nanos() -> u64 {
    BEGAN_AT_NANOS.load(Relaxed)
}

/// That clock was read.
pub(crate) fn set_began_at_nanos(nanos: u64) {
    BEGAN_AT_NANOS.store(nanos, Relaxed);
}

/// Whoever reads what tasks do is told what they are.
pub(crate) fn name(task: i32, name: &str) {
    if cfg!(feature = "trace") {
        print(&format!("board: task {task} is {name}"));
    }
}

/// The number of a topic that is published from now on, which whoever reads what tasks do is told; 0: nobody does.
pub(crate) fn topic(name: &str) -> u32 {
    static TOPICS: AtomicU32 = AtomicU32::new(0);
    if !cfg!(feature = "trace") {
        return 0;
    }
    let number = TOPICS.fetch_add(1, Relaxed) + 1;
    print(&format!("board: topic {number} is {name}"));
    number
}

/// Prints a line; lines of several tasks do not mix.
pub(crate) fn print(line: &str) {
    static PRINTING: Mutex<()> = Mutex::new(());
    let _printing = PRINTING.lock();
    let _ = writeln!(Console, "{line}");
}
