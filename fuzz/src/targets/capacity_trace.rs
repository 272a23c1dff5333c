//! A recorded capacity in mahimahi's format: any bytes give a trace the emulated path can run on, or a line.

use tokkyu_link::sim::path::CapacityTrace;

/// Takes one input.
pub fn run(bytes: &[u8]) {
    match CapacityTrace::parse(bytes) {
        Ok(trace) => {
            assert!(trace.slots() > 0 && trace.period_ms() > 0);
            assert!(trace.mean_bps() > 0.0);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
