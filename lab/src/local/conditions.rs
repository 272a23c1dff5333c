//! Preconditions of the figures that did not hold, in words. Nothing is refused: the reader of a result decides.

use tokkyu_measure::Environment;

use super::awake::Awake;

/// Above this load at the start other programs had a hand in the figures.
const LOAD_MAX: f64 = 0.5;
/// Two ends, and whatever else runs.
const PROCESSORS_WANTED: u32 = 4;

/// What speaks against the figures in this environment, or has to be known of it.
pub fn doubts(environment: &Environment, awake: Option<&Awake>) -> Vec<String> {
    let mut doubts = Vec::new();
    let busy = awake.map_or(0, Awake::threads) as f64;
    for (when, load, own) in
        [("before", environment.load_before, 0.0), ("after", environment.load_after, busy)]
    {
        // Our own peers sleep nearly all the time; what is above that, and above what keeps processors awake, is others'.
        if let Some([load, ..]) = load.filter(|[load, ..]| *load > own + LOAD_MAX) {
            doubts.push(format!("load average {load:.2} {when} the run: other programs were at work"));
        }
    }
    if let Some(count) = environment.cpu.count.filter(|count| *count < PROCESSORS_WANTED) {
        doubts.push(format!("{count} processors: both ends share them with whatever else runs"));
    }
    if let Some(governor) = environment.cpu.governor.as_deref().filter(|governor| *governor != "performance")
    {
        doubts.push(format!("frequency governor {governor}: the processor's speed was not fixed"));
    }
    if let Some(awake) = awake {
        let how = awake.how();
        doubts.push(format!("idle processors were kept awake ({how}): without that to wake one costs more"));
    } else if environment.cpu.hypervisor == Some(true) {
        doubts.push("a virtual machine: to wake an idle processor costs a way through its host".to_owned());
    }
    if environment.sched_fifo == Some(false) {
        let remedy = "raise RLIMIT_RTPRIO (ulimit -r) or run as root";
        doubts.push(format!("SCHED_FIFO was refused: all peers ran without it; {remedy}"));
    }
    doubts
}

/// Whether a thread of this process may have `SCHED_FIFO` at that priority. Tried in a thread that ends at once.
pub fn fifo_is_granted(priority: u8) -> bool {
    let parameters = libc::sched_param { sched_priority: priority.into() };
    // SAFETY: the pointer is to a live value that the call only reads; 0 is the calling thread.
    let ask = move || unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) } == 0;
    std::thread::spawn(ask).join().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_machine_raises_no_doubt_and_a_busy_one_does() {
        let mut environment = Environment { load_before: Some([0.1, 5.0, 5.0]), ..Environment::default() };
        environment.cpu.count = Some(8);
        assert_eq!(doubts(&environment, None), Vec::<String>::new());
        environment.load_after = Some([1.5, 0.0, 0.0]);
        environment.cpu.count = Some(2);
        environment.sched_fifo = Some(false);
        let told = doubts(&environment, None);
        assert!(told[0].contains("1.50 after") && told[1].contains("2 processors"), "{told:?}");
        assert!(told[2].contains("RLIMIT_RTPRIO"), "{told:?}");
        environment.sched_fifo = None;
        assert_eq!(doubts(&environment, None).len(), 2, "what was not asked for was not refused");
    }

    #[test]
    fn threads_that_keep_processors_awake_are_no_other_programs() {
        let Ok(awake) = Awake::keep() else {
            println!("skipped: /dev/cpu_dma_latency is not for this user; run as root");
            return;
        };
        let own = awake.threads() as f64;
        let load_after = Some([own + 0.4, own, own]);
        let mut environment = Environment { load_after, ..Environment::default() };
        let told = doubts(&environment, Some(&awake));
        assert!(
            told.len() == 1 && told[0].contains("kept awake") && told[0].contains(&awake.how()),
            "{told:?}"
        );
        environment.load_after = Some([own + 0.6, own, own]);
        assert!(doubts(&environment, Some(&awake))[0].contains("other programs"));
    }
}
