//! The two ends on processors of their own (LOCAL-26): what the programs in Rust share, as `harness/scheduling.hpp` has it for those in C++.

use std::io;

use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::{Pid, gettid};

/// While it lives the end that publishes and the one that receives are apart (LOCAL-26): whether they share a processor,
/// and which of two wakes which, is else decided when the program starts, stays so while it runs, and changes a latency
/// by half. Does nothing with one processor.
#[derive(Debug)]
pub struct Apart {
    all: CpuSet,
}

impl Apart {
    /// The calling thread has the first processor, the process's other threads have the others.
    ///
    /// # Errors
    /// The kernel's.
    pub fn publishing() -> io::Result<Apart> {
        Apart::begin(Some(gettid()))
    }

    /// The process's threads have the others.
    ///
    /// # Errors
    /// The kernel's.
    pub fn receiving() -> io::Result<Apart> {
        Apart::begin(None)
    }

    fn begin(publishing: Option<Pid>) -> io::Result<Apart> {
        let all = sched_getaffinity(Pid::from_raw(0))?;
        let apart = Apart { all };
        let mut usable = (0..CpuSet::count()).filter(|&at| all.is_set(at).unwrap_or(false));
        if let (Some(at), Some(_)) = (usable.next(), usable.next()) {
            let (mut first, mut others) = (CpuSet::new(), all);
            first.set(at)?;
            others.unset(at)?;
            place_threads(|thread| if Some(thread) == publishing { first } else { others })?;
        }
        Ok(apart)
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        // Refused, they may use fewer than before, and the run is over.
        let _ = place_threads(|_| self.all);
    }
}

/// The threads that the process has now.
fn place_threads(choose: impl Fn(Pid) -> CpuSet) -> io::Result<()> {
    for entry in std::fs::read_dir("/proc/self/task")? {
        let name = entry?.file_name();
        let Some(thread) = name.to_str().and_then(|name| name.parse().ok()).map(Pid::from_raw) else {
            continue;
        };
        match sched_setaffinity(thread, &choose(thread)) {
            // ESRCH: it has ended meanwhile.
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_publishes_has_a_processor_and_the_others_the_rest() {
        let allowed = |thread| {
            let set = sched_getaffinity(thread).unwrap();
            (0..CpuSet::count()).filter(|&at| set.is_set(at).unwrap()).collect::<Vec<_>>()
        };
        let all = allowed(gettid());
        let (told, hear) = std::sync::mpsc::channel();
        let (go, goes) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || {
            told.send(gettid()).unwrap();
            goes.recv()
        });
        let thread = hear.recv().unwrap();
        let ((publisher, rest), after) = std::thread::spawn(move || {
            let apart = Apart::publishing().unwrap();
            let found = (allowed(gettid()), allowed(thread));
            drop(apart);
            (found, (allowed(gettid()), allowed(thread)))
        })
        .join()
        .unwrap();
        drop(go);
        assert!(other.join().unwrap().is_err());
        if let [first, others @ ..] = &all[..]
            && !others.is_empty()
        {
            assert_eq!((publisher, rest), (vec![*first], others.to_vec()));
        }
        assert_eq!(after, (all.clone(), all));
    }
}
