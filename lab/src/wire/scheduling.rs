//! The relay's place on the machine: real-time priority and exact timers.
use core::fmt;
use std::io;

use tokkyu_link::carrier::realtime;

/// How the relay's thread is scheduled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// `SCHED_FIFO` with this priority.
    Fifo(u8),
    /// Like any other thread, by choice.
    Ordinary,
    /// Like any other thread, because the system refused.
    Refused {
        /// The priority asked for.
        wanted: u8,
        /// Why, and what to do.
        why: String,
    },
}

impl fmt::Display for Scheduling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scheduling::Fifo(priority) => write!(f, "SCHED_FIFO {priority}"),
            Scheduling::Ordinary => write!(f, "SCHED_OTHER"),
            Scheduling::Refused { wanted, why } => {
                write!(f, "SCHED_OTHER, SCHED_FIFO {wanted} not permitted ({why})")
            }
        }
    }
}

/// Gives the calling thread its scheduling. Locking memory concerns the whole process and is left to its `main`.
pub(super) fn prepare_this_thread(priority: Option<u8>) -> Scheduling {
    // 1 ns is the least; the default of 50 µs would add to every sleep of an ordinary thread. It cannot fail for
    // the calling thread, and real-time threads have none anyhow.
    let _ = nix::sys::prctl::set_timerslack(1);
    match priority {
        None => Scheduling::Ordinary,
        Some(wanted) => match set_fifo(wanted) {
            Ok(()) => Scheduling::Fifo(wanted),
            Err(_) => Scheduling::Refused { wanted, why: realtime::why_not_fifo() },
        },
    }
}

fn set_fifo(priority: u8) -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority.into() };
    // SAFETY: the pointer is to a live sched_param that the call only reads; pid 0 is the calling thread.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
