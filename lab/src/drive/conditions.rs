//! Preconditions of a measurement that did not hold, in words. Nothing is refused: the reader of a result decides.
//!
//! Pure, from the environment as it was captured.

use tokkyu_measure::Environment;

/// Above this load at the start, other programs had a hand in the figures.
const LOAD_MAX: f64 = 1.0;

/// What speaks against the figures of a real run in this environment.
pub fn doubts(environment: &Environment) -> Vec<String> {
    let mut doubts = Vec::new();
    if let Some([load, ..]) = environment.load_before.filter(|[load, ..]| *load > LOAD_MAX) {
        doubts.push(format!("load average {load:.2} before the first run: other programs were at work"));
    }
    if environment.cpu.count == Some(1) {
        doubts.push("one processor: both programs, the relay and everything else took turns".to_owned());
    }
    if let Some(governor) = environment.cpu.governor.as_deref().filter(|governor| *governor != "performance")
    {
        doubts.push(format!("frequency governor {governor}: the processor's speed was not fixed"));
    }
    doubts
}

/// What was asked of the scheduler for the programs and refused.
pub fn refusals(sched_fifo: Option<bool>, mlockall: Option<bool>) -> Vec<String> {
    let mut refused = Vec::new();
    if sched_fifo == Some(false) {
        refused.push(
            "SCHED_FIFO was refused to the programs: latencies include the scheduler's; raise RLIMIT_RTPRIO (ulimit -r) or \
             run as root"
                .to_owned(),
        );
    }
    if mlockall == Some(false) {
        refused.push(
            "mlockall was refused to the programs; raise RLIMIT_MEMLOCK (ulimit -l) or run as root"
                .to_owned(),
        );
    }
    refused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_machine_raises_no_doubt_and_a_busy_one_does() {
        let quiet = Environment { load_before: Some([1.0, 5.0, 5.0]), ..Environment::default() };
        assert_eq!(doubts(&quiet), Vec::<String>::new());
        let busy = Environment { load_before: Some([1.5, 0.0, 0.0]), ..Environment::default() };
        assert!(doubts(&busy)[0].contains("load average 1.50"), "{:?}", doubts(&busy));
    }

    #[test]
    fn what_was_refused_is_told_and_what_is_unknown_is_not() {
        assert_eq!(refusals(None, Some(true)), Vec::<String>::new());
        let both = refusals(Some(false), Some(false));
        assert!(both[0].contains("RLIMIT_RTPRIO") && both[1].contains("RLIMIT_MEMLOCK"), "{both:?}");
    }
}
