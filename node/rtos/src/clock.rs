//! Time (NRT-1).

use tokkyu_callbacks::port::Clock;
use tokkyu_contract::{MonoTime, WallTime};
use tokkyu_rtos::{Port, RELATIVE_TIME_MAX_US};

use crate::system::{Rtos, System};

impl<S: System> Clock for Rtos<S> {
    fn now(&self) -> MonoTime {
        MonoTime::from_nanos(self.0.kernel().port.now_us() * 1000)
    }

    fn wall_now(&self) -> WallTime {
        WallTime::from_nanos(self.0.began_at_nanos() + self.now().as_nanos())
    }
}

impl<S: System> Rtos<S> {
    /// Microseconds until then, rounded up, as long as a call may wait.
    pub(crate) fn left_us(&self, until: MonoTime) -> u32 {
        let left = until.since(self.now()).as_nanos().div_ceil(1000);
        left.min(u128::from(RELATIVE_TIME_MAX_US)) as u32
    }
}
