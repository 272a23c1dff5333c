//! Processors that do not sleep, so that the way of a message is measured and not how long a processor takes to wake up.
//!
//! cyclictest's way is a word to the kernel's idle driver. Where there is no driver, as on many virtual machines, nobody hears it, and an idle
//! processor goes to its host: there each has a thread of ours that never sleeps, of `SCHED_IDLE`, which whoever else wants the processor displaces at
//! once.

use std::fs;
use std::hint::black_box;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use tokkyu_probe::DMA_LATENCY;

const IDLE_DRIVER: &str = "/sys/devices/system/cpu/cpuidle/current_driver";
/// Steps between two looks at whether it is over. Without the processor's own word for waiting, at which a host may take it away.
const STEPS: u32 = 10_000;

/// As long as this lives processors are kept awake.
#[derive(Debug)]
pub struct Awake {
    _latency: tokkyu_probe::Awake,
    busy: Option<Busy>,
}

impl Awake {
    /// By the kernel's idle driver, or else by threads.
    ///
    /// # Errors
    /// `/dev/cpu_dma_latency` is not there, or not for this user; or no thread.
    pub fn keep() -> io::Result<Awake> {
        let latency = tokkyu_probe::Awake::keep()?;
        let busy = if has_idle_driver() { None } else { Some(Busy::begin()?) };
        Ok(Awake { _latency: latency, busy })
    }

    /// Threads that are busy for it: they are in the load average.
    pub fn threads(&self) -> usize {
        self.busy.as_ref().map_or(0, |busy| busy.threads.len())
    }

    /// How, in words.
    pub fn how(&self) -> String {
        match self.threads() {
            0 => DMA_LATENCY.to_owned(),
            count => format!("{count} threads of SCHED_IDLE, as this machine has no idle driver"),
        }
    }
}

fn has_idle_driver() -> bool {
    fs::read_to_string(IDLE_DRIVER).is_ok_and(|name| !matches!(name.trim(), "none" | ""))
}

/// A busy thread on each processor that we may use.
#[derive(Debug)]
struct Busy {
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Busy {
    /// When this returns all have their class and their processor.
    fn begin() -> io::Result<Busy> {
        let mut busy = Busy { is_over: Arc::default(), threads: Vec::new() };
        for cpu in processors()? {
            let (tell, told) = sync_channel(1);
            let is_over = busy.is_over.clone();
            let thread = std::thread::Builder::new().name(format!("awake-{cpu}"));
            busy.threads.push(thread.spawn(move || keep_busy(cpu, &tell, &is_over))?);
            told.recv().map_err(io::Error::other)??;
        }
        Ok(busy)
    }
}

/// Those that the calling thread may use.
fn processors() -> nix::Result<Vec<usize>> {
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    Ok((0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false)).collect())
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

/// Without the class that everybody displaces it would take the processor from those that are measured, and ends at once.
fn keep_busy(cpu: usize, tell: &SyncSender<io::Result<()>>, is_over: &AtomicBool) {
    let placed = pin(cpu).map_err(io::Error::from).and_then(|()| be_displaced_by_all());
    let is_placed = placed.is_ok();
    // Who waits for it is there.
    let _ = tell.send(placed);
    while is_placed && !is_over.load(Ordering::Relaxed) {
        (0..STEPS).for_each(|step| _ = black_box(step));
    }
}

fn pin(cpu: usize) -> nix::Result<()> {
    let mut one = CpuSet::new();
    one.set(cpu)?;
    sched_setaffinity(Pid::from_raw(0), &one)
}

fn be_displaced_by_all() -> io::Result<()> {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the pointer is to a live value that the call only reads; 0 is the calling thread.
    match unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const parameters) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_processor_has_a_thread_until_it_is_over() {
        let busy = Busy::begin().unwrap();
        assert_eq!(busy.threads.len(), processors().unwrap().len());
        assert!(busy.threads.iter().all(|thread| !thread.is_finished()));
        // It waits for all of them.
        drop(busy);
    }

    #[test]
    fn such_a_thread_is_displaced_by_all_and_has_its_processor_alone() {
        let (tell, told) = sync_channel(1);
        let last = *processors().unwrap().last().unwrap();
        let class = move || {
            keep_busy(last, &tell, &AtomicBool::new(true));
            // SAFETY: the call takes a number alone.
            (unsafe { libc::sched_getscheduler(0) }, processors().unwrap())
        };
        let found = std::thread::spawn(class).join().unwrap();
        told.recv().unwrap().unwrap();
        assert_eq!(found, (libc::SCHED_IDLE, vec![last]));
    }

    #[test]
    fn what_keeps_them_awake_is_told() {
        let busy = Busy { is_over: Arc::default(), threads: vec![std::thread::spawn(|| {})] };
        let Ok(latency) = tokkyu_probe::Awake::keep() else {
            println!("skipped: {DMA_LATENCY} is not for this user; run as root");
            return;
        };
        let mut awake = Awake { _latency: latency, busy: None };
        assert!(awake.threads() == 0 && awake.how() == DMA_LATENCY);
        awake.busy = Some(busy);
        assert!(awake.threads() == 1 && awake.how().starts_with("1 threads of SCHED_IDLE"));
    }
}
