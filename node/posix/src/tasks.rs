//! Threads of Linux.

use std::ptr::NonNull;
use std::thread::JoinHandle;

use tokkyu_callbacks::port::{Runner, Task, Tasks};
use tokkyu_contract::Class;
use tokkyu_contract::class::LinuxSched;

use super::Posix;

impl Tasks for Posix {
    fn me(&self) -> Runner {
        thread_local!(static PLACE: u8 = const { 0 });
        // No two threads that live have it at one address. A `ThreadId` takes two writes to memory that is used for nothing else here.
        Runner(PLACE.with(|place| NonNull::from(place).addr()))
    }

    /// As C and C++ have it.
    fn number(&self) -> u64 {
        // SAFETY: nothing is asked of it.
        unsafe { libc::pthread_self() }
    }

    fn spawn(
        &self,
        name: &str,
        class: Option<Class>,
        run: Box<dyn FnOnce(Result<(), String>) + Send>,
    ) -> Result<Box<dyn Task>, String> {
        let run = move || run(class.map_or(Ok(()), take_priority));
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(run);
        Ok(Box::new(Thread(thread.map_err(|error| error.to_string())?)))
    }
}

struct Thread(JoinHandle<()>);

impl Task for Thread {
    fn is_me(&self) -> bool {
        self.0.thread().id() == std::thread::current().id()
    }

    fn join(self: Box<Self>) {
        // What it panicked with was told when it did.
        let _ = self.0.join();
    }
}

/// Gives the calling thread the class's priority, if it has one.
fn take_priority(class: Class) -> Result<(), String> {
    let LinuxSched::Fifo(priority) = class.priorities().linux else { return Ok(()) };
    be_fifo(priority).map_err(|error| format!("SCHED_FIFO {priority}: {error}; allow it with ulimit -r"))
}

/// Gives the calling thread `SCHED_FIFO` with that priority, 1 to 99.
pub(super) fn be_fifo(priority: u8) -> std::io::Result<()> {
    let parameters = libc::sched_param { sched_priority: priority.into() };
    // SAFETY: the parameters are there; 0 is the calling thread.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn scheduling() -> (i32, i32) {
        let mut parameters = libc::sched_param { sched_priority: -1 };
        // SAFETY: 0 is the calling thread, and there is room for the parameters.
        unsafe {
            libc::sched_getparam(0, &raw mut parameters);
            (libc::sched_getscheduler(0), parameters.sched_priority)
        }
    }

    /// NODE-66.
    #[test]
    fn a_thread_of_a_class_has_its_priority() {
        let refused = std::thread::spawn(|| be_fifo(1)).join().expect("it ends").err();
        for class in [Class::Control, Class::Realtime] {
            let (tell, hear) = channel();
            let run = move |has_priority: Result<(), String>| {
                tell.send((scheduling(), has_priority)).expect("the test hears");
            };
            let task = Posix.spawn("test", Some(class), Box::new(run)).expect("a thread");
            let (found, has_priority) = hear.recv().expect("it runs, with the priority or without");
            assert!(!task.is_me());
            task.join();
            let LinuxSched::Fifo(priority) = class.priorities().linux else { panic!("{class} has none") };
            match &refused {
                None => assert_eq!(found, (libc::SCHED_FIFO, priority.into()), "{class}"),
                Some(error) => println!("skipped: SCHED_FIFO of {class}: {error}"),
            }
            assert_eq!(has_priority.is_ok(), refused.is_none());
        }
    }
}
