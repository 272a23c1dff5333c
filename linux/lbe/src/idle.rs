//! What a background task is to the scheduler (LBE-92): policy `SCHED_IDLE`, nice 19, I/O class idle.

use std::io;

/// `IOPRIO_CLASS_IDLE` in its place (`linux/ioprio.h`).
const IO_IDLE: libc::c_int = 3 << 13;
const IO_OF_PROCESS: libc::c_int = 1;
const NICEST: libc::c_int = 19;

/// Makes a thread background; 0 is the calling one. Its children will be too. Only system calls: it may be called between
/// fork and exec.
///
/// # Errors
/// There is no such thread, or it is somebody else's.
pub fn make_idle(thread: libc::pid_t) -> io::Result<()> {
    let none = libc::sched_param { sched_priority: 0 };
    // SAFETY: `none` is a whole sched_param, and is alive during the call.
    done(unsafe { libc::sched_setscheduler(thread, libc::SCHED_IDLE, &none) }.into())?;
    // SAFETY: numbers alone.
    done(unsafe { libc::setpriority(libc::PRIO_PROCESS, thread.cast_unsigned(), NICEST) }.into())?;
    // SAFETY: numbers alone.
    done(unsafe { libc::syscall(libc::SYS_ioprio_set, IO_OF_PROCESS, thread, IO_IDLE) })
}

/// Gives a thread back what is usual: policy `SCHED_OTHER`, nice 0, the I/O class that follows from it.
///
/// # Errors
/// As [`make_idle`].
pub fn make_usual(thread: libc::pid_t) -> io::Result<()> {
    let none = libc::sched_param { sched_priority: 0 };
    // SAFETY: `none` is a whole sched_param, and is alive during the call.
    done(unsafe { libc::sched_setscheduler(thread, libc::SCHED_OTHER, &none) }.into())?;
    // SAFETY: numbers alone.
    done(unsafe { libc::setpriority(libc::PRIO_PROCESS, thread.cast_unsigned(), 0) }.into())?;
    // SAFETY: numbers alone.
    done(unsafe { libc::syscall(libc::SYS_ioprio_set, IO_OF_PROCESS, thread, 0) })
}

/// Whether a thread's policy is `SCHED_IDLE`.
pub fn is_idle(thread: libc::pid_t) -> bool {
    // SAFETY: a number alone.
    let policy = unsafe { libc::sched_getscheduler(thread) };
    policy & !libc::SCHED_RESET_ON_FORK == libc::SCHED_IDLE
}

fn done(result: libc::c_long) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_and_those_it_starts_are_idle() {
        std::thread::spawn(|| {
            assert!(!is_idle(0));
            make_idle(0).unwrap();
            assert!(is_idle(0));
            assert!(std::thread::spawn(|| is_idle(0)).join().unwrap());
        })
        .join()
        .unwrap();
        assert!(make_idle(-1).is_err());
    }
}
