//! The wire's one clock: `CLOCK_MONOTONIC`, the same that programs in the namespaces read.
use nix::time::{ClockId, clock_gettime};
use tokkyu_contract::time::MonoTime;

/// Now, on this machine's monotonic clock.
pub fn monotonic_now() -> MonoTime {
    read(ClockId::CLOCK_MONOTONIC)
}

/// Processor time the calling thread has used, as nanoseconds since its start.
pub(super) fn thread_cpu_time() -> MonoTime {
    read(ClockId::CLOCK_THREAD_CPUTIME_ID)
}

fn read(clock: ClockId) -> MonoTime {
    // clock_gettime fails only for a clock that does not exist; Linux has had these two since 2.6.
    let time = clock_gettime(clock).expect("Linux has this clock");
    MonoTime::from_nanos(time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
}
