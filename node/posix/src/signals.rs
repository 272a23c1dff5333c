//! Interrupts (SIGINT, SIGTERM) to nodes: a handler may do next to nothing, so that it wakes a thread which ends them.

use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use rustix::event::{EventfdFlags, eventfd};

/// The descriptor that the handler writes to; less than 0 before there is one. It is never closed.
static WOKEN: AtomicI32 = AtomicI32::new(-1);

type EndNode = Box<dyn Fn() + Send>;
static NODES: Mutex<Vec<EndNode>> = Mutex::new(Vec::new());

extern "C" fn on_signal(_signal: libc::c_int) {
    let one = 1_u64.to_ne_bytes();
    // SAFETY: `write` may be called in a handler; the descriptor stays open.
    unsafe { libc::write(WOKEN.load(Ordering::Relaxed), one.as_ptr().cast(), one.len()) };
}

/// Calls `end` on the first interrupt. A second one ends the program, as it would without this.
pub(super) fn on_interrupt(end: EndNode) -> std::io::Result<()> {
    static STARTED: OnceLock<()> = OnceLock::new();
    NODES.lock().unwrap_or_else(PoisonError::into_inner).push(end);
    if STARTED.set(()).is_err() {
        return Ok(());
    }
    let event = eventfd(0, EventfdFlags::CLOEXEC)?;
    WOKEN.store(event.as_raw_fd(), Ordering::Relaxed);
    std::thread::Builder::new().name("tokkyu-signals".to_owned()).spawn(move || wait(&event))?;
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let handler = on_signal as extern "C" fn(libc::c_int);
        // SAFETY: the handler only writes to a descriptor that stays open. One that the program has set keeps its place.
        unsafe {
            let before = libc::signal(signal, handler as libc::sighandler_t);
            if before != libc::SIG_DFL {
                libc::signal(signal, before);
            }
        }
    }
    Ok(())
}

fn wait(event: &OwnedFd) {
    let mut count = [0; 8];
    while rustix::io::read(event, &mut count).is_err() {}
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: what the system does by itself.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    NODES.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|end| end());
    // The descriptor stays open: a handler may still be running.
    std::thread::park();
}
