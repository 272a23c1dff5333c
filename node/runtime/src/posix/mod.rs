//! What an operating system gives, on Linux: clocks, sleeping and waking, sockets. Nothing outside this folder calls it.

mod bell;
mod clock;
mod poller;
pub(crate) mod process;
mod resolver;
mod signals;
mod sockets;
mod stream;

pub(crate) use bell::{EventBell, QueueBell};
pub(crate) use clock::{left, mono_now, sleep_until, wall_now};
pub(crate) use poller::Poller;
pub(crate) use signals::on_interrupt;
pub(crate) use sockets::{ListenError, Sockets};
pub(crate) use stream::{Ender, Stream};

/// The number of this process.
pub(crate) fn pid() -> i32 {
    std::process::id() as i32
}

/// The number of the calling thread, as C and C++ have it.
pub(crate) fn thread_number() -> u64 {
    // SAFETY: nothing is asked of it.
    unsafe { libc::pthread_self() }
}

/// The machine's name.
pub(crate) fn machine_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Gives the calling thread `SCHED_FIFO` with that priority, 1 to 99.
pub(crate) fn be_fifo(priority: u8) -> std::io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority.into() };
    // SAFETY: the parameters are there; 0 is the calling thread.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}
