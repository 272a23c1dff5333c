//! Clocks and sleeping.

use core::time::Duration;

use tokkyu_callbacks::port::port;
use tokkyu_contract::MonoTime;

/// `CLOCK_REALTIME`; all others count from the start of the board.
pub(crate) const REALTIME: i32 = 0;
/// `TIMER_ABSTIME`
const ABSOLUTE: i32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Timespec {
    seconds: i64,
    nanos: i64,
}

impl Timespec {
    fn of(nanos: u64) -> Timespec {
        Timespec { seconds: (nanos / 1_000_000_000) as i64, nanos: (nanos % 1_000_000_000) as i64 }
    }

    fn nanos(&self) -> u64 {
        (self.seconds.max(0) as u64).saturating_mul(1_000_000_000).saturating_add(self.nanos.max(0) as u64)
    }
}

/// When the port's clock shows what that one shows at this time.
pub(crate) fn until(clock: i32, time: &Timespec) -> MonoTime {
    if clock != REALTIME {
        return MonoTime::from_nanos(time.nanos());
    }
    let after = time.nanos().saturating_sub(port().wall_now().as_nanos());
    port().now() + Duration::from_nanos(after)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: i32, time: *mut Timespec) -> i32 {
    let nanos = if clock == REALTIME { port().wall_now().as_nanos() } else { port().now().as_nanos() };
    // SAFETY: room for one.
    unsafe { time.write(Timespec::of(nanos)) };
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn clock_nanosleep(
    clock: i32,
    flags: i32,
    time: *const Timespec,
    left: *mut Timespec,
) -> i32 {
    // SAFETY: a time.
    let time = unsafe { &*time };
    let end = if flags & ABSOLUTE != 0 {
        until(clock, time)
    } else {
        port().now() + Duration::from_nanos(time.nanos())
    };
    port().sleep_until(end);
    if !left.is_null() {
        // SAFETY: room for one.
        unsafe { left.write(Timespec::of(0)) };
    }
    0
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nanosleep(time: *const Timespec, left: *mut Timespec) -> i32 {
    // SAFETY: as above.
    unsafe { clock_nanosleep(1, 0, time, left) }
}

/// `struct timeval` has microseconds where a `struct timespec` has nanoseconds.
#[unsafe(no_mangle)]
unsafe extern "C" fn gettimeofday(time: *mut Timespec, _: *mut u8) -> i32 {
    let now = Timespec::of(port().wall_now().as_nanos());
    // SAFETY: room for one.
    unsafe { time.write(Timespec { nanos: now.nanos / 1000, ..now }) };
    0
}
